// The drift of a kernel for each coordinate, in vector instructions along the coordinates.
#pragma once

#include <starling/batches.hpp>
#include <starling/drift/part.hpp>
#include <starling/drift/precisions.hpp>
#include <starling/ensemble.hpp>
#include <starling/kernel/all.hpp>
#include <starling/threads.hpp>

#include <span>
#include <utility>

namespace starling::cpu {

/// One sweep, with the cloud's precision along each coordinate. Defined for the kernels of
/// STARLING_COORDINATE_KERNELS, in double and float.
template <typename Real, typename K>
void sweep_coordinates(const K& kernel, Ensemble<Real>& particles, const Batches& batches,
                       std::span<const Real> precisions, Threads& threads, Part<Real> part = {});

/// The same as ReferenceDrift up to rounding, for any number of threads bit for bit the same.
/// Cost: an exponential for each coordinate of each pair.
template <typename Real, CoordinateKernel<Real> K>
class CoordinateDrift {
public:
  explicit CoordinateDrift(K kernel, Threads& threads = Threads::alone())
      : kernel_(kernel), threads_(&threads) {}

  K& kernel() { return kernel_; }

  void operator()(Step, Ensemble<Real>& particles, const Batches& batches) {
    sweep_coordinates<Real, K>(kernel_, particles, batches,
                               precisions_(std::as_const(particles).position(), *threads_),
                               *threads_);
  }

private:
  K kernel_;
  Threads* threads_;
  Precisions<Real> precisions_;
};

} // namespace starling::cpu
