// What a cloud of regressions says about rows that it has not seen.
#pragma once

#include "assemble/regression.hpp"

#include <starling/target/logistic_regression.hpp>
#include <starling/target/prediction.hpp>
#include <starling/threads.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace starling::assemble {

/// log(y!). std::lgamma writes a sign that all threads share.
inline double log_factorial(double y) {
  int sign = 0;
  return ::lgamma_r(y + 1, &sign);
}

/// Log probability of a response, with all its constants: u are the linear predictors, then the
/// family's own numbers.
inline double log_probability(RegressionKind kind, std::span<const double> u, double y) {
  switch (kind) {
  case RegressionKind::linear: {
    const double off = (y - u[0]) * std::exp(-u[1]);
    return -0.5 * off * off - u[1] - 0.91893853320467274; // log(2 pi) / 2
  }
  case RegressionKind::poisson:
    return y * u[0] - std::exp(u[0]) - log_factorial(y);
  case RegressionKind::logistic:
    return (y > 0.5 ? u[0] : 0) - (std::max(u[0], 0.0) + std::log1p(std::exp(-std::abs(u[0]))));
  case RegressionKind::multinomial:
    break;
  }
  double top = 0, total = 0; // the last class has 0
  for (const double z : u)
    top = std::max(top, z);
  total = std::exp(-top);
  for (const double z : u)
    total += std::exp(z - top);
  const auto c = static_cast<std::size_t>(y);
  return (c < u.size() ? u[c] : 0.0) - top - std::log(total);
}

/// The mean over rows of log(mean over particles of p(y)), and, of classes, how often the likeliest
/// is right; not a number where there are none. O(rows x particles x features).
inline Prediction held_out(RegressionKind kind, std::size_t classes,
                           const LabelledView<double>& test, Rows<const double> x,
                           Threads& threads) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  constexpr std::size_t together = 64;
  const bool of_classes = kind == RegressionKind::logistic || kind == RegressionKind::multinomial;
  const std::size_t predictors = kind == RegressionKind::multinomial ? classes - 1 : 1;
  const std::size_t own = kind == RegressionKind::linear ? 1 : 0;
  const std::size_t rows = test.rows;
  const auto n = Eigen::Index(x.count), width = Eigen::Index(test.weights);
  const Eigen::Map<const Matrix> positions(x.data, n, Eigen::Index(x.dim)),
      features(test.features, Eigen::Index(rows), width);
  std::vector<Prediction> parts((rows + together - 1) / together);
  threads.for_pieces(rows, together, [&](std::size_t begin, std::size_t end) {
    const auto some = features.middleRows(Eigen::Index(begin), Eigen::Index(end - begin));
    std::vector<Matrix> z;
    for (std::size_t c = 0; c < predictors; ++c)
      z.emplace_back(positions.middleCols(Eigen::Index(c) * width, width) * some.transpose());
    std::vector<double> u(predictors + own), log_p(x.count), share(classes);
    Prediction& part = parts[begin / together];
    for (std::size_t r = 0; r < end - begin; ++r) {
      const double y = test.labels[begin + r];
      double top = -std::numeric_limits<double>::infinity(), total = 0;
      share.assign(classes, 0.0);
      for (std::size_t i = 0; i < x.count; ++i) {
        for (std::size_t c = 0; c < predictors; ++c)
          u[c] = z[c](Eigen::Index(i), Eigen::Index(r));
        if (own > 0)
          u[predictors] = x[i][predictors * static_cast<std::size_t>(width)];
        log_p[i] = log_probability(kind, u, y);
        top = std::max(top, log_p[i]);
        for (std::size_t c = 0; of_classes && c < classes; ++c)
          share[c] += std::exp(log_probability(kind, u, double(c)));
      }
      for (const double one : log_p)
        total += std::exp(one - top);
      part.log_likelihood += top + std::log(total / static_cast<double>(x.count));
      const auto likeliest = std::ranges::max_element(share) - share.begin();
      part.accuracy += likeliest == static_cast<std::ptrdiff_t>(y);
    }
  });
  Prediction sum;
  for (const Prediction& part : parts) { // in order, whoever finished first
    sum.accuracy += part.accuracy / static_cast<double>(rows);
    sum.log_likelihood += part.log_likelihood / static_cast<double>(rows);
  }
  if (!of_classes)
    sum.accuracy = std::numeric_limits<double>::quiet_NaN();
  return sum;
}

} // namespace starling::assemble
