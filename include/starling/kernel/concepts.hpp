// What a kernel is: a function of the distance, or of the inner product, of two points.
#pragma once

#include <starling/device.hpp>

#include <concepts>
#include <utility>

namespace starling {

/// All that a kernel says about a pair, so that
///     F(x, y) = grad_y K + K s(y) = weight * s(y) + repulsion * (x - y) + lift * x
template <typename T>
struct PairWeights {
  T weight;    // K(x, y)
  T repulsion; // -2 f'(r2) for K = f(r2), r2 = |x - y|^2
  T lift;      // f'(x.y) for K = f(x.y)
};

/// K = f(r2): two scalars say everything. `T` may be a scalar or a vector of them.
template <typename K, typename T>
concept RadialKernel = requires(const K& kernel, T squared_distance) {
  { kernel.at_distance(squared_distance) } -> std::same_as<PairWeights<T>>;
};

/// K = f(x.y). F(x, x) does not vanish even where the score does.
template <typename K, typename T>
concept DotKernel = requires(const K& kernel, T product) {
  { kernel.at_product(product) } -> std::same_as<PairWeights<T>>;
};

/// K = f(r2, x.y): sums of both kinds.
template <typename K, typename T>
concept MixedKernel = requires(const K& kernel, T squared_distance, T product) {
  { kernel.at(squared_distance, product) } -> std::same_as<PairWeights<T>>;
};

/// K = diag over coordinates a of k(t_a), t_a = (x_a - y_a)^2 / v_a with v_a the variance of the
/// cloud along a: two scalars for each coordinate,
///     F_a(x, y) = weight * s_a(y) + repulsion * (x_a - y_a) / v_a
template <typename K, typename T>
concept CoordinateKernel = requires(const K& kernel, T squared_difference) {
  { kernel.at_coordinate(squared_difference) } -> std::same_as<PairWeights<T>>;
};

template <typename K, typename T>
concept Kernel = RadialKernel<K, T> || DotKernel<K, T> || MixedKernel<K, T>;

/// A kernel with a length: h, a squared length as in the paper's exp(-r2 / 2h).
template <typename K, typename Real>
concept HasBandwidth = requires(K& kernel, Real h) {
  kernel.set_bandwidth(h);
};

/// A kernel that is infinite at distance zero says so; its self term is dropped.
template <typename K>
constexpr bool is_singular = requires {
  requires K::singular;
};

/// A sum says itself what is left of its self term: that of the terms that are not singular.
template <typename K, typename T>
concept SaysItsSelfTerm = requires(const K& kernel, T product) {
  { kernel.at_self(product) } -> std::same_as<PairWeights<T>>;
};
template <typename K, typename T>
constexpr bool has_self_term = SaysItsSelfTerm<K, T> || !is_singular<K>;

/// Whether a kernel looks at the distance, and at the inner product, of a pair.
template <typename K, typename T>
constexpr bool uses_distance = RadialKernel<K, T> || MixedKernel<K, T>;
template <typename K, typename T>
constexpr bool uses_product = DotKernel<K, T> || MixedKernel<K, T>;

/// One way to ask any kernel about a pair.
template <typename T, Kernel<T> K>
STARLING_DEVICE PairWeights<T> pair_weights(const K& kernel, T squared_distance, T product) {
  if constexpr (MixedKernel<K, T>)
    return kernel.at(squared_distance, product);
  else if constexpr (RadialKernel<K, T>)
    return kernel.at_distance(squared_distance);
  else
    return kernel.at_product(product);
}

/// The same for F(x, x), from x.x: zero where it is dropped.
template <typename T, Kernel<T> K>
PairWeights<T> self_weights(const K& kernel, T product) {
  if constexpr (SaysItsSelfTerm<K, T>)
    return kernel.at_self(product);
  else if constexpr (is_singular<K>)
    return {};
  else
    return pair_weights(kernel, T(0), product);
}

/// total += c w
template <typename T>
void add_weighted(PairWeights<T>& total, T c, const PairWeights<T>& w) {
  total.weight += c * w.weight;
  total.repulsion += c * w.repulsion;
  total.lift += c * w.lift;
}

} // namespace starling
