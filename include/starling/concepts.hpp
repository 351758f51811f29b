// The roles of a step, as concepts over any kind of particles. Each is called once per step for all
// of them, so a role may be a function pointer, a std::function or a Python call at no cost that
// matters.
#pragma once

#include <starling/batches.hpp>
#include <starling/ensemble.hpp>
#include <starling/particles.hpp>

#include <concepts>

namespace starling {

/// What an observer answers.
enum class Signal { go_on, stop };

/// deal(k, particles) -> the batches of step k.
/// Contract: the same k gives the same batches, whatever was dealt before. Each particle is equally
/// likely to meet any other; the batches' own weights, made for the whole population, then make the
/// drift unbiased (Lemma 1). Deals rows that are here. The reference stays valid until the next
/// deal. A dealer may let rows travel (`reorder`); it touches nothing else.
template <typename D, typename P>
concept Dealer = Particles<P> && requires(D& deal, Step k, P& particles) {
  { deal(k, particles) } -> std::convertible_to<const Batches&>;
};

/// score(k, particles, batches): s_i = grad log pi(x_i) for every dealt particle i.
/// Contract: reads positions, writes scores of dealt particles only. May be a noisy estimate
/// (data mini-batches), the same noise for all calls at one k. Throws TargetError when a score is
/// not finite; positions are then as they were.
template <typename S, typename P>
concept Scorer = Particles<P> && requires(S& score, Step k, P& particles, const Batches& batches) {
  score(k, particles, batches);
};

/// drift(k, particles, batches): for every dealt particle i in its batch C of size p,
///     Phi_i = F(x_i, x_i)/N + (N-1)/(N(p-1)) sum over j in C, j != i, of F(x_i, x_j)
/// Contract: reads positions and scores, writes drifts of dealt particles only. The result does
/// not depend on the number of threads.
template <typename D, typename P>
concept Drifter = Particles<P> && requires(D& drift, Step k, P& particles, const Batches& batches) {
  drift(k, particles, batches);
};

/// look(k, particles, batches), after the first flow of step k and before anyone moves by it: here,
/// and only here, positions, scores and drift belong together.
/// Contract: may read everything, and use the columns while it looks (to drift on other batches,
/// say), but leaves the particles as it found them. If it throws, the step is not taken.
template <typename L, typename P>
concept Looker = Particles<P> && requires(L& look, Step k, P& particles, const Batches& batches) {
  look(k, particles, batches);
};

/// advance(k, particles, batches, flow): moves every dealt particle by one step of an ODE solver.
/// Contract: flow() brings score and drift up to date with the positions, on the same batches; call
/// it as often as the solver needs. If flow() throws, positions are left as they were. Counts the
/// move of each dealt particle in moves(); keeps what it must remember in memory columns.
template <typename A, typename P>
concept Advancer = Particles<P> &&
    requires(A& advance, Step k, P& particles, const Batches& batches, void (&flow)()) {
  advance(k, particles, batches, flow);
};

/// observe(k, particles, batches) -> go_on or stop, after the move of step k.
/// Contract: sees, does not touch. Positions are those after the step, scores and drifts those
/// that moved them.
template <typename O, typename P>
concept Observer = Particles<P> &&
    requires(O& observe, Step k, const P& particles, const Batches& batches) {
  { observe(k, particles, batches) } -> std::same_as<Signal>;
};

/// For those who do not look.
struct NoLook {
  template <Particles P>
  void operator()(Step, P&, const Batches&) const {}
};

} // namespace starling
