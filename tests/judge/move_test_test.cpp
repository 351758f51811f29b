// The move test: its numbers by hand, and what it says of right, wrong and unmoved clouds.
#include <starling/fields.hpp>
#include <starling/judge/move_test.hpp>

#include <starling/random/philox.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using namespace starling;
using namespace starling::judge;

constexpr std::size_t count = 500, dim = 3;

double normal(std::uint64_t move, std::size_t i, std::size_t a) {
  return normal_pair(Philox(21)(Stream::user, move, i * dim + a))[0];
}

// An exact sampler of standard normals that remembers: x' = r x + sqrt(1 - r^2) z.
Certificate tested(const std::vector<double>& cloud, double r, int moves = 20,
                   const Bounds& bounds = {}) {
  std::vector<double> x = cloud;
  const std::size_t n = cloud.size() / dim;
  MoveTest test(Rows<const double>{cloud.data(), n, dim});
  for (int m = 0; m < moves; ++m) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t a = 0; a < dim; ++a)
        x[i * dim + a] =
            r * x[i * dim + a] + std::sqrt(1 - r * r) * normal(std::uint64_t(m + 1), i, a);
    if (m >= moves / 2)
      test.add({x.data(), n, dim});
  }
  return test.judge(bounds);
}

std::vector<double> cloud(double shift, double width, std::size_t n = count) {
  std::vector<double> x(n * dim);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t a = 0; a < dim; ++a)
      x[i * dim + a] = (a == 1 ? shift : 0) + (a == 1 ? width : 1) * normal(0, i, a);
  return x;
}

TEST(MoveTest, GivesTheNumbersOfTheFormula) {
  const std::vector<double> before{-1, 0, 1, 4, -2, 1}, after{0, .5, 2, 2, -1, 1};
  MoveTest test({before.data(), 6, 1});
  test.add({after.data(), 6, 1});
  const Certificate certificate = test.judge();
  const double n = 6, mean = 3.0 / 6, sd = std::sqrt((23 - 9.0 / 6) / 5), later = 4.5 / 6;
  double bb = 0, ba = 0, aa = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    const double b = (before[i] - mean) / sd, a = (after[i] - later) / sd;
    bb += b * b;
    ba += b * a;
    aa += a * a;
  }
  const double rho = ba / bb, residual = std::sqrt((aa - ba * ba / bb) / (n - 2));
  ASSERT_EQ(certificate.all.size(), 3u);
  EXPECT_NEAR(certificate.all[0].memory, rho, 1e-12);
  EXPECT_NEAR(certificate.all[0].error, (later - mean) / sd / (1 - rho), 1e-12);
  EXPECT_NEAR(certificate.all[0].se, residual / std::sqrt(n) / (1 - rho), 1e-12);
  EXPECT_NEAR(test.pooled_means()[0], later, 1e-12);
}

TEST(MoveTest, ConfirmsARightCloud) {
  for (const double r : {0.0, .8})
    EXPECT_EQ(tested(cloud(0, 1), r).finding, Finding::confirmed) << r;
}

TEST(MoveTest, NamesParameterDirectionAndSizeOfAWrongMean) {
  const std::vector<double> x = cloud(.4, 1);
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < count; ++i) {
    mean += x[i * dim + 1] / double(count);
    square += x[i * dim + 1] * x[i * dim + 1] / double(count);
  }
  const double off = -mean / std::sqrt(square - mean * mean);
  for (const double r : {0.0, .9}) {
    const Certificate certificate = tested(x, r);
    EXPECT_EQ(certificate.finding, Finding::moved);
    EXPECT_EQ(certificate.worst.parameter, 1u);
    EXPECT_NE(certificate.worst.trait, Trait::square);
    EXPECT_NEAR(certificate.worst.error, off, 4 * certificate.worst.se + .02); // or winsorised
  }
}

