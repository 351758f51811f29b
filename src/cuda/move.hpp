// The step rule of one step, chosen at run time: what `at` of a rule gives for everyone who moved
// as often.
#pragma once

#include <starling/advance/rules.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace starling::cuda {

/// One of the moves of STARLING_STEPS.
template <typename Real>
struct Move {
#define STARLING_KIND(S, numbers) S,
  enum class Kind : std::uint32_t { STARLING_STEPS(STARLING_KIND) };
#undef STARLING_KIND

  Kind kind = Kind::Proportional;
  std::uint32_t memories = 0; ///< numbers that it remembers of each coordinate: two at most
  union {
#define STARLING_MEMBER(S, numbers) starling::S<Real> S;
    STARLING_STEPS(STARLING_MEMBER)
#undef STARLING_MEMBER
  };

  Move() : Proportional{} {}
#define STARLING_TAKE(S, numbers)                                                                  \
  static_assert(numbers <= 2);                                                                     \
  Move(const starling::S<Real>& step) : kind(Kind::S), memories(numbers), S(step) {}
  STARLING_STEPS(STARLING_TAKE)
#undef STARLING_TAKE

  /// Calls f(step, number of memories): asked once, and not for every number.
  template <typename F>
  STARLING_DEVICE void visit(const F& f) const {
#define STARLING_VISIT(S, numbers)                                                                 \
  if (kind == Kind::S)                                                                             \
    f(this->S, std::integral_constant<std::uint32_t, numbers>());
    STARLING_STEPS(STARLING_VISIT)
#undef STARLING_VISIT
  }

  /// How far a coordinate goes, by its drift and its memories.
  STARLING_DEVICE Real operator()(Real g, Real* memory) const {
    Real move = 0;
    visit([&](const auto& step, auto) { move = step(g, memory); });
    return move;
  }
};

/// The step rule of a run on a card.
template <typename Real>
struct Rule {
  std::size_t memories = 0;
  std::function<Move<Real>(double time, std::uint32_t moves)> at;

  Rule() = default;
  /// Any rule whose moves are in the list.
  template <typename Own>
  requires requires(const Own& rule) { Move<Real>(rule.at(0.0, 0u)); }
  Rule(const Own& rule)
      : memories(Own::memories),
        at([rule](double time, std::uint32_t moves) { return Move<Real>(rule.at(time, moves)); }) {}
};

} // namespace starling::cuda
