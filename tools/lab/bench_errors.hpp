// How far draws are from reference draws of the same posterior.
#pragma once

#include <starling/run/flight.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace starling::tool {

/// A value for each draw of each parameter, by column, each sorted.
struct Columns {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;
};

/// Columns from rows of draws, in this order. Throws io::BadData that names `where` when a name is
/// not among those of the draws.
Columns columns_of(const std::vector<std::string>& wanted, const std::vector<std::string>& names,
                   const std::vector<double>& draws, const std::string& where);

/// The worst of all parameters, in sds of the reference. Draws that are not numbers make them NaN,
/// which never passes and counts as wrong.
struct Errors {
  double mean = 0;                ///< of means
  double sd_low = 1, sd_high = 1; ///< ratios of sds
  double quantile = 0;            ///< of quantiles from 2.5 to 97.5 %
  double share = 0;               ///< of columns that have no moments; see Errors::pass
  double w1 = 0; ///< distance of the marginals, the median over the parameters; NaN without draws
  double w1_ratio =
      0; ///< the same over that of as many independent draws; the median over the parameters
  double w1_ratio_worst = 0;            ///< and the worst of them
  std::string mean_of, sd_of, share_of; ///< the parameters that are worst

  /// Every mean within a tenth of an sd, every sd within a tenth. Where there are no moments, the
  /// rule of quantiles: the shares of draws below those of 5, 50 and 95 % within a twentieth. In
  /// shares, because far out in a heavy tail a quantile of 1000 independent draws is itself off by
  /// a large part of the width.
  bool pass() const { return mean <= 0.1 && sd_low >= 0.9 && sd_high <= 1.1 && share <= 0.05; }
  /// A mean off by a fifth of an sd, an sd by a quarter, or such a share by a tenth.
  bool wrong() const { return !(mean <= 0.2 && sd_low >= 0.75 && sd_high <= 1.25 && share <= 0.1); }
  bool has_w1() const { return !std::isnan(w1); }
};

struct Moments {
  double mean = 0, sd = 0;
};
Moments moments_of(const std::vector<double>& values);
double quantile_of(const std::vector<double>& sorted, double q);
/// Keeps NaN: a plain maximum would pass over it.
double larger(double a, double b);

/// For each parameter the distance, in its sd, of `count` independent draws: the mean over some
/// sets of draws of the reference, each against the rest of it, as draws from outside would be.
/// Empty where it has too few.
std::vector<double> independent_w1(const Columns& reference, std::size_t count);

Errors errors_of(const Columns& draws, const Columns& reference,
                 const std::vector<double>& independent = {});

/// Adds a parameter that has this mean error and this ratio of sds.
void take_worst(Errors& errors, const std::string& name, double mean, double ratio);

/// One run of one sampler.
struct Measured {
  Errors errors;
  std::string verdict; ///< its word; of a peer, that has none, its name
  double gradients = 0, seconds = 0;
  double seconds_of_model = 0; ///< in log densities and gradients; of a peer 0: nobody knows
  std::size_t modes = 1;
  std::string failure; ///< why it stopped, if it did
};

/// What a run in stages says of itself: verdict, modes, gradients of all stages.
void take_report(const run::Outcome& outcome, Measured& run);

/// A line of the table, and the same as JSON. The title is as wide as the names.
std::string table_title(const char* what, std::size_t width);
std::string table_row(const std::string& name, std::size_t width, std::uint64_t seed,
                      std::uint64_t steps, const Measured& run);
nlohmann::ordered_json to_json(const std::string& name, std::uint64_t seed, std::uint64_t steps,
                               const Measured& run);

/// Verdicts against the truth.
struct Tally {
  std::size_t runs = 0, passes = 0, wrong = 0, wrong_converged = 0, right_not_converged = 0;
  std::vector<double> gradients, seconds, w1_ratios, quantiles;

  void add(const Measured& run);
  nlohmann::ordered_json json() const;
};

double median_of(std::vector<double> values);

} // namespace starling::tool
