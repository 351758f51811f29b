// Bandwidth rules: fixed, the exact median over distinct pairs, the median of drawn pairs.
#include <starling/kernel/bandwidth.hpp>
#include <starling/random/start.hpp>
#include <starling/rows.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace starling;
using namespace starling::kernel;

struct Cloud {
  Cloud(std::size_t count, std::size_t dim)
      : numbers(count * dim), rows{numbers.data(), count, dim} {
    start_normal(rows, 17, 0.5, 2.0);
  }
  Rows<const double> view() const { return rows; }
  std::vector<double> numbers;
  Rows<double> rows;
};

std::vector<double> distances(Rows<const double> x, bool diagonal = false) {
  std::vector<double> all;
  for (std::size_t i = 0; i < x.count; ++i)
    for (std::size_t j = 0; j < x.count; ++j) {
      double r2 = 0;
      for (std::size_t a = 0; a < x.dim; ++a)
        r2 += std::pow(x[i][a] - x[j][a], 2);
      if (i < j || diagonal)
        all.push_back(std::sqrt(r2));
    }
  std::sort(all.begin(), all.end());
  return all;
}

double rule(const std::vector<double>& sorted, std::size_t population) {
  const std::size_t m = sorted.size();
  const double median = m % 2 ? sorted[m / 2] : (sorted[m / 2 - 1] + sorted[m / 2]) / 2;
  return median * median / (2 * std::log(static_cast<double>(population)));
}

TEST(FixedBandwidth, IsTheSameAtEveryStep) {
  const Cloud cloud(5, 2);
  const FixedBandwidth<double> fixed(0.35);
  EXPECT_EQ(fixed(0, cloud.view()), 0.35);
  EXPECT_EQ(fixed(9, cloud.view()), 0.35);
}

// 3, 6, 7 particles make 3, 15, 21 pairs; 4, 8, 9 make 6, 28, 36: odd and even counts.
TEST(MedianBandwidth, IsTheMedianOverDistinctPairs) {
  for (const std::size_t n : {2u, 3u, 4u, 6u, 7u, 8u, 9u, 50u})
    for (const std::size_t dim : {1u, 3u}) {
      const Cloud cloud(n, dim);
      const double expected = rule(distances(cloud.view()), n);
      EXPECT_NEAR(MedianBandwidth<double>{}(0, cloud.view()), expected, 1e-14 * expected)
          << "n = " << n << ", dim = " << dim;
    }
}

// Many dimensions go by matrix products, in blocks of 128 rows. A sum of d products rounds to d eps
// of |x|^2 + |y|^2 <= r2 + 2 |x||y|, which about the mean is of the size of the median r2 itself.
TEST(MedianBandwidth, IsTheSameByProductsInManyDimensions) {
  for (const std::size_t n : {2u, 9u, 128u, 129u, 300u})
    for (const std::size_t dim : {8u, 9u, 56u}) {
      const Cloud cloud(n, dim);
      const double expected = rule(distances(cloud.view()), n);
      const double bound = 8 * static_cast<double>(dim) * 2.3e-16;
      EXPECT_NEAR(MedianBandwidth<double>{}(0, cloud.view()), expected, bound * expected)
          << "n = " << n << ", dim = " << dim;
    }
}

TEST(MedianBandwidth, DoesNotCancelFarFromTheOrigin) {
  Cloud cloud(40, 20);
  for (double& x : cloud.numbers)
    x += 1e8;
  const double expected = rule(distances(cloud.view()), 40);
  EXPECT_NEAR(MedianBandwidth<double>{}(0, cloud.view()), expected, 1e-12 * expected);
}

// It looks near the last median first: a cloud that creeps is found there, one that leaps is not.
TEST(MedianBandwidth, FollowsACloudThatCreepsAndOneThatLeaps) {
  for (const std::size_t n : {20u, 22u}) // an even and an odd count of pairs
    for (const double factor : {1.0, 1.001, 0.995, 1.0099, 1.5, 0.1, 30.0}) {
      Cloud cloud(n, 3);
      MedianBandwidth<double> median;
      for (Step k = 0; k < 4; ++k) {
        EXPECT_EQ(median(k, cloud.view()), MedianBandwidth<double>{}(0, cloud.view()))
            << "factor " << factor << ", step " << k;
        for (double& x : cloud.numbers)
          x *= factor;
      }
    }
}

