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

template <typename Real, typename Algebra = PlainAlgebra<Real>>
Prediction predict(const LabelledData<Real>& data, Rows<const Real> x, Threads& threads) {
  constexpr std::size_t block = 512;
  const auto rows = static_cast<std::size_t>(data.features.rows());
  const auto weights = static_cast<std::size_t>(data.features.cols());
  std::vector<Prediction> parts((rows + block - 1) / block);
  threads.for_pieces(rows, block, [&](std::size_t begin, std::size_t end) {
    const std::size_t size = end - begin;
    std::vector<Real> share(x.count * size), none(size, Real(0));
    Algebra::logits(x.data, x.dim, x.count, data.features.row(Eigen::Index(begin)).data(), size,
                    weights, share.data());
    Algebra::residuals(share.data(), x.count, none.data(), size, Real(-1)); // sigmoid(z)
    std::vector<double> p(size, 0.0);
    for (std::size_t i = 0; i < x.count; ++i)
      for (std::size_t r = 0; r < size; ++r)
        p[r] += static_cast<double>(share[i * size + r]) / static_cast<double>(x.count);
    Prediction& part = parts[begin / block];
    for (std::size_t r = 0; r < size; ++r) {
      const bool positive = data.labels[Eigen::Index(begin + r)] > Real(0.5);
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

} // namespace starling
