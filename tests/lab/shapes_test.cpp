// The shapes that verdicts are tried on: gradients against differences, draws against the moments
// that are stated, and that a stated moment that is wrong would be seen.
#include "shapes.hpp"
#include "truth.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace starling::tool {
namespace {

constexpr std::size_t many = 4000;

/// The largest error of the gradient at a few draws: against the differences, in its own size.
double gradient_error(const Shape& shape, double factor = 1) {
  const std::size_t d = shape.dim();
  const Shape normal = independent("", std::vector<Law>(d, normal_law(0, 1)));
  const std::vector<double> x = draws_of(shape.proper() ? shape : normal, 5, 3);
  double worst = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    std::vector<double> at(x.begin() + std::ptrdiff_t(i * d),
                           x.begin() + std::ptrdiff_t((i + 1) * d)),
        score(d), unused(d);
    shape.density(at, score);
    const double size =
        std::sqrt(std::inner_product(score.begin(), score.end(), score.begin(), 0.0));
    for (std::size_t a = 0; a < d; ++a) {
      const double x_a = at[a], step = 1e-5 * std::min(1.0, 1 / (size + 1e-3));
      at[a] = x_a + step;
      const double above = shape.density(at, unused);
      at[a] = x_a - step;
      const double below = shape.density(at, unused);
      at[a] = x_a;
      if (std::isfinite(above) && std::isfinite(below)) // else at the end of a hard box
        worst = std::max(worst,
                         std::abs((above - below) / (2 * step) - factor * score[a]) / (1 + size));
    }
  }
  return worst;
}

/// How many standard errors the draws' mean and sd are off, at most.
double moment_error(const Shape& shape) {
  const std::size_t d = shape.dim();
  const std::vector<double> x = draws_of(shape, many, 4);
  double worst = 0;
  for (std::size_t a = 0; a < d; ++a) {
    if (shape.heavy[a] || !std::isfinite(shape.sd[a]))
      continue;
    double mean = 0, square = 0, fourth = 0;
    for (std::size_t i = 0; i < many; ++i)
      mean += x[i * d + a] / double(many);
    for (std::size_t i = 0; i < many; ++i) {
      const double off = x[i * d + a] - mean;
      square += off * off / double(many - 1);
      fourth += off * off * off * off / double(many);
    }
    const double sd = std::sqrt(square), n = double(many);
    worst = std::max(worst, std::abs(mean - shape.mean[a]) / (sd / std::sqrt(n)));
    worst = std::max(worst, std::abs(sd - shape.sd[a]) /
                                (sd * std::sqrt((fourth / (square * square) - 1) / (4 * n))));
  }
  return worst;
}

TEST(Shapes, AreManyOfDifferentNames) {
  std::set<std::string> names;
  for (const Shape& shape : all_shapes())
    names.insert(shape.name);
  EXPECT_GE(names.size(), 60u);
  EXPECT_EQ(names.size(), all_shapes().size());
  for (const char* few : few_shapes)
    EXPECT_TRUE(names.contains(few)) << few;
}

TEST(Shapes, HaveTheGradientsOfTheirDensities) {
  for (const Shape& shape : all_shapes())
    EXPECT_LT(gradient_error(shape), 1e-4) << shape.name;
}

TEST(Shapes, DrawWhatTheyState) {
  for (const Shape& shape : all_shapes())
    if (shape.proper()) {
      EXPECT_LT(moment_error(shape), 5) << shape.name;
    }
}

TEST(Shapes, WouldShowAWrongGradientAndAWrongMoment) {
  const std::vector<Shape> shapes = all_shapes();
  EXPECT_GT(gradient_error(shapes[0], 1.01), 1e-4);
  Shape wide = shapes[0], off = shapes[0];
  wide.sd[3] *= 1.1;
  EXPECT_GT(moment_error(wide), 5);
  off.mean[7] += 0.12;
  EXPECT_GT(moment_error(off), 5);
}

TEST(Shapes, OfOneKindStandInBothHalves) {
  const std::vector<Shape> shapes = all_shapes();
  for (const char* kind : {"normal,", "Student", "banana", "funnel", "cross", "box", "spike",
                           "mode", "cut", "improper"}) {
    std::size_t seen = 0, held_back = 0;
    for (std::size_t k = 0; k < shapes.size(); ++k)
      if (shapes[k].name.find(kind) != std::string::npos)
        ++(is_seen(k) ? seen : held_back);
    EXPECT_GT(seen, 0u) << kind;
    EXPECT_GT(held_back, 0u) << kind;
  }
}

TEST(Truth, CallsExactDrawsRightAndEachKindOfWrongWrong) {
  const Shape shape = all_shapes()[2]; // correlated
  const Truth truth(shape, 4000);
  EXPECT_FALSE(truth.of(draws_of(shape, 1000, 9)).wrong());
  for (const std::string kind : wrong_kinds)
    if (kind != "polished too long" && kind != "one group dropped") {
      EXPECT_TRUE(truth.of(wrong_cloud(shape, kind, 1000, 9)).wrong()) << kind;
    }
  EXPECT_TRUE(wrong_cloud(shape, "one group dropped", 1000, 9).empty());
}

TEST(Truth, HoldsBoundsAgainstWhatTheCloudIs) {
  const Shape shape = independent("", {normal_law(0, 1)});
  const Truth truth(shape, 4000);
  std::vector<double> cloud = draws_of(shape, 1000, 9);
  judge::Judgement said{judge::Verdict::converged,
                        judge::evidence::MovesConfirm{20, 0, 0.15, 0.3, {}}};
  EXPECT_EQ(truth.bounds_hold(said, cloud, {"x"}), true);
  for (double& v : cloud)
    v += 0.3;
  EXPECT_EQ(truth.bounds_hold(said, cloud, {"x"}), false);
  said.verdict = judge::Verdict::cannot_tell;
  EXPECT_EQ(truth.bounds_hold(said, cloud, {"x"}), std::nullopt);
}

TEST(KolmogorovSmirnov, IsTheLargestDifference) {
  const std::vector<double> two = {0, 1};
  EXPECT_DOUBLE_EQ(kolmogorov_smirnov({0.5, 0.6, 0.7, 2}, two), 0.5);
  EXPECT_DOUBLE_EQ(kolmogorov_smirnov({0, 1}, two), 0);
  EXPECT_DOUBLE_EQ(kolmogorov_smirnov({5, 6}, two), 1);
  EXPECT_TRUE(std::isnan(kolmogorov_smirnov({NAN, 1}, two)));
}

} // namespace
} // namespace starling::tool
