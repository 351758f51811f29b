// How the bandwidth h is chosen at each step: fixed, or from the median distance.
#pragma once

#include <starling/domain.hpp>
#include <starling/kernel/check.hpp>
#include <starling/kernel/median.hpp>
#include <starling/random/philox.hpp>
#include <starling/rows.hpp>
#include <starling/threads.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

namespace starling::kernel {

template <typename Real>
class FixedBandwidth {
public:
  explicit FixedBandwidth(Real h) : h_(positive("bandwidth", h)) {}
  Real operator()(Step, Rows<const Real>) const { return h_; }

private:
  Real h_;
};

/// As the kernel sees it: by chords on a torus.
template <typename Real, typename Domain = Euclid<Real>>
Real squared_distance(Rows<const Real> x, std::size_t i, std::size_t j, const Domain& domain = {}) {
  Real r2 = 0;
  for (std::size_t a = 0; a < x.dim; ++a) {
    const Real chord = domain.chord(x[i][a] - x[j][a]);
    r2 += chord * chord;
  }
  return r2;
}

/// The two values in the middle: one and the same in an odd count.
template <typename Real>
struct Middle {
  Real lower, upper;
};

/// The values of those two ranks, equal or one apart, counted from 0. Reorders the values.
template <typename Real>
Middle<Real> ranked(std::span<Real> values, std::size_t lower, std::size_t upper) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(upper);
  std::nth_element(values.begin(), at, values.end());
  return {lower == upper ? *at : *std::max_element(values.begin(), at), *at};
}

/// The same when asked again and again for values that change little: it looks near the last answer
/// first, which takes one pass instead of several, and among all if the ranks are not there.
template <typename Real>
class RankedNearLast {
public:
  Middle<Real> operator()(std::span<Real> values, std::size_t lower, std::size_t upper) {
    const Real low = last_ * Real(0.98), high = last_ * Real(1.02);
    near_.resize(values.size());
    std::size_t below = 0, found = 0;
    for (const Real value : values) { // without a branch that is hard to foresee
      below += value < low;
      near_[found] = value;
      found += static_cast<std::size_t>(value >= low) & static_cast<std::size_t>(value < high);
    }
    const bool there = below <= lower && upper < below + found;
    const auto answer = there ? ranked(std::span(near_).first(found), lower - below, upper - below)
                              : ranked(values, lower, upper);
    last_ = answer.upper;
    return answer;
  }

private:
  Real last_ = 0;
  std::vector<Real> near_;
};

/// h = med^2 / (2 log N), from squared distances. Particles all in one place, or a single one,
/// leave no length to take: then h = 1.
template <typename Real, typename Select>
Real bandwidth_of(std::span<Real> squared, std::size_t population, Select&& select) {
  if (squared.empty())
    return 1;
  // Of an even count: the mean of the two middle distances.
  const auto [lower, upper] = select(squared, (squared.size() - 1) / 2, squared.size() / 2);
  return bandwidth_from(lower, upper, Real(population));
}

/// The squared distances of all N(N-1)/2 pairs, without the N zeros of the diagonal. In more than a
/// few dimensions as |x|^2 + |y|^2 - 2 x.y, so that a matrix product does the work; positions are
/// taken from their mean, which keeps the difference from cancelling, and where it still does the
/// pair is measured by itself. Cost: N^2 d. Defined for double and float.
template <typename Real>
class PairDistances {
public:
  PairDistances();
  PairDistances(const PairDistances&); ///< with a room of its own
  PairDistances& operator=(const PairDistances&);
  ~PairDistances();

  std::span<Real> operator()(Rows<const Real> x);

private:
  struct Room;
  std::vector<Real> squared_;
  std::unique_ptr<Room> room_; // kept from step to step
};

/// The squared distances of pairs of rows that are long: by blocks of columns, shared out, so that
/// a block's numbers are read once for all pairs. Parts are added in the order of the blocks.
/// Defined for double and float.
template <typename Real>
class LongDistances {
public:
  static constexpr std::size_t least = 8192,
                               columns = 2048; ///< numbers of a row from where on; of a block

  explicit LongDistances(Threads& threads) : threads_(&threads) {}

  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs; ///< to be measured

  std::span<Real> operator()(Rows<const Real> x);

private:
  Threads* threads_;
  std::vector<Real> parts_, squared_;
};

/// The same by chords on a torus: each coordinate lives on a circle, and chords are the distances
/// of points on circles in the plane. So all pairs take N d sines instead of N^2 d.
template <typename Real, typename Domain>
class ChordDistances {
public:
  explicit ChordDistances(Domain domain) : domain_(domain) {}

