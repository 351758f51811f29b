// A run in stages holds little more than its cloud: bytes counted by a new of our own.
#include "alloc/counted_new.hpp"

#include <starling/run/fly.hpp>
#include <starling/run/staged.hpp>

#include <gtest/gtest.h>

#include <string>

namespace starling::run::stages_tests {
namespace {

constexpr std::size_t n = 200'000, d = 10, number = sizeof(double);
constexpr std::size_t columns = n * (2 * d + 2) * number; // positions, scores, densities, ids

// The cloud before the polish, and the outcome, are without scores of their own. With them, as in
// earlier builds, it was 2.3 times the columns.
TEST(RunInStages, TakesLessThanTwiceItsColumns) {
  Staged staged;
  staged.threads = std::make_shared<Threads>(1);
  staged.target.dim = d;
  for (std::size_t a = 0; a < d; ++a)
    staged.target.names.push_back("x" + std::to_string(a));
  staged.target.evaluate = [](Rows<const double> x, Rows<double> s, std::span<double> l) {
    for (std::size_t i = 0; i < x.count; ++i) {
      l[i] = 0;
      for (std::size_t a = 0; a < d; ++a) {
        s[i][a] = -x[i][a];
        l[i] -= .5 * x[i][a] * x[i][a];
      }
    }
  };
  staged.stages.polish_steps = 2;
  staged.stages.polish_together = 8192;
  Settings settings;
  settings.particles = n;
  const std::size_t before = bytes_now;
  bytes_at_most = before;
  const auto flight = begin(std::move(staged), settings);
  const Outcome o = fly(*flight);
  EXPECT_TRUE(o.diagnosis.judgement.converged());
  EXPECT_TRUE(o.stages->polished);
  EXPECT_EQ(o.positions.size(), n * d);
  EXPECT_LT(double(bytes_at_most - before) / columns, 2);
  EXPECT_GT(double(bytes_at_most - before) / columns, 1.5); // cloud and draws
}

} // namespace
} // namespace starling::run::stages_tests
