// The move test where moments say little: heavy tails, of what is read and of what nobody reads.
#include <starling/judge/move_test.hpp>

#include <starling/random/philox.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using namespace starling;
using namespace starling::judge;

double drawn(std::uint64_t move, std::size_t i, std::size_t a) {
  return normal_pair(Philox(21)(Stream::user, move, i * 3 + a))[0];
}

// Normals and 1/x^2 beside them, moved by an exact sampler that remembers half. The second column
// has no mean. It is judged by its winsorised value, so a right cloud is confirmed; followed as a
// position also by the square of that, and a cloud that is wrong is found out as before.
Certificate beside(double shift, std::size_t positions, const std::vector<int>& powers = {1, -2}) {
  constexpr std::size_t n = 1000;
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = shift + drawn(0, i, 0);
  const auto rows = [&] {
    std::vector<double> both;
    for (const double one : x)
      for (const int power : powers)
        both.push_back(std::pow(one, power));
    return both;
  };
  const std::vector<double> before = rows();
  MoveTest test(Rows<const double>{before.data(), n, powers.size()}, positions);
  for (std::uint64_t m = 1; m <= 20; ++m) {
    for (std::size_t i = 0; i < n; ++i)
      x[i] = .5 * x[i] + std::sqrt(.75) * drawn(m, i, 0);
    if (const std::vector<double> now = rows(); m > 10)
      test.add({now.data(), n, powers.size()});
  }
  return test.judge();
}

TEST(HeavyTails, JudgesAHeavyTailByWhatAFewCannotSpoil) {
  const Certificate right = beside(0, 1);
  EXPECT_EQ(right.finding, Finding::confirmed);
  EXPECT_EQ(right.heavy, std::vector<std::size_t>{1});
  EXPECT_EQ(right.all.size(), 2u); // x itself is not read
  const Certificate position = beside(0, 2);
  EXPECT_EQ(position.finding, Finding::confirmed);
  EXPECT_EQ(position.heavy, std::vector<std::size_t>{1});
  EXPECT_EQ(position.all.size(), 5u);
  EXPECT_EQ(beside(.4, 1).finding, Finding::moved);
  EXPECT_EQ(beside(.4, 2).finding, Finding::moved);
}

