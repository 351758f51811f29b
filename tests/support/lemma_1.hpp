// Lemma 1 by enumeration: the mean and the variance of a batch drift over all deals there are.
#pragma once

#include <starling/batches.hpp>
#include <starling/ensemble.hpp>
#include <starling/random/start.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

namespace starling::support {

using Vec = std::array<double, 2>;
using PairForceByHand = std::function<Vec(const Vec& x, const Vec& y)>; // F(x, y), written out

inline Vec score_at(const Vec& y) { return {std::sin(2 * y[0]) - y[1], 0.5 - y[0] * y[1]}; }

struct Deviation {
  double mean = 0;   // max |E Phi_i - (1/N) sum_j F_ij|
  double square = 0; // max |E |chi_i|^2 - what Lemma 1 says|
};

inline Ensemble<double> cloud(std::size_t n) {
  Ensemble<double> particles(n, 2);
  start_normal(particles.position(), 11, 0.3, 1);
  for (std::size_t i = 0; i < n; ++i) {
    const auto x = particles.position()[i];
    const Vec s = score_at({x[0], x[1]});
    particles.score()[i][0] = s[0];
    particles.score()[i][1] = s[1];
  }
  return particles;
}

/// Over `deals(visit)`, which shows every deal there is, each as likely as any other.
template <typename Drift, typename Deals>
Deviation deviation_from_lemma_1(std::size_t n, const PairForceByHand& force, Drift drift,
                                 const Deals& deals) {
  Ensemble<double> particles = cloud(n);
  const auto at = [&](std::size_t i) -> Vec {
    return {particles.position()[i][0], particles.position()[i][1]};
  };
  const auto count = static_cast<double>(n);

  std::vector<Vec> full(n, Vec{});
  std::vector<double> lambda(n); // (1/(N-2)) sum_{j != i} |F_ij - mean over j != i|^2
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t a = 0; a < 2; ++a) {
      double others = 0;
      for (std::size_t j = 0; j < n; ++j) {
        full[i][a] += force(at(i), at(j))[a] / count;
        others += j == i ? 0 : force(at(i), at(j))[a] / (count - 1);
      }
      for (std::size_t j = 0; j < n; ++j)
        if (j != i)
          lambda[i] += std::pow(force(at(i), at(j))[a] - others, 2) / (count - 2);
    }

  std::vector<Vec> mean(n, Vec{});
  std::vector<double> square(n);
  double orders = 0, share = 0;
  deals([&](const Batches& batches) {
    drift(0, particles, batches);
    ++orders;
    // (1 - 1/N)^2 (1/(p-1) - 1/(N-1)), averaged over the sizes of the batches one can be in.
    for (std::size_t q = 0; q < batches.count(); ++q) {
      const auto size = static_cast<double>(batches[q].size());
      share += size / count * std::pow(1 - 1 / count, 2) * (1 / (size - 1) - 1 / (count - 1));
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t a = 0; a < 2; ++a) {
        mean[i][a] += particles.drift()[i][a];
        square[i] += std::pow(particles.drift()[i][a] - full[i][a], 2);
      }
  });

  share /= orders;
  Deviation worst;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t a = 0; a < 2; ++a)
      worst.mean = std::max(worst.mean, std::abs(mean[i][a] / orders - full[i][a]));
    worst.square = std::max(worst.square, std::abs(square[i] / orders - share * lambda[i]));
  }
  return worst;
}

} // namespace starling::support
