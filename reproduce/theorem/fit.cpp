// Straight lines through logarithms of means, and distances between laws on a circle.
#include "theorem/fit.hpp"

#include <algorithm>
#include <cmath>

namespace starling::reproduce {

namespace {

double slope_of(const std::vector<double>& x, const std::vector<double>& mean,
                const std::vector<double>& error) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (std::size_t e = 0; e < x.size(); ++e) {
    const double weight = std::pow(mean[e] / error[e], 2); // 1 / (error of the logarithm)^2
    const double a = std::log(x[e]), b = std::log(mean[e]);
    w += weight;
    wx += weight * a;
    wy += weight * b;
    wxx += weight * a * a;
    wxy += weight * a * b;
  }
  return (w * wxy - wx * wy) / (w * wxx - wx * wx);
}

} // namespace

Fit fit_log_log(const std::vector<double>& x, const Repeats& values) {
  Fit fit;
  const std::size_t repeats = values[0].size();
  const auto n = static_cast<double>(repeats);
  for (const auto& v : values) {
    double mean = 0, squares = 0;
    for (const double one : v)
      mean += one / n;
    for (const double one : v)
      squares += (one - mean) * (one - mean);
    fit.mean.push_back(mean);
    fit.error.push_back(std::sqrt(squares / (n - 1) / n));
  }
  fit.slope = slope_of(x, fit.mean, fit.error);
  double square = 0;
  for (std::size_t r = 0; r < repeats; ++r) {
    std::vector<double> without = fit.mean;
    for (std::size_t e = 0; e < x.size(); ++e)
      without[e] += (fit.mean[e] - values[e][r]) / (n - 1);
    square += std::pow(slope_of(x, without, fit.error) - fit.slope, 2);
  }
  fit.slope_error = std::sqrt((n - 1) / n * square);
  return fit;
}

// Sorted points are matched in order, from some point on round the circle; the cost is convex in
// that shift (y_{i+n} = y_i + length), so one walks downhill both ways.
double circle_w2(std::vector<double> x, std::vector<double> y, double length) {
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  const auto n = static_cast<long>(x.size());
  const auto cost = [&](long shift) {
    double sum = 0;
    for (long i = 0; i < n; ++i) {
      const long j = i + shift, turns = j >= 0 ? j / n : -((n - 1 - j) / n);
      sum +=
          std::pow(x[std::size_t(i)] - y[std::size_t(j - turns * n)] - double(turns) * length, 2);
    }
    return sum / static_cast<double>(n);
  };
  long best = 0;
  double least = cost(0);
  for (long step = std::max(1L, n / 2); step >= 1;) {
    const double ahead = cost(best + step), behind = cost(best - step);
    if (std::min(ahead, behind) >= least) {
      step /= 2;
    } else {
      best += ahead < behind ? step : -step;
      least = std::min(ahead, behind);
    }
  }
  return std::sqrt(least);
}

} // namespace starling::reproduce
