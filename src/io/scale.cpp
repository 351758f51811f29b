// Scales the features of a data set, each column by itself.
#include "io/dataset.hpp"
#include "io/errors.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace starling::io {

void scale(Dataset& data, Scaling scaling) {
  if (scaling == Scaling::none || data.rows == 0)
    return;
  const std::size_t columns = data.columns;
  const auto for_each_value = [&](auto&& visit) {
    double* value = data.features.data();
    for (std::size_t row = 0; row < data.rows; ++row)
      for (std::size_t column = 0; column < columns; ++column)
        visit(column, *value++);
  };

  std::vector<double> low(data.features.begin(),
                          data.features.begin() + static_cast<std::ptrdiff_t>(columns));
  std::vector<double> high = low;
  for_each_value([&](std::size_t column, double value) {
    low[column] = std::min(low[column], value);
    high[column] = std::max(high[column], value);
  });
  // Halves, because high - low itself may overflow.
  std::vector<std::string> constant;
  for (std::size_t column = 0; column < columns; ++column)
    if (!(high[column] / 2 - low[column] / 2 > 0))
      constant.push_back(data.names[column]);
  if (constant.size() == 1)
    throw BadData("column " + constant[0] + ": is constant; drop it or use --scale none");
  if (!constant.empty())
    throw BadData(fmt::format("columns {}: are constant; drop them or use --scale none",
                              fmt::join(constant, ", ")));

  // First to [0, 1] in either case: the sums and squares after it cannot overflow.
  for_each_value([&](std::size_t column, double& value) {
    value = (value / 2 - low[column] / 2) / (high[column] / 2 - low[column] / 2);
  });
  data.shift = low;
  data.factor.resize(columns);
  for (std::size_t column = 0; column < columns; ++column)
    data.factor[column] = .5 / (high[column] / 2 - low[column] / 2);
  if (scaling == Scaling::minmax)
    return;

  const auto n = static_cast<double>(data.rows);
  std::vector<double> mean(columns, 0.0);
  std::vector<double> deviation(columns, 0.0);
  for_each_value([&](std::size_t column, double value) { mean[column] += value / n; });
  for_each_value([&](std::size_t column, double value) {
    const double distance = value - mean[column];
    deviation[column] += distance * distance / n;
  });
  for (double& value : deviation)
    value = std::sqrt(value);
  for_each_value([&](std::size_t column, double& value) {
    value = (value - mean[column]) / deviation[column];
  });
  for (std::size_t column = 0; column < columns; ++column) {
    data.shift[column] += mean[column] / data.factor[column];
    data.factor[column] /= deviation[column];
  }
}

} // namespace starling::io
