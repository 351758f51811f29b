// The drift straight from the formula, one pair at a time: the slow twin every faster one is
// tested against.
#pragma once

#include <starling/batches.hpp>
#include <starling/domain.hpp>
#include <starling/drift/precisions.hpp>
#include <starling/ensemble.hpp>
#include <starling/kernel/concepts.hpp>

#include <utility>
#include <vector>

namespace starling {

template <typename Real, typename K, typename Domain = Euclid<Real>>
requires Kernel<K, Real> || CoordinateKernel<K, Real>
class ReferenceDrift {
public:
  explicit ReferenceDrift(K kernel, Domain domain = {}) : kernel_(kernel), domain_(domain) {}

  K& kernel() { return kernel_; }

  /// Phi_i = F(x_i, x_i)/N + (N-1)/(N(p-1)) sum over j in C, j != i, of F(x_i, x_j)    (Alg. 3)
  template <HostParticles<Real> P>
  void operator()(Step, P& particles, const Batches& batches) {
    const std::size_t dim = particles.dim();
    if constexpr (CoordinateKernel<K, Real>)
      precisions_(std::as_const(particles).position(), Threads::alone());
    for (std::size_t q = 0; q < batches.count(); ++q) {
      const auto members = batches[q];
      const auto pair = static_cast<Real>(batches.pair_weight(members.size()));
      const auto self = static_cast<Real>(batches.self_weight());
      for (const std::uint32_t i : members) {
        auto phi = particles.drift()[i];
        for (std::size_t a = 0; a < dim; ++a)
          phi[a] = 0;
        for (const std::uint32_t j : members) {
          if (i == j && !has_self_term<K, Real>)
            continue; // F(x, x) is infinite: dropped
          add(std::as_const(particles), i, j, i == j ? self : pair, phi);
        }
      }
    }
  }

private:
  // phi += c F(x, y),  F(x, y) = grad_y K(x, y) + K(x, y) s(y)
  template <typename P, typename Row>
  void add(const P& particles, std::size_t i, std::size_t j, Real c, const Row& phi) const {
    const auto x = particles.position()[i], y = particles.position()[j], s = particles.score()[j];
    Real r2 = 0, product = 0;
    for (std::size_t a = 0; a < x.size(); ++a) {
      const Real chord = domain_.chord(x[a] - y[a]);
      r2 += chord * chord;
      product += x[a] * y[a];
    }
    if constexpr (Kernel<K, Real>) {
      const PairWeights<Real> w =
          i == j ? self_weights(kernel_, product) : pair_weights(kernel_, r2, product);
      for (std::size_t a = 0; a < x.size(); ++a)
        phi[a] += c * (w.weight * s[a] + w.repulsion * domain_.pull(x[a] - y[a]) + w.lift * x[a]);
    }
    if constexpr (CoordinateKernel<K, Real>)
      for (std::size_t a = 0; a < x.size(); ++a) {
        const Real chord = domain_.chord(x[a] - y[a]), q = precisions_[a];
        const PairWeights<Real> w = kernel_.at_coordinate(chord * chord * q);
        phi[a] += c * (w.weight * s[a] + w.repulsion * q * domain_.pull(x[a] - y[a]));
      }
  }

  K kernel_;
  Domain domain_;
  Precisions<Real> precisions_; // where the kernel is one for each coordinate
};

} // namespace starling