TEST(MedianBandwidth, LeavesTheZerosOfTheDiagonalOut) {
  const Cloud cloud(6, 2);
  const double with_diagonal = rule(distances(cloud.view(), true), 6);
  EXPECT_GT(MedianBandwidth<double>{}(0, cloud.view()), 1.01 * with_diagonal);
}

TEST(MedianBandwidth, KeepsNothingFromTheStepBefore) {
  const Cloud first(9, 2), second(6, 1);
  MedianBandwidth<double> median;
  median(0, first.view());
  EXPECT_EQ(median(1, second.view()), MedianBandwidth<double>{}(0, second.view()));
}

TEST(MedianBandwidth, IsTheSameInFloatToRounding) {
  for (const std::size_t dim : {3u, 56u}) {
    const Cloud cloud(9, dim);
    std::vector<float> narrow(cloud.numbers.begin(), cloud.numbers.end());
    const float h = MedianBandwidth<float>{}(0, Rows<const float>{narrow.data(), 9, dim});
    EXPECT_NEAR(h, MedianBandwidth<double>{}(0, cloud.view()), 1e-5 * h);
  }
}

TEST(Bandwidth, IsOneWhenThereIsNoLengthToTake) {
  const Cloud alone(1, 3);
  EXPECT_EQ(MedianBandwidth<double>{}(0, alone.view()), 1.0);
  EXPECT_EQ(SampledMedianBandwidth<double>(1, 10)(0, alone.view()), 1.0);
  const std::vector<double> same(8, 2.5);
  const Rows<const double> in_one_place{same.data(), 4, 2};
  EXPECT_EQ(MedianBandwidth<double>{}(0, in_one_place), 1.0);
  EXPECT_EQ(SampledMedianBandwidth<double>(1, 10)(0, in_one_place), 1.0);
  const std::vector<double> wide(8 * 11, 0.1); // by products, where zero is a matter of rounding
  EXPECT_EQ(MedianBandwidth<double>{}(0, Rows<const double>{wide.data(), 8, 11}), 1.0);
}

// The share of all pairs below a median of M drawn ones has standard error 1/(2 sqrt(M)).
TEST(SampledMedianBandwidth, IsTheExactMedianWithinFiveStandardErrors) {
  const std::size_t n = 300, pairs = 4001;
  const Cloud cloud(n, 3);
  const auto all = distances(cloud.view());
  SampledMedianBandwidth<double> sampled(5, pairs);
  for (const Step k : {0u, 1u, 2u}) {
    const double median = std::sqrt(sampled(k, cloud.view()) * 2 * std::log(double(n)));
    const auto below = std::lower_bound(all.begin(), all.end(), median) - all.begin();
    EXPECT_NEAR(double(below) / double(all.size()), 0.5, 2.5 / std::sqrt(double(pairs)));
  }
}

TEST(SampledMedianBandwidth, OfLongRowsIsThatOfTheirDistancesForAnyNumberOfThreads) {
  const std::size_t dim = LongDistances<double>::least + 5;
  Threads three(3);
  const Cloud cloud(9, dim);
  const double expected = rule(distances(cloud.view()), 9);
  const double h = SampledMedianBandwidth<double>(5, 36)(0, cloud.view()); // all 36 pairs
  EXPECT_NEAR(h, expected, 1e-12 * expected);
  EXPECT_EQ(h, SampledMedianBandwidth<double>(5, 36, {}, three)(0, cloud.view()));
  std::vector<double> drawn; // and 35 that are drawn, as of shorter rows
  const Philox philox(5);
  for (std::size_t m = 0; m < 35; ++m) {
    const std::uint32_t i = philox.below(9, Stream::bandwidth, 3, 2 * m),
                        j = philox.below(8, Stream::bandwidth, 3, 2 * m + 1);
    drawn.push_back(std::sqrt(squared_distance<double>(cloud.view(), i, j < i ? j : j + 1)));
  }
  std::ranges::sort(drawn);
  EXPECT_NEAR(SampledMedianBandwidth<double>(5, 35)(3, cloud.view()), rule(drawn, 9),
              1e-12 * expected);
}

TEST(SampledMedianBandwidth, DrawsAfreshAtEachStepByAddress) {
  const Cloud cloud(50, 2);
  SampledMedianBandwidth<double> one(5, 20), other(5, 20);
  const double at_zero = one(0, cloud.view()), at_one = one(1, cloud.view());
  EXPECT_NE(at_zero, at_one);
  EXPECT_EQ(other(1, cloud.view()), at_one); // whatever was asked before
  EXPECT_EQ(one(0, cloud.view()), at_zero);
}

