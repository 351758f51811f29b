// A weighted sum of kernels put together at run time: K = c_1 K_1 + ... + c_n K_n.
#pragma once

#include <starling/kernel/all.hpp>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace starling::kernel {

template <typename Real>
struct Term {
  Real weight;
  AnyKernel<Real> kernel;
};

/// What kernel::Sum is for terms known when compiled. cpu::SumDrift sweeps it term by term, at the
/// speed of the terms; `at` asks for one pair, for slow twins. No terms: no force.
template <typename Real>
class RuntimeSum {
public:
  explicit RuntimeSum(std::vector<Term<Real>> terms) : terms_(std::move(terms)) {
    for (const Term<Real>& term : terms_)
      positive("kernel weight", term.weight); // as in kernel::Sum
  }

  std::span<const Term<Real>> terms() const { return terms_; }

  bool has_bandwidth() const {
    return any([](const auto& one) { return HasBandwidth<std::decay_t<decltype(one)>, Real>; });
  }
  /// Whether a term is of the inner product, which has no meaning on a torus.
  bool has_product() const {
    return any([](const auto& one) { return uses_product<std::decay_t<decltype(one)>, Real>; });
  }
  /// Whether a term is one of each coordinate.
  bool has_coordinates() const {
    return any([](const auto& one) { return CoordinateKernel<std::decay_t<decltype(one)>, Real>; });
  }
  /// Whether a term is infinite at distance zero; the self term of that one is dropped.
  bool singular() const {
    return any([](const auto& one) { return is_singular<std::decay_t<decltype(one)>>; });
  }

  /// Sets the bandwidth of every term that has one.
  void set_bandwidth(Real h) {
    for (Term<Real>& term : terms_)
      std::visit(
          [&](auto& one) {
            if constexpr (HasBandwidth<std::decay_t<decltype(one)>, Real>)
              one.set_bandwidth(h);
          },
          term.kernel);
  }

  /// Of the terms that are one number for a pair, and of those that are one for each coordinate.
  PairWeights<Real> at(Real r2, Real product) const {
    return total([&](const auto& one) { return pair_weights(one, r2, product); });
  }
  PairWeights<Real> at_self(Real product) const {
    return total([&](const auto& one) { return self_weights(one, product); });
  }
  PairWeights<Real> at_coordinate(Real squared_difference) const {
    PairWeights<Real> sum{};
    for (const Term<Real>& term : terms_)
      std::visit(
          [&]<typename K>(const K& one) {
            if constexpr (CoordinateKernel<K, Real>)
              add_weighted(sum, term.weight, one.at_coordinate(squared_difference));
          },
          term.kernel);
    return sum;
  }

private:
  template <typename Question>
  bool any(Question&& question) const {
    return std::ranges::any_of(
        terms_, [&](const Term<Real>& term) { return std::visit(question, term.kernel); });
  }
  template <typename Ask>
  PairWeights<Real> total(Ask&& ask) const {
    PairWeights<Real> sum{};
    for (const Term<Real>& term : terms_)
      std::visit(
          [&]<typename K>(const K& one) {
            if constexpr (Kernel<K, Real>)
              add_weighted(sum, term.weight, ask(one));
          },
          term.kernel);
    return sum;
  }

  std::vector<Term<Real>> terms_;
};

} // namespace starling::kernel
