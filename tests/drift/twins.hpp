// A fast drift against its slow twin, with a bound derived from the sizes of the terms.
#pragma once

#include <starling/batches.hpp>
#include <starling/domain.hpp>
#include <starling/drift/pairwise.hpp>
#include <starling/drift/reference.hpp>
#include <starling/ensemble.hpp>
#include <starling/random/start.hpp>
#include <starling/threads.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace drift_tests {

using namespace starling;

template <typename Real>
Ensemble<Real> cloud(std::size_t count, std::size_t dim) {
  Ensemble<Real> particles(count, dim);
  start_normal(particles.position(), 1, 0.2, 1.0);
  start_normal(particles.score(), 2, -0.1, 1.5);
  return particles;
}

/// Everyone in one batch, in an order that is not the one they lie in.
inline Batches whole_in_another_order(std::size_t count) {
  Batches batches;
  batches.population = count;
  auto order = batches.lay_out(count, 1);
  for (std::size_t n = 0; n < count; ++n)
    order[n] = static_cast<std::uint32_t>(count - 1 - n);
  std::swap(order[0], order[count / 2]);
  return batches;
}

/// For each dealt coordinate: eps (number of operations in its sum) (sum of its terms without their
/// signs). A term is c (weight s_j + repulsion (x_i - x_j) + lift x_i): three per member, each good
/// to a few eps; r2 and x.y are sums of d, which both twins take in the same order.
template <typename Real, typename K, typename Domain>
std::vector<double> bound(const Ensemble<Real>& particles, const Batches& batches, const K& kernel,
                          const Domain& domain) {
  const std::size_t dim = particles.dim();
  std::vector<double> bounds(particles.count() * dim);
  const auto x = particles.position(), s = particles.score();
  for (std::size_t q = 0; q < batches.count(); ++q)
    for (const std::uint32_t i : batches[q])
      for (const std::uint32_t j : batches[q]) {
        if (i == j && !has_self_term<K, Real>)
          continue;
        Real r2 = 0, product = 0;
        for (std::size_t a = 0; a < dim; ++a) {
          r2 += domain.chord(x[i][a] - x[j][a]) * domain.chord(x[i][a] - x[j][a]);
          product += x[i][a] * x[j][a];
        }
        const auto w =
            i == j ? self_weights<Real>(kernel, product) : pair_weights<Real>(kernel, r2, product);
        const double c = i == j ? batches.self_weight() : batches.pair_weight(batches[q].size());
        const double operations = 3.0 * double(batches[q].size()) + double(dim) + 8;
        for (std::size_t a = 0; a < dim; ++a)
          bounds[i * dim + a] += std::numeric_limits<Real>::epsilon() * operations * c *
                                 (std::abs(double(w.weight) * s[j][a]) +
                                  std::abs(double(w.repulsion) * domain.pull(x[i][a] - x[j][a])) +
                                  std::abs(double(w.lift) * x[i][a]));
      }
  return bounds;
}

/// How far two drifts are apart, in units of the bound: at most 1 when they are equal to rounding.
template <typename Real>
double apart(const Ensemble<Real>& one, const Ensemble<Real>& other,
             const std::vector<double>& bounds) {
  double worst = 0;
  for (std::size_t n = 0; n < bounds.size(); ++n) {
    const double gap = std::abs(double(one.drift().data[n]) - double(other.drift().data[n]));
    if (!(gap <= worst * bounds[n])) // also where it is not a number
      worst = bounds[n] > 0 && std::isfinite(gap) ? gap / bounds[n] : INFINITY;
  }
  return worst;
}

/// The gap between the fast drift on `crew` and the slow one, in units of the bound.
template <typename Real, typename K, typename Domain = Euclid<Real>>
double twin_gap(const K& kernel, std::size_t count, std::size_t dim, const Batches& batches,
                Threads& crew, Domain domain = {}) {
  auto fast = cloud<Real>(count, dim), slow = cloud<Real>(count, dim);
  for (auto* particles : {&fast, &slow}) // who is not dealt keeps what he has
    std::fill(particles->drift().begin(), particles->drift().end(), Real(5));
  PairwiseDrift<Real, K, Domain>(kernel, crew, domain)(0, fast, batches);
  ReferenceDrift<Real, K, Domain>(kernel, domain)(0, slow, batches);
  return apart(fast, slow, bound(std::as_const(slow), batches, kernel, domain));
}

} // namespace drift_tests
