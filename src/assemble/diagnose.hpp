// What the cloud at the end is worth: a summary per parameter, and a verdict in plain words.
#pragma once

#include <starling/observe/stein.hpp>
#include <starling/rows.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace starling::assemble {

struct ParameterSummary {
  std::string name;
  double mean = 0, sd = 0, q05 = 0, q50 = 0, q95 = 0;
  double spread_identity = 0; ///< 1 when the spread is right; NaN where it has no meaning
  double shift = 0;           ///< mean score times sd: how many sd the mean is off, for a normal
};

struct Diagnosis {
  std::vector<ParameterSummary> parameters;
  Discrepancy ksd;
  std::string verdict;  ///< converged, still moving, collapsed or noisy
  std::string sentence; ///< the same in a sentence, with the parameter that says so
};

/// From positions and the exact scores there. `periodic`: on a torus the spread identity does not
/// hold and is left out.
Diagnosis diagnose(Rows<const double> x, Rows<const double> score,
                   const std::vector<std::string>& names, std::uint64_t seed, bool periodic);

/// Mean, sd and quantiles alone, for draws that come without scores.
ParameterSummary summarize(std::string name, std::vector<double> values);

} // namespace starling::assemble
