// What the paper says about accuracy on Covertype, and what is said of ours beside it.
#pragma once

#include "experiment.hpp"

#include <starling/random/philox.hpp>

#include <array>
#include <string>
#include <vector>

namespace starling::reproduce {

/// Steps after which the test accuracy is taken (Table 3).
inline constexpr std::array<Step, 6> checkpoints = {1000, 2000, 3000, 4000, 5000, 6000};

/// One start after the other, its accuracies at the checkpoints.
using Accuracies = std::vector<std::vector<double>>;

struct Spread {
  double mean = 0, sd = 0, error = 0; ///< error: of the mean
};
Spread spread_of(const std::vector<double>& values);

/// One batch size, or SVGD.
struct Row {
  std::size_t p = 0;
  bool svgd = false;
  std::vector<Spread> at; ///< a checkpoint each
};
Row row_of(std::size_t p, bool svgd, const Accuracies& all);
Json to_json(const Row& row);

std::vector<Claim> judge(const std::vector<Row>& rows, std::size_t particles);

} // namespace starling::reproduce
