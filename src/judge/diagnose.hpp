// What a cloud is worth: a summary per parameter, and a verdict in plain words.
#pragma once

#include "judge/trace.hpp"

#include <starling/observe/balance.hpp>
#include <starling/observe/stein.hpp>
#include <starling/rows.hpp>

#include <cmath>
#include <cstdint>
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
};

/// A word and a sentence that says why.
struct Verdict {
  std::string word;     ///< converged, still moving, collapsed, noisy or diverged
  std::string sentence; ///< names the parameter that decided, and what to do
};

/// From the balance of the scores of `count` particles, and where the trace so far is going.
Verdict judge(const std::vector<Balance>& parameters, std::size_t count,
              const std::vector<std::string>& names, bool periodic,
              const std::vector<TraceRow>& trace);

struct Diagnosis {
  std::vector<ParameterSummary> parameters;
  Discrepancy ksd, ksd_gaussian; ///< squared; of the inverse multiquadric, of the Gaussian
  std::string verdict, sentence; ///< as in Verdict
};

/// From positions, the exact scores there and the log density of each particle, which is not finite
/// where the target failed (NaN for all: it has scores alone). `periodic`: on a torus neither the
/// spread identity nor the discrepancy holds, and both are left out. The trace may be empty.
Diagnosis diagnose(Rows<const double> x, Rows<const double> score,
                   std::span<const double> log_density, const std::vector<std::string>& names,
                   std::uint64_t seed, bool periodic, const std::vector<TraceRow>& trace);

/// A sentence that names the parameters whose spread rests on a few particles far out, and can be
/// that of strays; empty if there are none.
std::string strays(const std::vector<ParameterSummary>& parameters, std::size_t count);

/// Of a run that left the numbers, and why: there is nothing to summarise.
Diagnosis diverged(const std::string& why);

/// Mean, sd and quantiles alone, for draws that come without scores.
ParameterSummary summarize(std::string name, std::vector<double> values);

} // namespace starling::judge
