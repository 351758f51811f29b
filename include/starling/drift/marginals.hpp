// A kernel for each parameter, exact over all particles: on a line pairs can be summed by sorting.
#pragma once

#include <starling/batches.hpp>
#include <starling/drift/part.hpp>
#include <starling/drift/precisions.hpp>
#include <starling/ensemble.hpp>
#include <starling/kernel/check.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace starling {

/// The drift of K = diag over a of (1 + z_a) exp(-z_a), z_a = c_a |x_a - y_a|, c_a = sqrt(3 / h
/// v_a), with v_a the variance of the cloud along a, over all N and not over a batch:
///     Phi_ia = (1/N) sum over j of (1 + z) exp(-z) s_ja + c_a z exp(-z) sign(x_ia - x_ja)
/// Along one coordinate exp(-z) is a product over the gaps between neighbours. So the sums over all
/// who are below, and over all who are above, follow from those of the neighbour: N log N for a
/// sort instead of N^2 pairs, and no noise of batches. Where not everyone is dealt, the sums are
/// over the dealt, whose scores are of this step, and the others keep their drift.
template <typename Real>
class MarginalDrift {
public:
  explicit MarginalDrift(Real h, Threads& threads = Threads::alone())
      : h_(kernel::positive("h", h)), threads_(&threads) {}

  void operator()(Step, Ensemble<Real>& particles, const Batches& batches, Part<Real> part = {}) {
    const std::span<const Real> precisions =
        precisions_(std::as_const(particles).position(), *threads_);
    threads_->for_pieces(particles.dim(), 1, [&](std::size_t a, std::size_t) {
      thread_local std::vector<Place> line; // one per thread, kept from step to step
      along(particles, batches.order(), a, std::sqrt(3 * precisions[a] / h_), part, line);
    });
  }

private:
  struct Place {
    Real x, s, sum, fade; // fade: exp of minus the gap above
    std::uint32_t row;
  };

  /// What those on one side bring, carried from neighbour to neighbour.
  struct Carried {
    Real pull = 0, pull_far = 0; // sums of exp(-z) s and of z exp(-z) s
    Real push = 0, push_far = 0; // the same with 1 for s

    Real weighted() const { return pull + pull_far; }
    void pass(Real s, Real gap, Real fade) {
      pull += s;
      push += 1;
      pull_far = fade * (pull_far + gap * pull);
      push_far = fade * (push_far + gap * push);
      pull *= fade;
      push *= fade;
    }
  };

  void along(Ensemble<Real>& particles, std::span<const std::uint32_t> dealt, std::size_t a,
             Real rate, Part<Real> part, std::vector<Place>& line) const {
    const std::size_t n = dealt.size();
    const auto x = std::as_const(particles).position(), s = std::as_const(particles).score();
    line.resize(n);
    bool finite = true;
    for (std::size_t k = 0; k < n; ++k) {
      line[k] = {x[dealt[k]][a], s[dealt[k]][a], 0, 0, dealt[k]};
      finite = finite && std::isfinite(line[k].x);
    }
    if (finite) // otherwise there is no order, and what is not a number stays so
      std::sort(line.begin(), line.end(), [](const Place& one, const Place& other) {
        return one.x < other.x || (one.x == other.x && one.row < other.row);
      });
    Carried below, above;
    for (std::size_t k = 0; k < n; ++k) {
      Place& at = line[k];
      at.sum = at.s + below.weighted() + rate * below.push_far; // the first: itself, K = 1
      if (k + 1 == n)
        break;
      const Real gap = rate * (line[k + 1].x - at.x);
      at.fade = std::exp(-gap);
      below.pass(at.s, gap, at.fade);
    }
    for (std::size_t k = n; k-- > 0;) {
      Place& at = line[k];
      at.sum += above.weighted() - rate * above.push_far;
      if (k > 0)
        above.pass(at.s, rate * (at.x - line[k - 1].x), line[k - 1].fade);
    }
    const Real share = part.weight / static_cast<Real>(n);
    for (const Place& at : line)
      part.put(particles.drift()[at.row][a],
               finite ? share * at.sum : std::numeric_limits<Real>::quiet_NaN());
  }

  Real h_;
  Threads* threads_;
  Precisions<Real> precisions_;
};

/// Adds it, with a weight, to another drift.
template <typename Real, typename Drift>
class WithMarginals {
public:
  WithMarginals(Drift drift, Real weight, Real h, Threads& threads = Threads::alone())
      : drift_(std::move(drift)), weight_(weight), marginals_(h, threads) {}

  void operator()(Step k, Ensemble<Real>& particles, const Batches& batches) {
    drift_(k, particles, batches);
    marginals_(k, particles, batches, {.weight = weight_, .added = true});
  }

private:
  Drift drift_;
  Real weight_;
  MarginalDrift<Real> marginals_;
};

} // namespace starling
