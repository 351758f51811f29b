// Sifting: the set kept has the moments of all, better than chance.
#include <starling/exact/sift.hpp>

#include <starling/frame.hpp>
#include <starling/random/philox.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace {

using namespace starling;

constexpr std::size_t many = 2500, few = 200, columns = 6;

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

/// The sum over columns of the squares by which those kept are off, from the formula: of the value,
/// of half its square and of half the share up to each decile.
double off(const Frame::Matrix& x, const std::vector<std::size_t>& rows) {
  double sum = 0;
  for (Eigen::Index a = 0; a < x.cols(); ++a) {
    std::vector<double> all(x.col(a).begin(), x.col(a).end()), sorted;
    for (std::size_t i = 0, of = std::min<std::size_t>(all.size(), 2048); i < of; ++i)
      sorted.push_back(all[i * all.size() / of]);
    std::ranges::sort(sorted);
    const auto add = [&](auto&& feature, double wanted) {
      double off = -wanted * double(rows.size());
      for (const std::size_t i : rows)
        off += feature(x(Eigen::Index(i), a));
      sum += off * off;
    };
    add([](double z) { return z; }, 0);
    add([](double z) { return .5 * z * z; }, .5);
    for (std::size_t q = 1; q < 10; ++q) {
      const double decile = sorted[q * sorted.size() / 10];
      const auto below = std::ranges::count_if(all, [&](double z) { return z <= decile; });
      add([&](double z) { return z <= decile ? .5 : 0; }, .5 * double(below) / double(x.rows()));
    }
  }
  return sum;
}

/// The swaps, each judged by the whole sum before and after it.
std::vector<std::size_t> slow_sift(const Frame::Matrix& x, std::uint32_t keep, std::uint64_t seed) {
  const Philox philox(seed);
  std::vector<std::size_t> order(std::size_t(x.rows()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto now = [&] { return off(x, {order.begin(), order.begin() + keep}); };
  double least = now();
  for (std::uint64_t t = 0; t < 40 * keep; ++t) {
    const std::size_t out = philox.below(keep, Stream::thin, 1000, 2 * t);
    const std::size_t in =
        keep + philox.below(std::uint32_t(x.rows()) - keep, Stream::thin, 1000, 2 * t + 1);
    std::swap(order[out], order[in]);
    if (const double then = now(); then < least)
      least = then;
    else
      std::swap(order[out], order[in]);
  }
  order.resize(keep);
  std::ranges::sort(order);
  return order;
}

TEST(Sift, MakesTheSwapsThatBringTheSumDown) {
  const std::vector<double> means(2, 0.0), sds(2, 1.0);
  for (const Eigen::Index rows : {300, 2500}) { // deciles of all rows, and of some
    const Frame::Matrix x = normals().topLeftCorner(rows, 2);
    EXPECT_EQ(exact::sift(rows_of(x), 20, means, sds, 1), slow_sift(x, 20, 1)) << rows;
  }
}

TEST(Sift, PassesOverColumnsThatSayNothing) {
  Frame::Matrix x = normals();
  x.col(1).setConstant(4);
  x(7, 2) = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> means(columns, 0.0), sds(columns, 1.0);
  sds[1] = 0;
  const auto kept = exact::sift(rows_of(x), few, means, sds, 1);
  Frame::Matrix others(many, columns - 2);
  others << x.leftCols(1), x.rightCols(columns - 3);
  const std::vector<double> zeros(columns - 2, 0.0), ones(columns - 2, 1.0);
  EXPECT_EQ(kept, exact::sift(rows_of(others), few, zeros, ones, 1));
  EXPECT_THROW(exact::sift(rows_of(x), many + 1, means, sds, 1), std::invalid_argument);
}

} // namespace
