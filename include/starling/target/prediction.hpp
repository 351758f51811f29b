// What a cloud of logistic regressions predicts together.
#pragma once

#include <starling/target/logistic_regression.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace starling {

/// p = mean over particles of sigmoid(w.f), as in SVGD's code, judged on labelled rows.
struct Prediction {
  double accuracy = 0;
  double log_likelihood = 0; ///< mean over rows of log p(label)
};

/// Logits of a block of rows, for all particles. A feature that is zero in the whole block is left
/// out: where a feature stands for a class, and rows of a class lie together, most of them are.
template <typename Real, typename Algebra>
void logits_of_block(const Real* features, std::size_t rows, std::size_t weights,
                     Rows<const Real> x, Real* logits) {
  thread_local std::vector<std::size_t> used;
  thread_local std::vector<Real> sizes, kept_features, kept_weights;
  sizes.assign(weights, Real(0));
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < weights; ++c)
      sizes[c] += std::abs(features[r * weights + c]);
  used.clear();
  for (std::size_t c = 0; c < weights; ++c)
    if (sizes[c] != 0) // also where it is not a number
      used.push_back(c);
  if (used.empty() || 2 * used.size() > weights) // no product to save, or too few zeros
    return Algebra::logits(x.data, x.dim, x.count, features, rows, weights, logits);
  const auto keep = [&](const Real* from, std::size_t count, std::size_t stride, auto& to) {
    to.resize(count * used.size());
    Real* next = to.data();
    for (std::size_t i = 0; i < count; ++i)
      for (const std::size_t c : used)
        *next++ = from[i * stride + c];
    return to.data();
  };
  const Real* w = keep(x.data, x.count, x.dim, kept_weights);
  const Real* f = keep(features, rows, weights, kept_features);
  Algebra::logits(w, used.size(), x.count, f, rows, used.size(), logits);
}

template <typename Real, typename Algebra = PlainAlgebra<Real>>
Prediction predict(const LabelledView<Real>& data, Rows<const Real> x, Threads& threads) {
  constexpr std::size_t block = 96; // its logits stay in the cache
  const std::size_t rows = data.rows, weights = data.weights;
  std::vector<Prediction> parts((rows + block - 1) / block);
  threads.for_pieces(rows, block, [&](std::size_t begin, std::size_t end) {
    const std::size_t size = end - begin;
    thread_local std::vector<Real> share, none, some;
    share.resize(x.count * size);
    none.assign(size, Real(0));
    logits_of_block<Real, Algebra>(data.features + begin * weights, size, weights, x, share.data());
    Algebra::residuals(share.data(), x.count, none.data(), size, Real(-1)); // sigmoid(z)
    // Sixteen particles at a time in Real, those sums in double: as exact, and many at once.
    std::vector<double> p(size, 0.0);
    for (std::size_t i = 0; i < x.count; i += 16) {
      some.assign(size, Real(0));
      for (std::size_t j = i; j < std::min(x.count, i + 16); ++j)
        for (std::size_t r = 0; r < size; ++r)
          some[r] += share[j * size + r];
      for (std::size_t r = 0; r < size; ++r)
        p[r] += static_cast<double>(some[r]);
    }
    for (double& mean : p)
      mean /= static_cast<double>(x.count);
    Prediction& part = parts[begin / block];
    for (std::size_t r = 0; r < size; ++r) {
      const bool positive = data.labels[begin + r] > Real(0.5);
      part.accuracy += (p[r] > 0.5) == positive;
      part.log_likelihood += std::log(std::max(positive ? p[r] : 1 - p[r], 1e-300));
    }
  });
  Prediction total;
  for (const Prediction& part : parts) { // in order, whoever finished first
    total.accuracy += part.accuracy / static_cast<double>(rows);
    total.log_likelihood += part.log_likelihood / static_cast<double>(rows);
  }
  return total;
}

template <typename Real, typename Algebra = PlainAlgebra<Real>>
Prediction predict(const LabelledData<Real>& data, Rows<const Real> x, Threads& threads) {
  return predict<Real, Algebra>(view_of(data), x, threads);
}

} // namespace starling
