// Straight lines through logarithms of means, and distances between laws on a circle.
#pragma once

#include <vector>

namespace starling::reproduce {

/// For each abscissa the values of all repeats; repeat r belongs together across abscissae.
using Repeats = std::vector<std::vector<double>>;

struct Fit {
  double slope = 0, slope_error = 0;
  std::vector<double> mean, error; ///< of each abscissa
};

/// The slope of log(mean) over log(x) by weighted least squares. Its error is the jackknife's over
/// repeats, which allows for what abscissae have in common.
Fit fit_log_log(const std::vector<double>& x, const Repeats& values);

/// W2 between two samples of equal size on a circle of that length.
double circle_w2(std::vector<double> x, std::vector<double> y, double length);

} // namespace starling::reproduce
