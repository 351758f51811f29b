// The pair drift in vector instructions, for the kernels that have a formula in them.
#pragma once

#include <starling/batches.hpp>
#include <starling/drift/part.hpp>
#include <starling/ensemble.hpp>
#include <starling/kernel/all.hpp>
#include <starling/threads.hpp>

namespace starling::cpu {

/// Kernels compiled for every SIMD level: STARLING_VECTOR_KERNELS in kernel/all.hpp.
template <typename K, typename Real>
concept Vectorised = kernel::has_vector_formula<K, Real>;

/// One sweep. Defined for the kernels above, in double and float.
template <typename Real, typename K>
void sweep(const K& kernel, Ensemble<Real>& particles, const Batches& batches, Threads& threads,
           Part<Real> part = {});

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