// The other way about: the position has the tail, and users read something that has none, or the
// position too.
TEST(HeavyTails, JudgesAPositionThatNobodyReadsByWhatAFewCannotSpoil) {
  const Certificate right = beside(0, 1, {-2, 1});
  EXPECT_EQ(right.finding, Finding::confirmed);
  EXPECT_EQ(right.heavy, std::vector<std::size_t>{0});
  EXPECT_EQ(right.all.size(), 4u);
  const Certificate read = beside(0, 1, {-2, 1, -2});
  EXPECT_EQ(read.finding, Finding::confirmed);
  EXPECT_EQ(read.heavy, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(beside(.4, 1, {-2, 1}).finding, Finding::moved);
}

// A column that is made from a position, has no tail, and has strays in the cloud: they stay where
// they are, or come back while the moves count. No particle that began inside goes out to them.
Certificate with_strays(bool come_back, std::size_t strays) {
  constexpr std::size_t n = 1000;
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = drawn(0, i, 1) + (i < strays ? 30 : 0);
  const auto rows = [&] {
    std::vector<double> both;
    for (const double one : x) {
      both.push_back(one / (1 + std::abs(one))); // the position, bounded
      both.push_back(one);
    }
    return both;
  };
  const std::vector<double> before = rows();
  MoveTest test(Rows<const double>{before.data(), n, 2}, 1);
  for (std::uint64_t m = 1; m <= 20; ++m) {
    for (std::size_t i = 0; i < n; ++i) {
      const double centre = i < strays && !(come_back && m > 15) ? 30 : 0;
      x[i] = centre + .5 * (x[i] - centre) + std::sqrt(.75) * drawn(m, i, 1);
    }
    if (const std::vector<double> now = rows(); m > 10)
      test.add({now.data(), n, 2});
  }
  return test.judge();
}

TEST(HeavyTails, AreNotMadeByStrays) {
  const Certificate right = with_strays(false, 0);
  EXPECT_EQ(right.finding, Finding::confirmed);
  for (const bool come_back : {false, true}) {
    const Certificate wrong = with_strays(come_back, 2);
    EXPECT_NE(wrong.finding, Finding::confirmed) << come_back;
    EXPECT_TRUE(wrong.heavy.empty()) << come_back;
    EXPECT_EQ(wrong.worst.trait, Trait::square) << come_back;
    EXPECT_EQ(wrong.worst.parameter, 1u) << come_back;
  }
}

// The logarithm of a scale, with two walkers far down where moves carry nobody, and the scale: of
// the scale that is a small thing. Read as it is, the logarithm is not confirmed.
TEST(HeavyTails, AreNotAskedForOfALogarithmThatNobodyReads) {
  constexpr std::size_t n = 256;
  const auto finding = [&](bool read) {
    const std::size_t columns = read ? 3 : 2;
    const auto rows = [&](std::uint64_t m) {
      std::vector<double> all;
      for (std::size_t i = 0; i < n; ++i) {
        const double logarithm = i % 128 == 0 ? -3.2 : -1.2 + .3 * drawn(m, i, 0);
        all.insert(all.end(), {logarithm, std::exp(logarithm)});
        all.insert(all.end(), columns - 2, logarithm);
      }
      return all;
    };
    const std::vector<double> before = rows(0);
    MoveTest test(Rows<const double>{before.data(), n, columns}, 1);
    for (std::uint64_t m = 1; m <= 20; ++m) {
      const std::vector<double> now = rows(m);
      test.add({now.data(), n, columns});
    }
    return test.judge().finding;
  };
  EXPECT_EQ(finding(false), Finding::confirmed);
  EXPECT_EQ(finding(true), Finding::undecided);
}

// A tail of one in a hundred that the cloud has not met and the moves do. Nobody reads it: the
// cloud is confirmed. Of what is read such a tail is the cloud's fault.
Certificate strays(std::size_t columns) {
  constexpr std::size_t n = 1000;
  const auto rows = [&](std::uint64_t m) {
    std::vector<double> all;
    for (std::size_t i = 0; i < n; ++i) {
      const double z = drawn(m, i, 0), tailed = m > 0 && (i + 37 * m) % 100 == 0 ? -20 : z;
      all.insert(all.end(), {tailed, 2 * z});
      all.insert(all.end(), columns - 2, tailed);
    }
    return all;
  };
  const std::vector<double> before = rows(0);
  MoveTest test(Rows<const double>{before.data(), n, columns}, 1);
  for (std::uint64_t m = 1; m <= 10; ++m) {
    const std::vector<double> now = rows(m);
    test.add({now.data(), n, columns});
  }
  EXPECT_EQ(test.has_moments(0), columns > 2);
  return test.judge();
}

TEST(HeavyTails, LearnsOfATailThatNobodyReadsFromTheMoves) {
  EXPECT_EQ(strays(2).finding, Finding::confirmed);
  EXPECT_EQ(strays(2).heavy, std::vector<std::size_t>{0});
  EXPECT_EQ(strays(3).finding, Finding::moved);
  EXPECT_TRUE(strays(3).heavy.empty());
}

TEST(HeavyTails, TakesNoLightTailForAHeavyOne) {
  std::vector<double> normals, exponentials, ratios;
  for (std::size_t i = 0; i < 1000; ++i) {
    const double z = drawn(0, i, 0);
    normals.push_back(z);
    exponentials.push_back(z * z + std::pow(drawn(0, i, 1), 2));
    ratios.push_back(1 / z);
  }
  EXPECT_FALSE(heavy_tailed(normals));
  EXPECT_FALSE(heavy_tailed(exponentials));
  EXPECT_TRUE(heavy_tailed(ratios));
}

// Strays in the cloud that moves bring back: a tail of the cloud alone, and its fault. A cloud
// whose middle is too narrow is found out in a Cauchy too.
TEST(HeavyTails, AreNoExcuseForStraysOrAWrongWidth) {
  constexpr std::size_t n = 1000;
  const auto judged = [&](double width, bool tail_stays) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i)
      x[i] = width * drawn(0, i, 0) / std::abs(drawn(0, i, 1));
    MoveTest test(Rows<const double>{x.data(), n, 1}, 1);
    for (std::uint64_t m = 1; m <= 20; ++m) {
      for (std::size_t i = 0; i < n; ++i)
        x[i] = drawn(m, i, 0) / (tail_stays ? std::abs(drawn(m, i, 1)) : 1);
      if (m > 10)
        test.add({x.data(), n, 1});
    }
    return test.judge();
  };
  const Certificate right = judged(1, true);
  EXPECT_EQ(right.finding, Finding::confirmed);
  EXPECT_EQ(right.heavy, std::vector<std::size_t>{0});
  EXPECT_EQ(judged(.6, true).finding, Finding::moved);
  EXPECT_EQ(judged(1.7, true).finding, Finding::moved);
  const Certificate brought_back = judged(1, false);
  EXPECT_EQ(brought_back.finding, Finding::moved);
  EXPECT_TRUE(brought_back.heavy.empty());
}

} // namespace
