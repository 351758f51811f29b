// Separate modes: counted under clouds and around them, and not where there are none.
#include <starling/scout/modes.hpp>
#include <starling/scout/scout.hpp>

#include <starling/error.hpp>

#include "scout/blobs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

using namespace starling;
using namespace starling::scout;
using blobs::Blob;

std::vector<double> on_axis(std::size_t dim, double value) {
  std::vector<double> x(dim, 0);
  x[0] = value;
  return x;
}

std::size_t counted(const DensityOfRows& density, const Frame::Matrix& x, std::uint64_t seed,
                    bool has_density = true) {
  CountedDensity asked(density);
  ModeSearch search;
  search.has_density = has_density;
  search.seed = seed;
  return modes_of_cloud(rows_of(x), asked, false, search).size();
}

// With scores alone the log density is not to be looked at.
DensityOfRows scores_of(DensityOfRows density) {
  return [density](Rows<const double> x, Rows<double> s, std::span<double> l) {
    density(x, s, l);
    std::ranges::fill(l, 0.0);
  };
}

TEST(ModesUnder, CountsOneOfANormalInAnyDimension) {
  for (const std::size_t dim : {1, 2, 20})
    for (const std::size_t count : {256, 1000})
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const std::vector<Blob> one{{on_axis(dim, 3)}};
        EXPECT_EQ(counted(blobs::density(one), blobs::draws(one, count, seed), seed), 1u);
        EXPECT_EQ(
            counted(scores_of(blobs::density(one)), blobs::draws(one, count, seed), seed, false),
            1u);
      }
}

// Bent, narrowing, with heavy tails; and a narrow normal in a wide one, at one place and beside it.
TEST(ModesUnder, CountsOneOfShapesThatAreNoNormal) {
  const auto each = [](auto one) {
    return [one](Rows<const double> x, Rows<double> s, std::span<double> l) {
      for (std::size_t i = 0; i < x.count; ++i)
        l[i] = one(x[i], s[i]);
    };
  };
  const DensityOfRows banana = each([](std::span<const double> x, std::span<double> s) {
    const double off = x[1] + .5 * (x[0] * x[0] - 4);
    s[0] = -x[0] / 4 - off * x[0];
    s[1] = -off;
    return -x[0] * x[0] / 8 - .5 * off * off;
  });
  const DensityOfRows funnel = each([](std::span<const double> x, std::span<double> s) {
    const double narrow = std::exp(-x[0]);
    double sum = 0;
    for (std::size_t a = 1; a < 10; ++a) {
      sum += x[a] * x[a];
      s[a] = -x[a] * narrow;
    }
    s[0] = -x[0] / 9 + .5 * sum * narrow - 4.5;
    return -x[0] * x[0] / 18 - .5 * sum * narrow - 4.5 * x[0];
  });
  const DensityOfRows student = each([](std::span<const double> x, std::span<double> s) {
    double sum = 0;
    for (const double v : x)
      sum += v * v;
    for (std::size_t a = 0; a < x.size(); ++a)
      s[a] = -(5 + double(x.size())) / (5 + sum) * x[a];
    return -.5 * (5 + double(x.size())) * std::log1p(sum / 5);
  });
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Frame::Matrix bent = blobs::draws({{{0, 0}}}, 256, seed),
                  tube = blobs::draws({{on_axis(10, 0)}}, 256, seed);
    Frame::Matrix tails = blobs::draws({{on_axis(6, 0)}}, 256, seed);
    for (Eigen::Index i = 0; i < 256; ++i) {
      bent(i, 0) *= 2;
      bent(i, 1) -= .5 * (bent(i, 0) * bent(i, 0) - 4);
      tube(i, 0) *= 3;
      tube.row(i).tail(9) *= std::exp(.5 * tube(i, 0));
      tails.row(i) /= std::max(.1, std::abs(tails(i, 5))); // Cauchy
    }
    EXPECT_EQ(counted(banana, bent, seed), 1u);
    EXPECT_EQ(counted(funnel, tube, seed), 1u);
    EXPECT_EQ(counted(student, tails.leftCols(5), seed), 1u);
    for (const double beside : {0.0, 1.0}) {
      const std::vector<Blob> two{{on_axis(3, 0), 1, .5}, {on_axis(3, beside), .3, .5}};
      EXPECT_EQ(counted(blobs::density(two), blobs::draws(two, 256, seed), seed), 1u);
    }
  }
}

TEST(ModesUnder, FindsGroupsSixWidthsApart) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_EQ(
        counted(blobs::density(blobs::four(3)), blobs::draws(blobs::four(3), 256, seed), seed), 4u);
    EXPECT_EQ(counted(scores_of(blobs::density(blobs::four(3))),
                      blobs::draws(blobs::four(3), 256, seed), seed, false),
              4u);
    for (const std::size_t dim : {1, 2, 20}) {
      const std::vector<Blob> two{{on_axis(dim, -3), 1, .3}, {on_axis(dim, 3), 1, .7}};
      EXPECT_EQ(counted(blobs::density(two), blobs::draws(two, 256, seed), seed), 2u);
      const std::vector<Blob> near{{on_axis(dim, -1.5), 1, .3}, {on_axis(dim, 1.5), 1, .7}};
      EXPECT_EQ(counted(blobs::density(near), blobs::draws(near, 256, seed), seed),
                1u); // moves cross this dip
    }
  }
}

