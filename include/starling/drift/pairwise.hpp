// The drift on threads: batches gathered into contiguous rows, then all pairs of each.
#pragma once

#include <starling/domain.hpp>
#include <starling/drift/part.hpp>
#include <starling/drift/sweep.hpp>
#include <starling/ensemble.hpp>
#include <starling/kernel/concepts.hpp>

#include <utility>
#include <vector>

namespace starling {

/// One sweep of one kernel, which may be a term of a sum.
template <typename Real, Kernel<Real> K, typename Domain>
class PairwiseSweep {
  static_assert(!Domain::periodic || RadialKernel<K, Real>,
                "an inner product has no meaning on a torus: take a kernel of the distance");

public:
  PairwiseSweep(const K& kernel, const Domain& domain, Part<Real> part = {})
      : kernel_(kernel), domain_(domain), part_(part) {}

  template <HostParticles<Real> P>
  void operator()(P& particles, const Batches& batches, Threads& threads) const {
    const auto order = batches.order();
    const auto position = std::as_const(particles).position();
    const auto score = std::as_const(particles).score();
    const bool as_they_lie = batches.whole() && batches.count() == 1 &&
                             std::is_sorted(order.begin(), order.end()); // nothing to gather
    for_each_batch(threads, batches, [&](auto members, std::size_t first, std::size_t last) {
      Rows<const Real> x, s;
      if constexpr (PlainColumn<decltype(position), Real>)
        if (as_they_lie) {
          x = position;
          s = score;
        }
      if (x.data == nullptr) {
        thread_local std::vector<Real> scratch; // one per thread, kept from step to step
        scratch.resize(2 * members.size() * particles.dim());
        x = gather(position, members, scratch.data());
        s = gather(score, members, scratch.data() + x.size());
      }
      const Real pair = static_cast<Real>(batches.pair_weight(members.size())) * part_.weight;
      const Real self = static_cast<Real>(batches.self_weight()) * part_.weight;
      for (std::size_t i = first; i < last; ++i)
        sum_forces(x, s, i, pair, self, particles.drift()[members[i]]);
    });
  }

private:
  template <typename C>
  static Rows<const Real> gather(const C& from, std::span<const std::uint32_t> members, Real* to) {
    Real* next = to;
    for (const std::uint32_t i : members)
      next = copy_row(from[i], next);
    return {to, members.size(), from.dim};
  }

  // Cost: one kernel evaluation and about 8 d operations for each of the p - 1 others.
  template <typename Row>
  void sum_forces(Rows<const Real> x, Rows<const Real> s, std::size_t i, Real pair, Real self,
                  const Row& phi) const {
    const std::size_t dim = x.dim;
    const Real* xi = x[i].data();
    for (std::size_t a = 0; a < dim && !part_.added; ++a)
      phi[a] = 0;
    Real lift = 0;
    const auto add = [&](std::size_t j, Real c) {
      const Real *xj = x.data + j * dim, *sj = s.data + j * dim;
      Real r2 = 0, product = 0;
      for (std::size_t a = 0; a < dim; ++a) {
        if constexpr (uses_distance<K, Real>) {
          const Real chord = domain_.chord(xi[a] - xj[a]);
          r2 += chord * chord;
        }
        if constexpr (uses_product<K, Real>)
          product += xi[a] * xj[a];
      }
      const PairWeights<Real> w =
          i == j ? self_weights(kernel_, product) : pair_weights(kernel_, r2, product);
      const Real weight = c * w.weight, repulsion = c * w.repulsion;
      for (std::size_t a = 0; a < dim; ++a) {
        phi[a] += weight * sj[a];
        if constexpr (uses_distance<K, Real>)
          phi[a] += repulsion * domain_.pull(xi[a] - xj[a]);
      }
      lift += c * w.lift;
    };
    for (std::size_t j = 0; j < i; ++j)
      add(j, pair);
    if constexpr (has_self_term<K, Real>) // a singular kernel's F(x, x) is infinite: dropped
      add(i, self);
    for (std::size_t j = i + 1; j < x.count; ++j)
      add(j, pair);
    if constexpr (uses_product<K, Real>)
      for (std::size_t a = 0; a < dim; ++a)
        phi[a] += lift * xi[a];
  }

  const K& kernel_;
  const Domain& domain_;
  Part<Real> part_;
};

/// Equal to ReferenceDrift up to rounding, for any number of threads bit for bit the same.
template <typename Real, Kernel<Real> K, typename Domain = Euclid<Real>>
class PairwiseDrift {
public:
  explicit PairwiseDrift(K kernel, Threads& threads = Threads::alone(), Domain domain = {})
      : kernel_(std::move(kernel)), threads_(&threads), domain_(domain) {}

  K& kernel() { return kernel_; }

  template <HostParticles<Real> P>
  void operator()(Step, P& particles, const Batches& batches) {
    PairwiseSweep<Real, K, Domain>(kernel_, domain_)(particles, batches, *threads_);
  }

private:
  K kernel_;
  Threads* threads_;
  Domain domain_;
};

} // namespace starling
