// R-hat: whether several runs agree on a parameter.
#pragma once

#include <span>
#include <vector>

namespace starling::judge {

/// The square root of the total variance over the variance within runs, one entry per run, all of
/// one length. This is Gelman and Rubin's plain form: particles of a cloud have no order in time,
/// so there are no halves of a chain to compare. Draws that are NaN are left out. Near 1 when the
/// runs agree; NaN for fewer than two runs or draws, and where nothing varies; infinite when the
/// runs differ but nothing varies within them.
double r_hat(std::span<const std::vector<double>> runs);

} // namespace starling::judge
