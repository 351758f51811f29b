// The method: RBM-SVGD (Algorithm 3), and with other roles Algorithms 1 and 2, SVGD and MAP.
#pragma once

#include <starling/concepts.hpp>

#include <utility>

namespace starling {

/// The steps to take: from `first` (0, or where an earlier run stopped) up to, not including,
/// `last`.
struct Span {
  Step first = 0;
  Step last = 0;
};

/// Moves the particles towards pi, in place, until the steps are done or the observer says stop.
/// Returns the number of the step that comes next. A step: flow, look, move.
///
/// Shuffle deals Algorithm 1, and with one explicit step Algorithm 3; Draw deals Algorithm 2; Whole
/// deals SVGD, and with a single particle gradient ascent to the mode.
template <Particles P, Dealer<P> Deal, Scorer<P> Score, Drifter<P> Drift, Looker<P> Look,
          Advancer<P> Advance, Observer<P> Observe>
Step rbm_svgd(P& particles, Span steps, Deal&& deal, Score&& score, Drift&& drift, Look&& look,
              Advance&& advance, Observe&& observe) {
  for (Step k = steps.first; k < steps.last; ++k) {
    const Batches& batches = deal(k, particles); // C_1 .. C_n, drawn afresh
    bool looked = false;
    const auto flow = [&] {
      score(k, particles, batches); // s_i = grad log pi(X_i)
      drift(k, particles, batches); // Phi_i = F_ii/N + (N-1)/(N(p-1)) sum_{j in C} F_ij
      if (!std::exchange(looked, true))
        look(k, particles, batches); // X_i, s_i and Phi_i belong together; nobody has moved
    };
    advance(k, particles, batches, flow); // X_i += eta_k Phi_i, or any other ODE solver
    if (observe(k, particles, batches) == Signal::stop)
      return k + 1;
  }
  return steps.last;
}

/// The same without a look.
template <Particles P, Dealer<P> Deal, Scorer<P> Score, Drifter<P> Drift, Advancer<P> Advance,
          Observer<P> Observe>
Step rbm_svgd(P& particles, Span steps, Deal&& deal, Score&& score, Drift&& drift,
              Advance&& advance, Observe&& observe) {
  return rbm_svgd(particles, steps, deal, score, drift, NoLook(), advance, observe);
}

} // namespace starling