  std::span<Real> operator()(Rows<const Real> x) {
    if constexpr (!Domain::periodic) {
      return distances_(x);
    } else {
      const Real radius = domain_.period() / (2 * std::numbers::pi_v<Real>);
      circle_.resize(2 * x.size());
      for (std::size_t n = 0; n < x.size(); ++n) {
        circle_[2 * n] = radius * std::cos(x.data[n] / radius);
        circle_[2 * n + 1] = radius * std::sin(x.data[n] / radius);
      }
      return distances_(Rows<const Real>{circle_.data(), x.count, 2 * x.dim});
    }
  }

private:
  Domain domain_;
  PairDistances<Real> distances_;
  std::vector<Real> circle_;
};

/// The paper's dynamic bandwidth: the median over all pairs, afresh at each step. Costs O(N^2 d)
/// time and N^2 numbers of memory.
template <typename Real, typename Domain = Euclid<Real>>
class MedianBandwidth {
public:
  MedianBandwidth(Domain domain = {}) : distances_(domain) {}

  Real operator()(Step, Rows<const Real> x) {
    return bandwidth_of(distances_(x), x.count, select_);
  }

private:
  ChordDistances<Real, Domain> distances_;
  RankedNearLast<Real> select_;
};

/// The same from M pairs of different particles drawn afresh at each step: O(M d), whatever N is,
/// so a dynamic bandwidth is feasible with random batches after all. When there are no more than M
/// pairs, all of them, each once: then the median is exact.
template <typename Real, typename Domain = Euclid<Real>>
class SampledMedianBandwidth {
public:
  SampledMedianBandwidth(std::uint64_t seed, std::size_t pairs, Domain domain = {},
                         Threads& threads = Threads::alone())
      : philox_(seed), pairs_(pairs), domain_(domain), all_(domain), long_(threads) {
    if (pairs == 0)
      reject("bandwidth pairs", "at least 1", "0");
  }

  /// Whether that is all pairs of so many rows.
  bool everyone(std::size_t rows) const { return rows < 2 || rows * (rows - 1) / 2 <= pairs_; }

  /// Calls pair(i, j) for each pair of n rows that step k draws.
  template <typename Pair>
  void draw(Step k, std::uint32_t n, Pair&& pair) const {
    for (std::size_t m = 0; m < pairs_; ++m) {
      const std::uint32_t i = philox_.below(n, Stream::bandwidth, k, 2 * m);
      const std::uint32_t j = philox_.below(n - 1, Stream::bandwidth, k, 2 * m + 1);
      pair(i, j < i ? j : j + 1);
    }
  }

  /// The same from the rows that were drawn alone: a pair is two rows, one after the other.
  Real of_drawn(Rows<const Real> x, std::size_t population) {
    if constexpr (!Domain::periodic)
      if (x.dim >= LongDistances<Real>::least) {
        long_.pairs.clear();
        for (std::uint32_t i = 0; i + 1 < x.count; i += 2)
          long_.pairs.emplace_back(i, i + 1);
        return bandwidth_of(long_(x), population, ranked<Real>);
      }
    squared_.clear();
    for (std::size_t i = 0; i + 1 < x.count; i += 2)
      squared_.push_back(squared_distance<Real>(x, i, i + 1, domain_));
    return bandwidth_of(std::span(squared_), population, ranked<Real>);
  }

  Real operator()(Step k, Rows<const Real> x) {
    const bool everyone = this->everyone(x.count);
    const auto n = static_cast<std::uint32_t>(x.count);
    if constexpr (!Domain::periodic)
      if (x.dim >= LongDistances<Real>::least) {
        long_.pairs.clear();
        const auto note = [&](std::uint32_t i, std::uint32_t j) { long_.pairs.emplace_back(i, j); };
        if (!everyone)
          draw(k, n, note);
        for (std::uint32_t i = 0; everyone && i < n; ++i)
          for (std::uint32_t j = 0; j < i; ++j)
            note(i, j);
        return bandwidth_of(long_(x), x.count, ranked<Real>);
      }
    if (everyone)
      return all_(k, x);
    squared_.clear();
    draw(k, n, [&](std::uint32_t i, std::uint32_t j) {
      squared_.push_back(squared_distance<Real>(x, i, j, domain_));
    });
    return bandwidth_of(std::span(squared_), x.count, ranked<Real>);
  }

private:
  Philox philox_;
  std::size_t pairs_;
  Domain domain_;
  MedianBandwidth<Real, Domain> all_;
  LongDistances<Real> long_;
  std::vector<Real> squared_;
};

} // namespace starling::kernel
