// A kernel for each parameter, exact over all particles: on a line pairs can be summed by sorting.
#pragma once

#include <starling/batches.hpp>
#include <starling/drift/part.hpp>
#include <starling/drift/precisions.hpp>
#include <starling/ensemble.hpp>
#include <starling/kernel/check.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace starling {

/// The drift of K = diag over a of (1 + z_a) exp(-z_a), z_a = c_a |x_a - y_a|, c_a = sqrt(3 / h
/// v_a), with v_a the variance of the cloud along a, over all N and not over a batch:
///     Phi_ia = (1/N) sum over j of (1 + z) exp(-z) s_ja + c_a z exp(-z) sign(x_ia - x_ja)
/// Along one coordinate exp(-z) is a product over the gaps between neighbours. So the sums over all
/// who are below, and over all who are above, follow from those of the neighbour: N log N for a
/// sort instead of N^2 pairs, and no noise of batches. Where not everyone is dealt, the sums are
/// over the dealt, whose scores are of this step, and the others keep their drift. Drifts may be
/// written where the positions lie.
template <typename Real>
class MarginalDrift {
public:
  /// From so many particles on they are sorted by digits, and from so many by one digit more. Below
  /// both, comparing is quicker.
  static constexpr std::size_t by_digits_from = 128, finer_from = 2048;

  explicit MarginalDrift(Real h, Threads& threads = Threads::alone())
      : h_(kernel::positive("h", h)), threads_(&threads) {}

  void operator()(Step, Ensemble<Real>& particles, const Batches& batches, Part<Real> part = {}) {
    const std::span<const Real> precisions =
        precisions_(std::as_const(particles).position(), *threads_);
    threads_->for_pieces(particles.dim(), 1, [&](std::size_t a, std::size_t) {
      thread_local Line line; // one per thread, kept from step to step
      along(particles, batches.order(), a, std::sqrt(3 * precisions[a] / h_), part, line);
    });
  }

private:
  struct Place {
    Real x, s;
    std::uint32_t row;
    std::uint32_t cell; // of an even grid over all of them, for the sort
    bool operator<(const Place& other) const {
      return x < other.x || (x == other.x && row < other.row);
    }
  };
  struct Line {
    std::vector<Place> places, spare; // after the sort a spare place is the sum and the fade of one
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

  /// By the digits of an even grid's cells, the lowest first, then each cell by comparing: O(N) but
  /// for cells of many, where tails are long, and never worse than comparing all.
  static void sort(std::vector<Place>& places, std::vector<Place>& spare) {
    const std::size_t n = places.size();
    const auto [least, most] =
        std::minmax_element(places.begin(), places.end(),
                            [](const Place& one, const Place& other) { return one.x < other.x; });
    constexpr int digit = 8, most_digits = 3;
    const int digits = n < finer_from ? 2 : most_digits;
    const double cells = 1 << digit * digits;
    const double from = least->x, grid = (cells - 1) / (double(most->x) - from);
    if (n < by_digits_from || !(grid > 0) || !std::isfinite(grid))
      return std::sort(places.begin(), places.end());
    std::array<std::array<std::uint32_t, 1 << digit>, most_digits> next{};
    for (Place& at : places) {
      at.cell = static_cast<std::uint32_t>((double(at.x) - from) * grid);
      for (int d = 0; d < digits; ++d)
        ++next[d][at.cell >> digit * d & 0xff];
    }
    spare.resize(n);
    for (int d = 0; d < digits; ++d) {
      std::exclusive_scan(next[d].begin(), next[d].end(), next[d].begin(), 0u);
      for (const Place& at : places)
        spare[next[d][at.cell >> digit * d & 0xff]++] = at;
      places.swap(spare);
    }
    for (auto begin = places.begin(); begin != places.end();) {
      auto end = begin + 1;
      while (end != places.end() && end->cell == begin->cell)
        ++end;
      if (end - begin > 1)
        std::sort(begin, end);
      begin = end;
    }
  }

  void along(Ensemble<Real>& particles, std::span<const std::uint32_t> dealt, std::size_t a,
             Real rate, Part<Real> part, Line& line) const {
    const std::size_t n = dealt.size();
    const auto x = std::as_const(particles).position(), s = std::as_const(particles).score();
    std::vector<Place>& places = line.places;
    places.resize(n);
    bool finite = true;
    for (std::size_t k = 0; k < n; ++k) {
      places[k] = {x[dealt[k]][a], s[dealt[k]][a], dealt[k], 0};
      finite = finite && std::isfinite(places[k].x);
    }
    if (finite) // otherwise there is no order, and what is not a number stays so
      sort(places, line.spare);
    line.spare.resize(n);
    const auto sum = [&](std::size_t k) -> Real& { return line.spare[k].s; };
    const auto fade = [&](std::size_t k) -> Real& { return line.spare[k].x; }; // over the gap above
    Carried below, above;
    for (std::size_t k = 0; k < n; ++k) {
      const Place& at = places[k];
      sum(k) = at.s + below.weighted() + rate * below.push_far; // the first: itself, K = 1
      if (k + 1 == n)
        break;
      const Real gap = rate * (places[k + 1].x - at.x);
      fade(k) = std::exp(-gap);
      below.pass(at.s, gap, fade(k));
    }
    for (std::size_t k = n; k-- > 0;) {
      const Place& at = places[k];
      sum(k) += above.weighted() - rate * above.push_far;
      if (k > 0)
        above.pass(at.s, rate * (at.x - places[k - 1].x), fade(k - 1));
    }
    const Real share = part.weight / static_cast<Real>(n);
    for (std::size_t k = 0; k < n; ++k)
      part.put(particles.drift()[places[k].row][a],
               finite ? share * sum(k) : std::numeric_limits<Real>::quiet_NaN());
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
