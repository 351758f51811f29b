// The drift of any interacting particle system: dx_i/dt = (1/N) sum_j F(x_i, x_j), equation (3.1).
#pragma once

#include <starling/drift/sweep.hpp>
#include <starling/ensemble.hpp>

#include <concepts>
#include <utility>
#include <vector>

namespace starling {

/// force(x, y, out) writes F(x, y). It need not be symmetric, nor zero at x = y. Called from
/// several threads at once.
template <typename F, typename Real>
concept PairForce = requires(const F& force, std::span<const Real> x, std::span<Real> out) {
  force(x, x, out);
};

/// Algorithms 1 and 2 as the paper states them, for a force of the user's own. No score is needed:
/// see NoScore.
template <typename Real, PairForce<Real> Force>
class ForceDrift {
public:
  explicit ForceDrift(Force force, Threads& threads = Threads::alone())
      : force_(std::move(force)), threads_(&threads) {}

  template <HostParticles<Real> P>
  void operator()(Step, P& particles, const Batches& batches) {
    const Rows<const Real> x = plain_rows<Real>(std::as_const(particles).position(), room_);
    for_each_batch(*threads_, batches, [&](auto members, std::size_t first, std::size_t last) {
      thread_local std::vector<Real> out;
      out.resize(particles.dim());
      const auto pair = static_cast<Real>(batches.pair_weight(members.size()));
      const auto self = static_cast<Real>(batches.self_weight());
      for (std::size_t i = first; i < last; ++i) {
        const auto phi = particles.drift()[members[i]];
        for (std::size_t a = 0; a < phi.size(); ++a)
          phi[a] = 0;
        for (std::size_t j = 0; j < members.size(); ++j) {
          force_(x[members[i]], x[members[j]], std::span<Real>(out));
          for (std::size_t a = 0; a < phi.size(); ++a)
            phi[a] += (i == j ? self : pair) * out[a];
        }
      }
    });
  }

private:
  Force force_;
  Threads* threads_;
  Column<Real> room_; // for positions that do not lie row after row
};

} // namespace starling
