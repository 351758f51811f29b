// Gaussian kernel: K = exp(-r2 / 2h), or with the paper's constant exp(-r2 / 2h) / sqrt(2 pi h).
#pragma once

#include <starling/kernel/check.hpp>
#include <starling/kernel/concepts.hpp>

#include <numbers>

namespace starling::kernel {

/// The constant matters to constant steps and vanishes under adaptive ones. It is that of one
/// dimension in every dimension, as in the paper.
enum class Height { one, paper };

template <typename Real>
class Gaussian {
public:
  explicit Gaussian(Real bandwidth, Height height = Height::one) : height_(height) {
    set_bandwidth(bandwidth);
  }

  void set_bandwidth(Real h) {
    positive("bandwidth", h);
    inverse_ = 1 / h;
    top_ = height_ == Height::paper ? 1 / std::sqrt(2 * std::numbers::pi_v<Real> * h) : 1;
  }

  template <typename T>
  STARLING_DEVICE PairWeights<T> at_distance(T r2) const {
    using std::exp;
    const T k = exp(r2 * (Real(-0.5) * inverse_)) * top_;
    return {k, k * inverse_, T(0)}; // -2 f' = K / h
  }

  bool has_paper_height() const { return height_ == Height::paper; }

  /// The repulsion is this many times the weight, whatever the distance.
  Real repulsion_per_weight() const { return inverse_; }

private:
  Height height_;
  Real inverse_ = 1, top_ = 1;
};

} // namespace starling::kernel
