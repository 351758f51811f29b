// A weighted sum of kernels is a kernel: K = c_1 K_1 + ... + c_n K_n.
#pragma once

#include <starling/kernel/check.hpp>
#include <starling/kernel/concepts.hpp>

#include <array>
#include <tuple>

namespace starling::kernel {

/// Sum<double, Gaussian<double>, Polynomial<double>>({1.0, 0.1}, gaussian, polynomial).
/// Asked through at(r2, x.y), so radial and dot kernels mix.
template <typename Real, Kernel<Real>... Terms>
class Sum {
public:
  static constexpr bool singular = (is_singular<Terms> || ...);

  Sum(std::array<Real, sizeof...(Terms)> weights, Terms... terms)
      : weights_(weights), terms_(std::move(terms)...) {
    for (Real c : weights)
      positive("kernel weight", c); // a sum with a negative part need not be positive definite
  }

  PairWeights<Real> at(Real r2, Real product) const {
    return total([&](const auto& term) { return pair_weights(term, r2, product); });
  }
  /// Only the singular terms drop theirs.
  PairWeights<Real> at_self(Real product) const {
    return total([&](const auto& term) { return self_weights(term, product); });
  }

  /// Sets the bandwidth of every term that has one.
  void set_bandwidth(Real h) requires(HasBandwidth<Terms, Real> || ...) {
    std::apply([&](Terms&... term) { (set_one(term, h), ...); }, terms_);
  }

private:
  template <typename Ask>
  PairWeights<Real> total(Ask&& ask) const {
    return std::apply(
        [&](const Terms&... term) {
          PairWeights<Real> sum{};
          const Real* c = weights_.data();
          (add_weighted(sum, *c++, ask(term)), ...);
          return sum;
        },
        terms_);
  }
  template <typename K>
  static void set_one(K& term, Real h) {
    if constexpr (HasBandwidth<K, Real>)
      term.set_bandwidth(h);
  }

  std::array<Real, sizeof...(Terms)> weights_;
  std::tuple<Terms...> terms_;
};

} // namespace starling::kernel
