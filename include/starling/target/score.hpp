// The scoring role made from a target: scores those who were dealt, and refuses what is not finite.
#pragma once

#include <starling/batches.hpp>
#include <starling/ensemble.hpp>
#include <starling/finite.hpp>
#include <starling/target/concepts.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace starling {

/// Holds the target by value, or by reference when T is a reference type. A Target scores Rows in
/// the host's memory, so the particles must be there too.
template <typename Real, typename T>
requires Target<T, Real>
class Score {
public:
  explicit Score(T target, Threads& threads = Threads::alone())
      : target_(std::forward<T>(target)), threads_(&threads) {}

  template <HostParticles<Real> P>
  void operator()(Step k, P& particles, const Batches& batches) {
    const auto position = std::as_const(particles).position();
    const auto to = particles.score();
    const bool all = batches.whole();
    if constexpr (std::convertible_to<decltype(to), Rows<Real>>)
      if (all) // row after row, as the target wants them
        return score(k, position, to, {}, particles);
    // Algorithm 2: only the dealt particles, as a block of their own. All of them, as they lie.
    const auto rows = all ? std::span<const std::uint32_t>() : batches.order();
    const std::size_t count = all ? particles.count() : rows.size(), dim = particles.dim();
    x_.resize(count * dim);
    s_.resize(count * dim);
    const Rows<Real> x{x_.data(), count, dim}, s{s_.data(), count, dim};
    const auto row = [&](std::size_t n) { return all ? n : rows[n]; };
    for (std::size_t n = 0; n < count; ++n)
      copy_row(position[row(n)], x[n].data());
    score(k, x, s, rows, particles);
    for (std::size_t n = 0; n < count; ++n)
      for (std::size_t a = 0; a < dim; ++a)
        to[row(n)][a] = s[n][a];
  }

private:
  // `rows` says which particle a row of the block is; empty: row i is particle i.
  template <typename P>
  void score(Step k, Rows<const Real> x, Rows<Real> s, std::span<const std::uint32_t> rows,
             const P& particles) {
    const auto who = [&](std::size_t n) {
      return static_cast<std::size_t>(particles.id()[rows.empty() ? n : rows[n]]);
    };
    try {
      target_(k, x, s);
    } catch (const TargetError& error) { // it counted rows of the block it was given
      throw TargetError(k, who(error.particle()), error.cause());
    }
    if (all_finite(std::span<const Real>(s.data, s.count * s.dim), *threads_))
      return;
    const auto bad = static_cast<std::size_t>(
        std::find_if(s.begin(), s.end(), [](Real value) { return !std::isfinite(value); }) -
        s.begin());
    throw TargetError(k, who(bad / s.dim),
                      "the score of parameter " + std::to_string(bad % s.dim) + " is " +
                          std::to_string(*(s.data + bad)));
  }

  T target_;
  Threads* threads_;
  Column<Real> x_, s_;
};

template <typename Real, typename T>
Score<Real, T> score_of(T&& target) {
  return Score<Real, T>(std::forward<T>(target));
}

/// For systems that have no density, only a pair force.
struct NoScore {
  template <Particles P>
  void operator()(Step, P&, const Batches&) const {}
};

} // namespace starling
