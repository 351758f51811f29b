// Weights of scaled columns as weights of the columns as the table has them.
#pragma once

#include <starling/run/roles.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace starling::assemble {

/// What was done to each feature before it was used: (value - shift) * factor.
struct ColumnScales {
  std::vector<double> shift, factor;

  /// Whether features are used as they are.
  bool none() const {
    return std::ranges::all_of(shift, [](double s) { return s == 0; }) &&
           std::ranges::all_of(factor, [](double f) { return f == 1; });
  }
};

/// Lets the draws be in the table's units: a weight is w' = w * factor, the intercept that goes
/// with these b' = b - sum of w' * shift. A position is `blocks` times (weights, intercept), then
/// numbers that stay as they are. Positions keep their meaning, and are named "... (scaled)".
template <typename Real>
void in_user_units(run::AnyTarget<Real>& any, std::size_t blocks, const ColumnScales& scales) {
  if (scales.none())
    return;
  const std::size_t width = scales.factor.size() + 1;
  const auto names = std::make_shared<const std::vector<std::string>>(any.names);
  for (std::size_t a = 0; a < blocks * width; ++a)
    any.names[a] += " (scaled)";
  any.constrain = [names, blocks, width, scales](Rows<const Real> x) {
    run::Constrained made{*names, {x.begin(), x.end()}};
    for (std::size_t i = 0; i < x.count; ++i)
      for (std::size_t b = 0; b < blocks; ++b) {
        double* const weights = made.values.data() + i * x.dim + b * width;
        for (std::size_t a = 0; a + 1 < width; ++a) {
          weights[a] *= scales.factor[a];
          weights[width - 1] -= weights[a] * scales.shift[a];
        }
      }
    return made;
  };
}

} // namespace starling::assemble
