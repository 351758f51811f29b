// The batch size that looks ask for: a pure function of them, by Lemma 1.
#include <starling/judge/batch_by_noise.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace starling::judge {
namespace {

/// A look at batches of p whose noise is `ratio` times the mean drift, which is 1.
TraceRow seen(Step step, std::size_t p, double ratio) {
  TraceRow row;
  row.step = step;
  row.batch = p;
  row.noise = ratio;
  row.drift = std::sqrt(1 + ratio * ratio);
  return row;
}

TEST(BatchByNoise, StaysWhileTheDriftIsLargerAndDoublesWhileTheNoiseIs) {
  EXPECT_EQ(batch_by_noise({}, 2, 256), 2u);
  EXPECT_EQ(batch_by_noise({seen(0, 2, 0.9 * batch_noise_share)}, 2, 256), 2u);
  EXPECT_EQ(batch_by_noise({seen(0, 2, 1.1 * batch_noise_share)}, 2, 256), 4u);
}

// Of pairs the noise is V (1 - 1/(N-1)); batches of p have V (1/(p-1) - 1/(N-1)).
TEST(BatchByNoise, StopsWhereLemma1SaysThatItIsEnough) {
  const double n = 1001,
               ratio = 3.5 * batch_noise_share; // enough at 1/(p-1) = 1/12.25 + 1/1000: p = 13.1
  std::vector<TraceRow> trace;
  std::size_t p = 2;
  for (Step k = 0; k < 20; ++k) {
    const double left = (1 / (double(p) - 1) - 1 / (n - 1)) / (1 - 1 / (n - 1));
    trace.push_back(seen(k, p, ratio * std::sqrt(left)));
    p = batch_by_noise(trace, 2, 1001);
  }
  EXPECT_EQ(p, 16u);
}

TEST(BatchByNoise, TakesADriftThatIsLostForNoneAndStopsAtAQuarter) {
  std::vector<TraceRow> trace;
  std::size_t p = 2;
  for (Step k = 0; k < 20; ++k) {
    trace.push_back(seen(k, p, 1));
    trace.back().noise = NAN;
    p = batch_by_noise(trace, 2, 100);
  }
  EXPECT_EQ(p, 25u);
}

TEST(BatchByNoise, NeverShrinks) {
  std::vector<TraceRow> trace = {seen(0, 2, 100), seen(1, 4, 100), seen(2, 8, 100)};
  const std::size_t grown = batch_by_noise(trace, 2, 1000);
  EXPECT_EQ(grown, 16u);
  for (Step k = 3; k < 12; ++k)
    trace.push_back(seen(k, 16, 0.01));
  const std::size_t at = batch_by_noise(trace, 2, 1000);
  EXPECT_LE(at, 16u << (batch_noise_looks - 1)); // the looks before are forgotten after a few
  trace.push_back(seen(20, at, 0.01));
  EXPECT_EQ(batch_by_noise(trace, 2, 1000), at);
}

} // namespace
} // namespace starling::judge
