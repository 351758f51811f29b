// The step rule of one step, chosen at run time: what `at` of a rule gives for everyone who moved
// as often.
#pragma once

#include <starling/advance/rules.hpp>

#include <cstdint>

namespace starling::cuda {

template <typename Real>
struct Move {
  std::uint32_t memories = 0; ///< which of the three it is
  Proportional<Real> proportional{};
  Scaled<Real> scaled{};
  Corrected<Real> corrected{};

  Move() = default;
  Move(const Proportional<Real>& step) : memories(0), proportional(step) {}
  Move(const Scaled<Real>& step) : memories(1), scaled(step) {}
  Move(const Corrected<Real>& step) : memories(2), corrected(step) {}

  /// How far a coordinate goes, by its drift and its two memories, of which it has `memories`.
  STARLING_DEVICE Real operator()(Real g, Real* memory) const {
    if (memories == 0)
      return proportional(g, memory);
    return memories == 1 ? scaled(g, memory) : corrected(g, memory);
  }
};

} // namespace starling::cuda
