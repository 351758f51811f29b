// R-hat: whether several runs agree on a parameter.
#include <starling/judge/rhat.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace starling::judge {

double r_hat(std::span<const std::vector<double>> given) {
  std::vector<std::vector<double>> runs(given.begin(), given.end());
  std::size_t least = runs.empty() ? 0 : runs[0].size();
  for (std::vector<double>& run : runs) {
    std::erase_if(run, [](double value) { return std::isnan(value); });
    least = std::min(least, run.size());
  }
  const auto k = static_cast<double>(runs.size());
  const auto n = static_cast<double>(least);
  if (k < 2 || n < 2)
    return std::numeric_limits<double>::quiet_NaN();
  const auto mean_of = [](std::span<const double> values) {
    double sum = 0;
    for (const double value : values)
      sum += value;
    return sum / static_cast<double>(values.size());
  };
  const auto variance_of = [&](std::span<const double> values) { // 1/(n-1) sum (x_i - mean)^2
    const double mean = mean_of(values);
    double sum = 0;
    for (const double value : values)
      sum += (value - mean) * (value - mean);
    return sum / (static_cast<double>(values.size()) - 1);
  };
  std::vector<double> means, variances;
  for (const std::vector<double>& run : runs) {
    means.push_back(mean_of(run));
    variances.push_back(variance_of(run));
  }
  const double within = mean_of(variances), between = variance_of(means);
  return std::sqrt((n - 1) / n + between / within); // sqrt(((n-1)/n W + B/n) / W)
}

} // namespace starling::judge
