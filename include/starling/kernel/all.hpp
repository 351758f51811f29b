// All kernels in one list: those compiled for vectors, the others, and the type that holds any of
// them.
#pragma once

#include <starling/kernel/gaussian.hpp>
#include <starling/kernel/inverse_multiquadric.hpp>
#include <starling/kernel/matern.hpp>
#include <starling/kernel/parameters.hpp>
#include <starling/kernel/polynomial.hpp>
#include <starling/kernel/riesz.hpp>
#include <starling/kernel/sinc.hpp>
#include <starling/kernel/smooth_riesz.hpp>

#include <type_traits>
#include <variant>

// Whose formula goes through vectors as through numbers. The build reads this list: each of them is
// a unit of its own for every SIMD level.
#define STARLING_VECTOR_KERNELS(X)                                                                 \
  X(Gaussian) X(InverseMultiquadric) X(Matern32) X(Matern52) X(Polynomial)

// One pair at a time.
#define STARLING_SCALAR_KERNELS(X) X(Sinc) X(Riesz) X(RieszAttraction) X(SmoothRiesz)

// One for each coordinate, in vectors along them.
#define STARLING_COORDINATE_KERNELS(X) X(Parameters)

// Those that a card has too: their functions say STARLING_DEVICE.
#define STARLING_CARD_KERNELS(X) STARLING_VECTOR_KERNELS(X) X(Sinc) X(Riesz)

namespace starling::kernel {

#define STARLING_NAME(K) , K<Real>
template <typename Of, typename... Kinds>
struct AnyOf {
  using Kernel = std::variant<Kinds...>;
};
template <typename Real>
using AnyKernel =
    typename AnyOf<Real STARLING_VECTOR_KERNELS(STARLING_NAME) STARLING_SCALAR_KERNELS(
        STARLING_NAME) STARLING_COORDINATE_KERNELS(STARLING_NAME)>::Kernel;
#undef STARLING_NAME

#define STARLING_SAME(K) || std::is_same_v<Kind, K<Real>>
template <typename Kind, typename Real>
inline constexpr bool has_vector_formula = false STARLING_VECTOR_KERNELS(STARLING_SAME);
template <typename Kind, typename Real>
inline constexpr bool is_on_cards = false STARLING_CARD_KERNELS(STARLING_SAME);
#undef STARLING_SAME

} // namespace starling::kernel
