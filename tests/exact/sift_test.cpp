// Sifting: the set kept has the moments of all, better than chance.
#include <starling/exact/sift.hpp>

#include <starling/frame.hpp>
#include <starling/random/philox.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace {

using namespace starling;

constexpr std::size_t many = 2000, few = 200, columns = 6;

Frame::Matrix normals() {
  Frame::Matrix x(many, columns);
  const Philox philox(3);
  for (std::size_t i = 0; i < many; ++i)
    for (std::size_t a = 0; a < columns; ++a)
      x(Eigen::Index(i), Eigen::Index(a)) = normal_pair(philox(Stream::user, a, i))[0];
  return x;
}

// The worst error of a mean, or of an sd, over the columns.
double moment_error(const Frame::Matrix& x, const std::vector<std::size_t>& rows) {
  double worst = 0;
  for (Eigen::Index a = 0; a < x.cols(); ++a) {
    double sum = 0, square = 0;
    for (const std::size_t i : rows) {
      sum += x(Eigen::Index(i), a);
      square += x(Eigen::Index(i), a) * x(Eigen::Index(i), a);
    }
    const double mean = sum / double(rows.size());
    worst = std::max({worst, std::abs(mean),
                      std::abs(std::sqrt(square / double(rows.size()) - mean * mean) - 1)});
  }
  return worst;
}

TEST(Sift, KeepsDrawsThatTogetherHaveTheMoments) {
  const Frame::Matrix x = normals();
  const std::vector<double> means(columns, 0.0), sds(columns, 1.0);
  const auto kept = exact::sift(rows_of(x), few, means, sds, 1);
  ASSERT_EQ(kept.size(), few);
  EXPECT_EQ(std::set(kept.begin(), kept.end()).size(), few);
  std::vector<std::size_t> first(few);
  for (std::size_t i = 0; i < few; ++i)
    first[i] = i;
  EXPECT_LT(moment_error(x, kept), .03);
  EXPECT_GT(moment_error(x, first), .06); // chance: each mean has an error of .07
}

TEST(Sift, PassesOverColumnsThatSayNothing) {
  Frame::Matrix x = normals();
  x.col(1).setConstant(4);
  x(7, 2) = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> means(columns, 0.0), sds(columns, 1.0);
  sds[1] = 0;
  const auto kept = exact::sift(rows_of(x), few, means, sds, 1);
  EXPECT_EQ(kept.size(), few);
  EXPECT_THROW(exact::sift(rows_of(x), many + 1, means, sds, 1), std::invalid_argument);
}

} // namespace
