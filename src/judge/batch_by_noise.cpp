// Which batch size the looks ask for.
#include <starling/judge/batch_by_noise.hpp>

#include <algorithm>
#include <cmath>

namespace starling::judge {

namespace {

/// What is left of the variance of a batch of p: 1/(p-1) - 1/(N-1).
double left_over(std::size_t batch, std::size_t population) {
  return 1 / (static_cast<double>(batch) - 1) - 1 / (static_cast<double>(population) - 1);
}

struct Measured {
  double variance = 0; ///< V of Lemma 1, for a batch of any size
  double drift = 0;    ///< square of the mean
};

/// drift^2 = mean^2 + variance, and noise^2 = variance / mean^2; NaN: no mean to be seen.
Measured of(const TraceRow& row, std::size_t population) {
  const double square = row.drift * row.drift, ratio = row.noise * row.noise;
  const double mean = std::isnan(ratio) ? 0 : square / (1 + ratio);
  return {(square - mean) / left_over(row.batch, population), mean};
}

} // namespace

std::size_t batch_by_noise(const std::vector<TraceRow>& trace, std::size_t first,
                           std::size_t population) {
  const std::size_t most = std::max(first, population / largest_batch_part);
  std::size_t p = first;
  for (std::size_t at = 0; at < trace.size() && p < most; ++at) {
    Measured sum;
    for (std::size_t back = 0; back < batch_noise_looks && back <= at; ++back)
      if (const TraceRow& row = trace[at - back];
          row.batch < population && std::isfinite(row.drift)) {
        const Measured one = of(row, population);
        sum.variance += one.variance;
        sum.drift += one.drift;
      }
    // V left_over(p) <= share^2 drift^2
    if (sum.variance * left_over(p, population) > batch_noise_share * batch_noise_share * sum.drift)
      p = std::min(2 * p, most);
  }
  return p;
}

} // namespace starling::judge
