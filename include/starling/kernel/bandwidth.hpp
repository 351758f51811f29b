// How the bandwidth h is chosen at each step: fixed, or from the median distance.
#pragma once

#include <starling/kernel/check.hpp>
#include <starling/random/philox.hpp>
#include <starling/rows.hpp>

#include <algorithm>
#include <cmath>
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

template <typename Real>
Real squared_distance(Rows<const Real> x, std::size_t i, std::size_t j) {
  Real r2 = 0;
  for (std::size_t a = 0; a < x.dim; ++a) {
    const Real delta = x[i][a] - x[j][a];
    r2 += delta * delta;
  }
  return r2;
}

/// h = med^2 / (2 log N), from squared distances (which it reorders). Particles all in one place,
/// or a single one, leave no length to take: then h = 1.
template <typename Real>
Real bandwidth_of(std::vector<Real>& squared, std::size_t population) {
  if (squared.empty())
    return 1;
  const auto middle = squared.begin() + static_cast<std::ptrdiff_t>(squared.size() / 2);
  std::nth_element(squared.begin(), middle, squared.end());
  Real median = std::sqrt(*middle);
  if (squared.size() % 2 == 0) // even count: the mean of the two middle distances
    median = (median + std::sqrt(*std::max_element(squared.begin(), middle))) / 2;
  const Real h = median * median / (2 * std::log(Real(population)));
  return h > 0 && std::isfinite(h) ? h : Real(1);
}

/// The paper's dynamic bandwidth: the median over all N(N-1)/2 pairs, afresh at each step. Costs
/// O(N^2 d) time and N^2/2 numbers of memory.
template <typename Real>
class MedianBandwidth {
public:
  Real operator()(Step, Rows<const Real> x) {
    squared_.clear();
    for (std::size_t i = 0; i < x.count; ++i)
      for (std::size_t j = 0; j < i; ++j) // without the N zeros of the diagonal
        squared_.push_back(squared_distance(x, i, j));
    return bandwidth_of(squared_, x.count);
  }

private:
  std::vector<Real> squared_;
};

/// The same from M pairs of different particles drawn afresh at each step: O(M d), whatever N is,
/// so a dynamic bandwidth is feasible with random batches after all.
template <typename Real>
class SampledMedianBandwidth {
public:
  SampledMedianBandwidth(std::uint64_t seed, std::size_t pairs) : philox_(seed), pairs_(pairs) {
    if (pairs == 0)
      reject("bandwidth pairs", "at least 1", "0");
  }

  Real operator()(Step k, Rows<const Real> x) {
    squared_.clear();
    const auto n = static_cast<std::uint32_t>(x.count);
    for (std::size_t m = 0; n > 1 && m < pairs_; ++m) {
      const std::uint32_t i = philox_.below(n, Stream::bandwidth, k, 2 * m);
      const std::uint32_t j = philox_.below(n - 1, Stream::bandwidth, k, 2 * m + 1);
      squared_.push_back(squared_distance<Real>(x, i, j < i ? j : j + 1));
    }
    return bandwidth_of(squared_, x.count);
  }

private:
  Philox philox_;
  std::size_t pairs_;
  std::vector<Real> squared_;
};

} // namespace starling::kernel
