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
///
/// `careful`: from one dimension for ten particles on, A is mostly noise off its diagonal, of norm
/// 2 sqrt(d/N), and drifts by it explode where the density is stiff. There its elements off the
/// diagonal are shrunk by their share of noise, as Ledoit and Wolf do with a covariance; and `norm`
/// says how long a step may be: at most 1 over it.
template <typename Real>
class BilinearPart {
public:
  explicit BilinearPart(Real weight, Threads& threads = Threads::alone(), bool careful = false);
  BilinearPart(const BilinearPart& other);
  BilinearPart& operator=(const BilinearPart& other);
  ~BilinearPart();

  void add(Ensemble<Real>& particles, const Batches& batches);
  /// Of c (I + A) in the last sweep: its largest singular value, where it is careful; else 0.
  Real norm() const { return norm_; }

private:
  struct Room;
  void add(Rows<const Real> positions, Rows<const Real> scores, Rows<Real> drifts);
  void shrink(Rows<const Real> positions, Rows<const Real> scores);
  Real largest_singular_value() const;

  Real weight_, norm_ = 0;
  bool careful_;
  Threads* threads_;
  std::unique_ptr<Room> room_; // kept from step to step
};

/// The same added to another drift.
template <typename Real, typename Drift>
class WithBilinear {
public:
  WithBilinear(Drift drift, Real weight, Threads& threads = Threads::alone(), bool careful = false)
      : drift_(std::move(drift)), part_(weight, threads, careful) {}

  void operator()(Step k, Ensemble<Real>& particles, const Batches& batches) {
    drift_(k, particles, batches);
    part_.add(particles, batches);
  }
  Real norm() const { return part_.norm(); }

private:
  Drift drift_;
  BilinearPart<Real> part_;
};

} // namespace starling
