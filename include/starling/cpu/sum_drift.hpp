// The drift of any kernel named at run time, or of a weighted sum of them, in R^d or on a torus.
#pragma once

#include <starling/batches.hpp>
#include <starling/domain.hpp>
#include <starling/drift/precisions.hpp>
#include <starling/ensemble.hpp>
#include <starling/kernel/runtime_sum.hpp>
#include <starling/threads.hpp>

#include <utility>

namespace starling::cpu {

/// Sweeps each term with its weight, the first one written, the others added: the drift is linear
/// in the kernel. So a sum costs what its terms cost, each drops only its own self term, and a
/// weight costs nothing. In R^d the terms of STARLING_VECTOR_KERNELS go through vectors; Sinc,
/// Riesz and SmoothRiesz, and every term on a torus, are taken one pair at a time. One term of
/// weight 1 gives the bits of its own PairwiseDrift. Defined for double and float.
///
/// A term that answers a weight and a repulsion for each coordinate, instead of one pair of
/// numbers, has a sweep of its own, with the cloud's variances measured first
/// (cpu/coordinate_drift.hpp).
template <typename Real, typename Domain = Euclid<Real>>
class SumDrift {
public:
  /// On a torus, throws invalid_argument when a term is of the inner product, or one for each
  /// coordinate.
  explicit SumDrift(kernel::RuntimeSum<Real> sum, Threads& threads = Threads::alone(),
                    Domain domain = {});

  kernel::RuntimeSum<Real>& kernel() { return sum_; }

  void operator()(Step, Ensemble<Real>& particles, const Batches& batches);

private:
  kernel::RuntimeSum<Real> sum_;
  Threads* threads_;
  Domain domain_;
  Precisions<Real> precisions_; // for terms that are one for each coordinate
};

} // namespace starling::cpu
