// The trace of a run: what was seen of the cloud at each look.
#pragma once

#include <starling/error.hpp>
#include <starling/judge/verdict.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace starling::judge {

/// One look at the cloud: positions, scores and drift as they are before the move of a step. What
/// is not known is NaN.
struct TraceRow {
  Step step = 0;                   ///< steps done
  double sweeps = 0;               ///< the same in sweeps over all particles
  double seconds = 0;              ///< since the start of the run
  std::size_t batch = 0;           ///< particles in the largest batch
  double drift = NAN, score = NAN; ///< root mean squares over the particles dealt
  double spread = NAN;             ///< root mean square of the standard deviations
  double centre =
      NAN; ///< sum of the means / sqrt(d): its moves show those of the cloud (NaN on a torus)
  double noise = NAN; ///< rms of the random part of the drift (Lemma 1) / rms of its mean
  double ksd = NAN, ksd_se = NAN; ///< squared, over pairs of these batches: inverse multiquadric
  double ksd_gaussian = NAN, ksd_gaussian_se = NAN; ///< the same with the Gaussian kernel
  double least_identity = NAN, most_identity = NAN; ///< of spread, over the parameters
  double shift = NAN;                               ///< the largest |mean score * sd|
  std::optional<Verdict> verdict; ///< as of this look; none when not everyone was dealt
};

/// Calls visit(name, field) for every column in order, for trace.csv and for checkpoints.
template <typename Row, typename Visit>
void for_each_column(Row& row, Visit&& visit) {
  visit("step", row.step);
  visit("sweeps", row.sweeps);
  visit("seconds", row.seconds);
  visit("batch", row.batch);
  visit("drift", row.drift);
  visit("score", row.score);
  visit("spread", row.spread);
  visit("centre", row.centre);
  visit("noise", row.noise);
  visit("ksd", row.ksd);
  visit("ksd_se", row.ksd_se);
  visit("ksd_gaussian", row.ksd_gaussian);
  visit("ksd_gaussian_se", row.ksd_gaussian_se);
  visit("least_identity", row.least_identity);
  visit("most_identity", row.most_identity);
  visit("shift", row.shift);
  visit("verdict", row.verdict);
}

/// Header and rows; NaN is an empty cell.
std::string trace_csv(const std::vector<TraceRow>& trace);

/// Where a figure is going: its mean over the last quarter of the looks less that over the quarter
/// before, and how much it scatters within the last.
struct Trend {
  double change = 0, scatter = 0;
  /// By more than that, and more than looks scatter. (Within a quarter of a straight line the
  /// standard deviation is change / sqrt(12), so a steady move is always clear.)
  bool beyond(double tolerance) const {
    return std::abs(change) > std::max(tolerance, 2 * scatter);
  }
};

/// Of log spread, log score, and of the centre in units of the spread. Positions alone make the
/// first and the last, so they can be trusted where scores are noisy. Without eight looks: no
/// trend.
struct Trends {
  Trend spread, score, centre;
};
Trends trends(const std::vector<TraceRow>& trace);

/// The least change that counts as one, in spreads: a cloud that is wrong and changes by more the
/// right way is on its way, one that is right has not come to rest.
constexpr double least_trend = 0.02;

/// When to stop a run that goes on until converged: of at least twenty looks the last quarter, and
/// no fewer than eight, said so without exception, and neither place nor spread has a trend.
bool settled(const std::vector<TraceRow>& trace);

} // namespace starling::judge
