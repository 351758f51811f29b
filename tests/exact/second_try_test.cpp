// Second tries in shorter steps: those of one particle at a time, and they leave a funnel as it is.
#include <starling/exact/hmc.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>

namespace second_tries {

namespace {

using namespace starling;
using exact::Stride;

constexpr std::uint64_t seed = 9;
constexpr double scale_sd = 1.5, divergence = 20;
using Point = std::array<double, 2>;

// x_0 is normal of sd 1.5, x_1 normal of sd exp(x_0).
double funnel(const Point& x, Point& score) {
  const double z = x[1] * std::exp(-x[0]), u = x[0] / scale_sd;
  score = {-u / scale_sd - 1 + z * z, -z * std::exp(-x[0])};
  return -.5 * (u * u + z * z) - x[0];
}

CountedDensity funnel_density() {
  return CountedDensity([](Rows<const double> x, Rows<double> s, std::span<double> l) {
    for (std::size_t i = 0; i < x.count; ++i) {
      Point score;
      l[i] = funnel({x[i][0], x[i][1]}, score);
      s[i][0] = score[0];
      s[i][1] = score[1];
    }
  });
}

Cloud draws(std::size_t count, CountedDensity& density) {
  Frame::Matrix x(Eigen::Index(count), 2);
  for (std::size_t i = 0; i < count; ++i) {
    const auto pair = normal_pair(Philox(77)(Stream::user, 0, i));
    x(Eigen::Index(i), 0) = scale_sd * pair[0];
    x(Eigen::Index(i), 1) = std::exp(scale_sd * pair[0]) * pair[1];
  }
  return cloud_at(std::move(x), density);
}

struct Place {
  Point x, p;
  double energy() const {
    Point unused;
    return .5 * (p[0] * p[0] + p[1] * p[1]) - funnel(x, unused);
  }
};

Place leapt(Place from, double step, std::size_t leaps) {
  Point s;
  for (std::size_t k = 0; k < leaps; ++k) {
    funnel(from.x, s);
    for (std::size_t a = 0; a < 2; ++a) {
      from.p[a] += .5 * step * s[a];
      from.x[a] += step * from.p[a];
    }
    funnel(from.x, s);
    for (std::size_t a = 0; a < 2; ++a)
      from.p[a] += .5 * step * s[a];
  }
  return from;
}

/// Where a walker goes at its second try, if it gets there. From the formula; the walk back from
/// the other end is left out unless `looks_back`.
std::optional<Point> second_place(const Place& from, double step, std::size_t leaps, double luck,
                                  bool looks_back) {
  Place to = leapt(from, step / 5, 5 * leaps);
  const double gain = from.energy() - to.energy();
  if (!(luck < std::exp(gain)))
    return {};
  const Point arrived = to.x;
  for (double& p : to.p)
    p = -p;
  const double error_back = leapt(to, step, leaps).energy() - to.energy();
  if (looks_back && !(error_back > divergence && std::isfinite(error_back)))
    return {};
  return arrived;
}

/// The number of second tries that were accepted. The probability that a first try which diverges
/// is accepted, at most 2e-9, is taken to be 0.
std::size_t slow_move(Frame::Matrix& x, const Stride& stride, Step move, bool looks_back = true) {
  std::size_t second_tries = 0;
  const Philox philox(seed);
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    const auto id = std::uint64_t(i);
    const auto leaps = 1 + std::size_t(uniform(philox(Stream::leap, move, id)) * 7);
    const auto p = normal_pair(philox(Stream::momentum, move, id));
    const Place from{{x(i, 0), x(i, 1)}, {p[0], p[1]}};
    const Place to = leapt(from, stride.step, leaps);
    const double gain = from.energy() - to.energy();
    std::optional<Point> at;
    if (uniform(philox(Stream::leap, move, id, 1)) < std::exp(gain)) {
      at = to.x;
    } else if (gain < -divergence && std::isfinite(gain)) {
      at = second_place(from, stride.step, leaps, uniform(philox(Stream::leap, move, id, 2)),
                        looks_back);
      second_tries += at.has_value();
    }
    if (at)
      x.row(i) << (*at)[0], (*at)[1];
  }
  return second_tries;
}

TEST(SecondTries, AreThoseOfOneParticleAtATime) {
  CountedDensity density = funnel_density();
  Cloud fast = draws(2000, density);
  Frame::Matrix slow = fast.x;
  const Stride stride{.step = .8};
  std::size_t second_tries = 0;
  for (Step move = 0; move < 5; ++move) {
    exact::move(fast, Frame(2), stride, density, seed, move);
    second_tries += slow_move(slow, stride, move);
    ASSERT_LT((fast.x - slow).cwiseAbs().maxCoeff(), 1e-6) << move;
    slow = fast.x; // what differs by rounding grows in a neck
  }
  EXPECT_GT(second_tries, 50u);
  const Cloud there = cloud_at(fast.position(), density);
  EXPECT_EQ(there.score, fast.score);
  EXPECT_EQ(there.log_density, fast.log_density);
}

/// The share of walkers whose log scale is below that many sds, less what it should be, in standard
/// errors of independent draws.
double error_below(double sds, const Frame::Matrix& x) {
  const double n = double(x.rows()), right = .5 * std::erfc(-sds / std::sqrt(2.0));
  const double share = double((x.col(0).array() < sds * scale_sd).count()) / n;
  return (share - right) / std::sqrt(right * (1 - right) / n);
}

constexpr std::size_t many = 40'000;
constexpr Step moves = 20;

TEST(SecondTries, LeaveTheDensityAsItIs) {
  CountedDensity density = funnel_density();
  Cloud walkers = draws(many, density);
  for (Step move = 0; move < moves; ++move)
    exact::move(walkers, Frame(2), {.step = .8}, density, seed, move);
  EXPECT_LT(std::abs(error_below(0, walkers.x)), 4);
  EXPECT_LT(std::abs(error_below(-1.6, walkers.x)), 4);
}

TEST(SecondTries, WithoutTheWayBackDoNot) {
  CountedDensity density = funnel_density();
  Frame::Matrix x = draws(many, density).x;
  for (Step move = 0; move < moves; ++move)
    slow_move(x, {.step = .8}, move, false);
  EXPECT_GT(std::abs(error_below(0, x)), 8);
}

/// Of walkers that began without a neck, after some moves.
double refilled(double shorter) {
  CountedDensity density = funnel_density();
  Frame::Matrix x = draws(3000, density).x;
  for (Eigen::Index i = 0; i < x.rows(); ++i)
    if (x(i, 0) < -1.5)
      x.row(i) << 0, 0;
  Cloud walkers = cloud_at(std::move(x), density);
  for (Step move = 0; move < 400; ++move)
    exact::move(walkers, Frame(2), {.step = .6, .shorter = shorter}, density, seed, move);
  return error_below(-1.6, walkers.x);
}

TEST(SecondTries, EnterANeckThatFirstTriesDoNot) {
  EXPECT_GT(refilled(.2), -4);
  EXPECT_LT(refilled(0), -8);
}

} // namespace

} // namespace second_tries