TEST(MoveTest, SeesAWrongWidthWhereTheMeanIsRight) {
  const Certificate narrow = tested(cloud(0, .7), .5), wide = tested(cloud(0, 1.4), .5);
  EXPECT_EQ(narrow.finding, Finding::moved);
  EXPECT_EQ(narrow.worst.trait, Trait::square);
  EXPECT_NEAR(narrow.worst.error, 1 / .49 - 1, 5 * narrow.worst.se + .15);
  EXPECT_EQ(wide.finding, Finding::moved);
  EXPECT_LT(wide.worst.error, 0);
}

// A cloud that its moves leave where it is has not been confirmed by them.
TEST(MoveTest, DoesNotTakeStandingStillForRightness) {
  EXPECT_EQ(tested(cloud(.4, 1), .9999).finding, Finding::undecided);
  EXPECT_EQ(tested(cloud(0, 1), .9999).finding, Finding::undecided);
  EXPECT_EQ(MoveTest(Rows<const double>{cloud(0, 1).data(), count, dim}).judge().finding,
            Finding::undecided);
}

// Moves that are not quite exact can neither show nor rule out what is smaller than their own
// error.
TEST(MoveTest, KnowsNoMoreThanItsMoves) {
  const std::vector<double> right = cloud(0, 1), wrong = cloud(.4, 1);
  EXPECT_EQ(tested(right, .5, 20, {.moves_error = .02}).finding, Finding::confirmed);
  EXPECT_EQ(tested(right, .5, 20, {.moves_error = .2}).finding,
            Finding::undecided); // as wide as the bound
  EXPECT_EQ(tested(wrong, .5, 20, {.moves_error = .02}).finding, Finding::moved);
  EXPECT_EQ(tested(wrong, .5, 20, {.moves_error = .4}).finding, Finding::undecided);
}

TEST(MoveTest, CannotTellWithFewParticles) {
  EXPECT_EQ(tested(cloud(0, 1, 24), .5).finding, Finding::undecided);
}

// Three strays at 1000 make the sd seventy times too large: in its measure the error of the mean,
// which is 7, is below a tenth. In the winsorised value the shift of all others by a whole unit
// stands out.
TEST(MoveTest, SeesBehindStrays) {
  std::vector<double> x = cloud(1, 1);
  for (const std::size_t i : {3u, 40u, 77u})
    x[i * dim + 1] = 1000;
  const Certificate certificate = tested(x, 0);
  EXPECT_EQ(certificate.finding, Finding::moved);
  const Displacement &value = certificate.all[3], &winsorised = certificate.all[4];
  ASSERT_EQ(winsorised.parameter, 1u);
  ASSERT_EQ(winsorised.trait, Trait::winsorised);
  EXPECT_LT(std::abs(value.error), .1);
  EXPECT_LT(winsorised.error + 2 * winsorised.se, -.8);
}

TEST(MoveTest, LeavesOutColumnsThatAreConstantOrNotFinite) {
  std::vector<double> x = cloud(0, 1);
  for (std::size_t i = 0; i < count; ++i)
    x[i * dim + 2] = 7;
  x[5 * dim + 1] = std::numeric_limits<double>::infinity();
  MoveTest test({x.data(), count, dim});
  test.add({x.data(), count, dim});
  EXPECT_EQ(test.judge().not_followed, 2u);
  EXPECT_EQ(test.judge().all.size(), 3u);
}

TEST(MoveTest, GoesOnFromItsSums) {
  const std::vector<double> x = cloud(0, 1), y = cloud(.1, 1.1), z = cloud(.2, .9);
  const auto rows = [](const std::vector<double>& v) {
    return Rows<const double>{v.data(), count, dim};
  };
  MoveTest whole(rows(x)), first(rows(x)), second(rows(x));
  whole.add(rows(y));
  whole.add(rows(z));
  first.add(rows(y));
  SaveFields to;
  to("test", first);
  RestoreFields from(to.bytes);
  from("test", second);
  second.add(rows(z));
  EXPECT_EQ(whole.judge().worst.error, second.judge().worst.error);
  EXPECT_NE(whole.judge().worst.error, first.judge().worst.error);
}

