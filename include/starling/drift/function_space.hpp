// SVGD on predictions: the drift is that of what particles predict, pulled back to the particles.
#pragma once

#include <starling/batches.hpp>
#include <starling/ensemble.hpp>

#include <functional>
#include <utility>

namespace starling {

/// For particles x_i that are known by what they predict, f_i = f(x_i), such as the weights of a
/// network. Few particles say nothing of a distance among very many weights, and weights of two
/// networks do not correspond to each other; what they predict does. So the cloud of predictions
/// has the kernel and the scores, and each particle moves as its own prediction wants to:
///     Phi_i = J_i^T Psi_i,   J_i = df/dx (x_i),   Psi the drift of any kernel on f_1 .. f_N
/// With f the identity it is SVGD. `predict` writes f_i and the scores of f_i; `pull` writes
/// J_i^T Psi_i, and adds what moves x_i beside its predictions, such as a prior. Both may take
/// other inputs to predict at in every step: f_i are made anew each time.
template <typename Real, typename Drift>
class FunctionSpace {
public:
  using Predict = std::function<void(Step, Rows<const Real> x, Rows<Real> f, Rows<Real> score)>;
  using Pull = std::function<void(Step, Rows<const Real> x, Rows<const Real> psi, Rows<Real> phi)>;

  FunctionSpace(std::size_t count, std::size_t outputs, Drift drift, Predict predict, Pull pull)
      : predicted_(count, outputs), drift_(std::move(drift)), predict_(std::move(predict)),
        pull_(std::move(pull)) {}

  /// The role score.
  void score(Step k, const Ensemble<Real>& particles) {
    predict_(k, particles.position(), predicted_.position(), predicted_.score());
  }

  /// The role drift, after the score of the same step.
  void drift(Step k, Ensemble<Real>& particles, const Batches& batches) {
    drift_(k, predicted_, batches);
    pull_(k, std::as_const(particles).position(), std::as_const(predicted_).drift(),
          particles.drift());
  }

private:
  Ensemble<Real> predicted_; // f_i as positions
  Drift drift_;
  Predict predict_;
  Pull pull_;
};

} // namespace starling
