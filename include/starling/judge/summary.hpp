// A parameter's draws in a few figures: mean, sd, quantiles, and what to beware of.
#pragma once

#include <starling/rows.hpp>
#include <starling/threads.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace starling::judge {

struct ParameterSummary {
  std::string name;
  double mean = 0, sd = 0, q05 = 0, q50 = 0, q95 = 0;
  double spread_identity = 0; ///< 1 when the spread is right; NaN where it has no meaning
  double shift = 0;           ///< mean score times sd: how many sd the mean is off, for a normal
  double r_hat = NAN;         ///< between runs; NaN where there is one only
  double outer_share = 0;     ///< of the variance, that of the outermost hundredth of the particles
  bool heavy = false;         ///< its tail is too heavy for mean and sd: see heavy_tailed
  std::size_t left_out = 0;   ///< values that are not numbers: no figure here counts them
  double identity_se = NAN;   ///< of the spread identity, as for as many independent draws
};

/// Mean, sd and quantiles alone, for draws that come without scores. NaN are counted and left out;
/// where nothing else is there, every figure is NaN.
ParameterSummary summarize(std::string name, std::vector<double> values);

/// The same of every column of a table, whose rows all threads share: to the last bit the figures
/// that each column alone has.
std::vector<ParameterSummary> summarize(std::span<const std::string> names,
                                        Rows<const double> table,
                                        Threads& threads = Threads::alone());

/// The same of draws that count unequally: each figure is that of the weighted draws. Weights are
/// at least 0 and have the sum 1. A quantile is the least value at which the weights up to it reach
/// it.
ParameterSummary summarize(std::string name, std::span<const double> values,
                           std::span<const double> weights);

/// A sentence that names the parameters whose spread rests on a few particles far out, and can be
/// that of strays; empty if there are none.
std::string outlier_warning(const std::vector<ParameterSummary>& parameters, std::size_t count);

/// A sentence that says how many values of which parameters are not numbers; empty if all are.
std::string missing_values_warning(const std::vector<ParameterSummary>& parameters);

} // namespace starling::judge