// The moves of one cloud say where the truth is, and so what another cloud is worth.
TEST(MoveTest, JudgesAnotherCloudByTheSameMoves) {
  const std::vector<double> mine = cloud(0, 1);
  std::vector<double> x = mine;
  MoveTest test({mine.data(), count, dim});
  for (std::uint64_t m = 1; m <= 20; ++m)
    for (std::size_t n = 0; n < x.size(); ++n) {
      x[n] = .5 * x[n] + std::sqrt(.75) * normal(m, n / dim, n % dim);
      if (n + 1 == x.size() && m > 10)
        test.add({x.data(), count, dim});
    }
  const Certificate own = test.judge(), same = test.judge_other({mine.data(), count, dim});
  EXPECT_EQ(own.finding, Finding::confirmed);
  for (std::size_t n = 0; n < own.all.size(); ++n)
    EXPECT_NEAR(own.all[n].error, same.all[n].error, 1e-12);
  const std::vector<double> beside = cloud(.5, 1), narrow = cloud(0, .6), few = cloud(0, 1, 100);
  const Certificate shifted = test.judge_other({beside.data(), count, dim});
  EXPECT_EQ(shifted.finding, Finding::moved);
  EXPECT_EQ(shifted.worst.parameter, 1u);
  EXPECT_NEAR(shifted.all[3].error, own.all[3].error - .5,
              .05); // in the first cloud's sd, which is near 1
  const Certificate collapsed = test.judge_other({narrow.data(), count, dim});
  EXPECT_EQ(collapsed.finding, Finding::moved);
  EXPECT_EQ(collapsed.worst.trait, Trait::square);
  EXPECT_GT(collapsed.worst.error, .4);
  EXPECT_EQ(test.judge_other({few.data(), 100, dim}).all.size(), own.all.size());
  EXPECT_THROW(test.judge_other({few.data(), 150, 2}), std::invalid_argument);
}

// Where only some are moved, a cloud whose mean differs from theirs is held to account, and one
// whose mean does not is not.
TEST(MoveTest, OfSomeSpeaksForTheWholeCloud) {
  const std::size_t moved = 128;
  for (const double shift : {0.0, .6}) {
    std::vector<double> whole = cloud(0, 1, 2000),
                        some(whole.begin(), whole.begin() + std::ptrdiff_t(moved * dim));
    for (std::size_t i = moved; i < 2000; ++i)
      whole[i * dim + 1] += shift; // the others are wrong, those that are moved are right
    MoveTest test({whole.data(), 2000, dim}, {some.data(), moved, dim});
    for (int m = 0; m < 10; ++m) {
      for (std::size_t i = 0; i < some.size(); ++i)
        some[i] = normal(std::uint64_t(m + 1), i / dim, i % dim);
      test.add({some.data(), moved, dim});
    }
    const Certificate certificate = test.judge();
    EXPECT_EQ(certificate.finding, shift > 0 ? Finding::moved : Finding::confirmed);
    const Displacement& value = certificate.all[3];
    EXPECT_NEAR(value.error, -shift * (1 - 128.0 / 2000), 4 * value.se + 4 / std::sqrt(2000.0))
        << shift;
  }
  // When all are moved it is the same test, bit for bit.
  const std::vector<double> x = cloud(.3, 1.2);
  MoveTest one({x.data(), count, dim}), other({x.data(), count, dim}, {x.data(), count, dim});
  const std::vector<double> y = cloud(0, 1);
  one.add({y.data(), count, dim});
  other.add({y.data(), count, dim});
  const Certificate a = one.judge(), b = other.judge();
  for (std::size_t k = 0; k < a.all.size(); ++k)
    EXPECT_EQ(a.all[k].error, b.all[k].error);
}

} // namespace
