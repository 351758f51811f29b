// A bilinear part of the kernel, exact over all particles: it needs two means and no batches.
#pragma once

#include <starling/batches.hpp>
#include <starling/ensemble.hpp>
#include <starling/threads.hpp>

#include <memory>
#include <utility>

namespace starling {

/// Adds to the drift that of the kernel c (1 + (x - m).(y - m)), m the mean of the cloud, over all
/// N and not over a batch:
///     Phi_i += c [ mean(s) + (A + I)(x_i - m) ],   A = mean over j of s_j (x_j - m)^T
/// Under pi mean(s) = 0 and A = -I: it sets mean and covariance right, which local kernels let
/// collapse in many dimensions, and adds no noise. Cost: 2 N d^2. Where not everyone is dealt, the
/// means are those of the dealt, whose scores are of this step, and the others keep their drift.
/// Defined for double and float. Copies have rooms of their own.
template <typename Real>
class BilinearPart {
public:
  explicit BilinearPart(Real weight, Threads& threads = Threads::alone());
  BilinearPart(const BilinearPart& other);
  BilinearPart& operator=(const BilinearPart& other);
  ~BilinearPart();

  void add(Ensemble<Real>& particles, const Batches& batches);

private:
  struct Room;
  void add(Rows<const Real> positions, Rows<const Real> scores, Rows<Real> drifts);

  Real weight_;
  Threads* threads_;
  std::unique_ptr<Room> room_; // kept from step to step
};

/// The same added to another drift.
template <typename Real, typename Drift>
class WithBilinear {
public:
  WithBilinear(Drift drift, Real weight, Threads& threads = Threads::alone())
      : drift_(std::move(drift)), part_(weight, threads) {}

  void operator()(Step k, Ensemble<Real>& particles, const Batches& batches) {
    drift_(k, particles, batches);
    part_.add(particles, batches);
  }

private:
  Drift drift_;
  BilinearPart<Real> part_;
};

} // namespace starling
