// The pair drift in vector instructions, for the kernels that have a formula in them.
#pragma once

#include <starling/batches.hpp>
#include <starling/ensemble.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/kernel/inverse_multiquadric.hpp>
#include <starling/kernel/matern.hpp>
#include <starling/kernel/polynomial.hpp>
#include <starling/threads.hpp>

#include <concepts>

namespace starling::cpu {

/// Kernels compiled for every SIMD level.
template <typename K, typename Real>
concept Vectorised =
    std::same_as<K, kernel::Gaussian<Real>> || std::same_as<K, kernel::InverseMultiquadric<Real>> ||
    std::same_as<K, kernel::Matern32<Real>> || std::same_as<K, kernel::Matern52<Real>> ||
    std::same_as<K, kernel::Polynomial<Real>>;

/// One sweep. Defined for the kernels above, in double and float.
template <typename Real, typename K>
void sweep(const K& kernel, Ensemble<Real>& particles, const Batches& batches, Threads& threads);

/// The same drift as starling::PairwiseDrift up to rounding, for any number of threads bit for bit
/// the same; every pair is computed once, for both its members. Other SIMD levels differ in the
/// last bits.
template <typename Real, Vectorised<Real> K>
class PairwiseDrift {
public:
  explicit PairwiseDrift(K kernel, Threads& threads = Threads::alone())
      : kernel_(kernel), threads_(&threads) {}

  K& kernel() { return kernel_; }

  void operator()(Step, Ensemble<Real>& particles, const Batches& batches) {
    sweep<Real, K>(kernel_, particles, batches, *threads_);
  }

private:
  K kernel_;
  Threads* threads_;
};

} // namespace starling::cpu