// Two particles far apart: a pair of one particle with itself would bring the median to zero.
TEST(SampledMedianBandwidth, NeverPairsAParticleWithItself) {
  const std::vector<double> two{-3.0, 3.0};
  EXPECT_NEAR(SampledMedianBandwidth<double>(1, 101)(0, Rows<const double>{two.data(), 2, 1}),
              36 / (2 * std::log(2.0)), 1e-12);
}

// Of no more pairs than there are, each once: the median is the exact one, whatever the seed.
TEST(SampledMedianBandwidth, IsExactWhenItMayLookAtEveryPair) {
  for (const std::size_t dim : {2u, 30u}) {
    const Cloud cloud(20, dim);
    const double exact = MedianBandwidth<double>{}(0, cloud.view());
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      EXPECT_EQ(SampledMedianBandwidth<double>(seed, 190)(0, cloud.view()), exact);
      EXPECT_EQ(SampledMedianBandwidth<double>(seed, 1000)(4, cloud.view()), exact);
    }
    EXPECT_NE(SampledMedianBandwidth<double>(1, 189)(0, cloud.view()), exact);
  }
}

// Two heaps far apart in many dimensions: most of r2 cancels within a heap. With 3 of 20 in the
// second heap, 139 of 190 pairs are within one, so the median is such a distance.
TEST(MedianBandwidth, IsRightWithinHeapsThatAreFarApart) {
  Cloud cloud(20, 20);
  for (std::size_t i = 0; i < 3; ++i)
    for (double& x : cloud.rows[i])
      x += 1e7;
  const double expected = rule(distances(cloud.view()), 20);
  EXPECT_NEAR(MedianBandwidth<double>{}(0, cloud.view()), expected, 1e-13 * expected);
}

std::vector<double> chords(Rows<const double> x, const Torus<double>& torus) {
  std::vector<double> all;
  for (std::size_t i = 0; i < x.count; ++i)
    for (std::size_t j = 0; j < i; ++j)
      all.push_back(std::sqrt(squared_distance(x, i, j, torus)));
  std::sort(all.begin(), all.end());
  return all;
}

// A small heap across the seam: raw differences of the wrapped positions are near the period.
TEST(MedianBandwidth, TakesChordsOnATorus) {
  const Torus<double> torus(30);
  for (const std::size_t dim : {1u, 3u, 20u}) {
    Cloud cloud(40, dim);
    for (double& x : cloud.numbers)
      x = torus.wrap((x - 0.5) * 0.1);
    const double expected = rule(chords(cloud.view(), torus), 40);
    // Points on circles of radius 30 / 2 pi are good to eps times that, and r is about 0.3.
    MedianBandwidth<double, Torus<double>> exact(torus);
    EXPECT_NEAR(exact(0, cloud.view()), expected, 1e-12 * expected) << dim;
    SampledMedianBandwidth<double, Torus<double>> every(1, 5000, torus), some(1, 700, torus);
    EXPECT_EQ(every(0, cloud.view()), exact(0, cloud.view()));
    EXPECT_NEAR(some(0, cloud.view()), expected, 0.2 * expected);
    const double raw = MedianBandwidth<double>{}(0, cloud.view());
    EXPECT_TRUE(dim == 1 || raw > 100 * expected)
        << raw; // on the line half of the raw ones are right
  }
}

// Rows at 1, 2, 4, ..: the distance of a pair says which it is. A single pair is drawn in each
// step.
TEST(SampledMedianBandwidth, DrawsBothOfAPairAfreshAndNeverOneTwice) {
  constexpr std::size_t n = 6;
  const std::vector<double> x = {1, 2, 4, 8, 16, 32};
  kernel::SampledMedianBandwidth<double> rule(3, 1);
  std::vector<int> seen(n);
  constexpr int steps = 300;
  for (Step k = 0; k < steps; ++k) {
    const double apart = std::sqrt(rule(k, {x.data(), n, 1}) * 2 * std::log(double(n)));
    int found = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (std::abs(x[i] - x[j] - apart) < 1e-9) {
          ++seen[i];
          ++seen[j];
          ++found;
        }
    EXPECT_EQ(found, 1) << apart;
  }
  for (const int times : seen) // binomial: 100 expected, sd 8.2; 5 of them
    EXPECT_NEAR(times, steps / 3, 41);
}

} // namespace