// A cloud in one of two modes 20 widths apart: the other has no particle, and is met from afar.
TEST(ModesUnder, MeetsAModeWithoutParticlesFromAfar) {
  const std::vector<Blob> two{{{-10, 0}, 1, .5}, {{10, 0}, 1, .5}};
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Frame::Matrix x = blobs::draws({two[0]}, 256, seed);
    CountedDensity asked(blobs::density(two));
    ModeSearch search;
    search.seed = seed;
    const std::vector<Mode> found = modes_of_cloud(rows_of(x), asked, true, search);
    ASSERT_EQ(found.size(), 2u);
    const std::vector<std::size_t> group = assign_to_modes(rows_of(x), found);
    EXPECT_EQ(std::ranges::count(group, group[0]), 256);
    EXPECT_EQ(counted(blobs::density(two), x, seed), 1u); // by its particles alone it is not
  }
}

TEST(ModesUnder, PassesOverAModeThatWeighsNothing) {
  const std::vector<Blob> two{{{-8, 0}, 1, 1}, {{8, 0}, 1, 1e-6}};
  Frame::Matrix x = blobs::draws({two[0]}, 256, 1);
  x.topRows(8) = blobs::draws({two[1]}, 8, 2);
  EXPECT_EQ(counted(blobs::density(two), x, 1), 1u);
}

TEST(ModesUnder, CostsLittleWhereThereIsOneGroup) {
  CountedDensity asked(blobs::density({{on_axis(20, 0)}}));
  modes_of_cloud(rows_of(blobs::draws({{on_axis(20, 0)}}, 1000, 1)), asked, false, {});
  EXPECT_LT(asked.gradients(), 300u);
}

TEST(SharedOut, GivesEachRowToItsGroupWhateverTheWidths) {
  const std::vector<Blob> two{{{0, 0}, 3, .8}, {{12, 0}, .5, .2}};
  const Frame::Matrix x = blobs::draws(two, 1000, 4);
  CountedDensity asked(blobs::density(two));
  const std::vector<Mode> found = modes_of_cloud(rows_of(x), asked, false, {});
  ASSERT_EQ(found.size(), 2u);
  const std::vector<std::size_t> group = assign_to_modes(rows_of(x), found);
  const auto first = std::size_t(std::ranges::count(group, group[0]));
  EXPECT_NEAR(double(first), 800, 4); // a few of the wide one lie as far out as the narrow one
}

TEST(Scout, TellsWhereTheModesAreAndHowWide) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CountedDensity asked(blobs::density(blobs::four(4)));
    const Report report = scout::scout(asked, 2, seed);
    ASSERT_EQ(report.found.size(), 4u);
    for (std::size_t k = 0; k < 4; ++k) { // heaviest first
      EXPECT_NEAR(std::exp(report.found[k].log_mass - report.found[0].log_mass),
                  (4 - double(k)) / 4, .01);
      for (const Eigen::Index a : {0, 1})
        EXPECT_NEAR(std::abs(report.found[k].x[a]), 4, 1e-2);
      EXPECT_NEAR(report.found[k].frame.log_determinant(), 0, 1e-2);
    }
  }
}

/// At the corners of a cube, 2^dim of them.
std::vector<Blob> corners(std::size_t dim) {
  std::vector<Blob> all;
  for (std::size_t k = 0; k < (std::size_t{1} << dim); ++k) {
    all.emplace_back();
    for (std::size_t a = 0; a < dim; ++a)
      all.back().mean.push_back(k >> a & 1 ? 6 : -6);
  }
  return all;
}

TEST(Scout, StopsCountingModesAndSaysSo) {
  for (const std::size_t dim : {6, 8}) {
    CountedDensity asked(blobs::density(corners(dim)));
    const Report report = scout::scout(asked, dim, 1, {});
    EXPECT_EQ(report.modes, ModeSearch().most) << dim;
    EXPECT_EQ(report.found.size(), ModeSearch().most);
    EXPECT_TRUE(report.stopped_counting);
    EXPECT_LT(asked.gradients(), 1'000'000u);
  }
  CountedDensity few(blobs::density(corners(3)));
  const Report report = scout::scout(few, 3, 1, {});
  EXPECT_EQ(report.modes, 8u);
  EXPECT_FALSE(report.stopped_counting);
}

std::string refusal_of(const DensityOfRows& density) {
  CountedDensity asked(density);
  try {
    scout::scout(asked, 2, 1, {});
  } catch (const TargetError& error) {
    return error.cause();
  }
  return "none";
}

TEST(Scout, RefusesADensityThatAnswersTheSamePointDifferently) {
  const auto normal = blobs::density({{{0, 0}}});
  const auto by_row = [&](Rows<const double> x, Rows<double> s, std::span<double> l) {
    normal(x, s, l);
    for (std::size_t i = 0; i < x.count; ++i)
      l[i] += double(i);
  };
  const auto by_call = [&, call = 0](Rows<const double> x, Rows<double> s,
                                     std::span<double> l) mutable {
    normal(x, s, l);
    ++call;
    for (double& value : l)
      value += .1 * call;
  };
  const auto rounded = [&](Rows<const double> x, Rows<double> s, std::span<double> l) {
    normal(x, s, l);
    for (std::size_t i = 0; i < x.count; ++i)
      l[i] += 1e-6 * double(i % 3); // as single numbers in another order
  };
  for (const DensityOfRows& density : {DensityOfRows(by_row), DensityOfRows(by_call)})
    EXPECT_NE(refusal_of(density).find(
                  "it gives different answers for the same point: the log density is "),
              std::string::npos);
  EXPECT_EQ(refusal_of(rounded), "none");
}

} // namespace
