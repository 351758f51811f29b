// The five roles of a step, as concepts. Each is called once per step for the whole ensemble, so a
// role may be a function pointer, a std::function or a Python call at no cost that matters.
#pragma once

#include <starling/batches.hpp>
#include <starling/ensemble.hpp>

#include <concepts>

namespace starling {

/// What an observer answers.
enum class Signal { go_on, stop };

/// deal(k, particles) -> the batches of step k.
/// Contract: the same k gives the same batches, whatever was dealt before. Each particle is equally
/// likely to meet any other; the batches' own weights then make the drift unbiased (Lemma 1).
/// The reference stays valid until the next deal. A dealer may let rows travel (Ensemble::reorder);
/// it touches nothing else.
template <typename D, typename Real>
concept Dealer = requires(D& deal, Step k, Ensemble<Real>& particles) {
  { deal(k, particles) } -> std::convertible_to<const Batches&>;
};

/// score(k, particles, batches): s_i = grad log pi(x_i) for every dealt particle i.
/// Contract: reads positions, writes scores of dealt particles only. May be a noisy estimate
/// (data mini-batches), the same noise for all calls at one k. Throws TargetError when a score is
/// not finite; positions are then as they were.
template <typename S, typename Real>
concept Scorer = requires(S& score, Step k, Ensemble<Real>& particles, const Batches& batches) {
  score(k, particles, batches);
};

/// drift(k, particles, batches): for every dealt particle i in its batch C of size p,
///     Phi_i = F(x_i, x_i)/N + (N-1)/(N(p-1)) sum over j in C, j != i, of F(x_i, x_j)
/// Contract: reads positions and scores, writes drifts of dealt particles only. The result does
/// not depend on the number of threads.
template <typename D, typename Real>
concept Drifter = requires(D& drift, Step k, Ensemble<Real>& particles, const Batches& batches) {
  drift(k, particles, batches);
};

/// advance(k, particles, batches, flow): moves every dealt particle by one step of an ODE solver.
/// Contract: flow() brings score and drift up to date with the positions, on the same batches; call
/// it as often as the solver needs. If flow() throws, positions are left as they were. Counts the
/// move of each dealt particle in moves(); keeps what it must remember in memory columns.
template <typename A, typename Real>
concept Advancer = requires(A& advance, Step k, Ensemble<Real>& particles, const Batches& batches,
                            void (&flow)()) { advance(k, particles, batches, flow); };

/// observe(k, particles, batches) -> go_on or stop, after the move of step k.
/// Contract: looks, does not touch. Positions are those after the step, scores and drifts those
/// that moved them.
template <typename O, typename Real>
concept Observer = requires(O& observe, Step k, const Ensemble<Real>& particles,
                            const Batches& batches) {
  { observe(k, particles, batches) } -> std::same_as<Signal>;
};

} // namespace starling
