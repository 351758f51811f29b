// The kernel for each parameter over everyone, by sorting: equal to all pairs; what it does to
// marginals.
#include "drift/twins.hpp"

#include <starling/deal/draw.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/drift/bilinear.hpp>
#include <starling/drift/marginals.hpp>
#include <starling/kernel/matern.hpp>
#include <starling/random/philox.hpp>

#include <algorithm>
#include <functional>

namespace drift_tests {
namespace {

constexpr double h = 0.3;

/// The same as a kernel of pairs, for the slow twin.
template <typename Real>
struct EachMatern {
  kernel::Matern32<Real> matern{Real(h)};
  PairWeights<Real> at_coordinate(Real squared_difference) const {
    return matern.at_distance(squared_difference);
  }
};

/// Sums carried along N neighbours: N eps of the terms without their signs. exp of a sum of gaps is
/// good to the number of gaps times eps as well; 1 + z for what that moves.
template <typename Real>
std::vector<double> sorted_bound(const Ensemble<Real>& particles,
                                 std::span<const std::uint32_t> dealt) {
  const std::size_t dim = particles.dim();
  std::vector<double> bounds(particles.count() * dim);
  Precisions<Real> precisions;
  const auto q = precisions(particles.position(), Threads::alone());
  const double n = double(dealt.size());
  for (const std::uint32_t i : dealt)
    for (const std::uint32_t j : dealt)
      for (std::size_t a = 0; a < dim; ++a) {
        const double rate = std::sqrt(3 * double(q[a]) / h);
        const double z = rate * std::abs(double(particles.position()[i][a]) -
                                         double(particles.position()[j][a]));
        bounds[i * dim + a] += std::numeric_limits<Real>::epsilon() * (8 * n + 16) / n * (1 + z) *
                               (1 + z) * std::exp(-z) *
                               (std::abs(double(particles.score()[j][a])) + rate);
      }
  return bounds;
}

template <typename Real>
double gap(std::size_t count, std::size_t dim, const Batches& batches, bool ties = false,
           Real weight = 1) {
  auto fast = cloud<Real>(count, dim), slow = cloud<Real>(count, dim);
  for (auto* particles : {&fast, &slow}) {
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t a = 0; a < dim; ++a) {
        Real& x = particles->position()[i][a];
        x = ties ? std::round(2 * x) : x * Real(1 + 10 * a);
      }
    std::fill(particles->drift().begin(), particles->drift().end(), Real(5));
  }
  Threads crew(2);
  MarginalDrift<Real>(Real(h), crew)(0, fast, batches, {.weight = weight, .added = false});
  Batches whole; // the slow twin takes all who are dealt as one batch of everyone
  whole.population = batches.order().size();
  std::ranges::copy(batches.order(), whole.lay_out(batches.order().size(), 1).begin());
  ReferenceDrift<Real, EachMatern<Real>>(EachMatern<Real>())(0, slow, whole);
  return apart(fast, slow, sorted_bound(std::as_const(slow), batches.order()));
}

TEST(MarginalDrift, EqualsTheSumOverAllPairs) {
  constexpr std::size_t compared = MarginalDrift<double>::by_digits_from - 1;
  for (const std::size_t count :
       {std::size_t(1), std::size_t(2), std::size_t(3), compared, 2 * compared})
    for (const std::size_t dim : {1u, 2u, 5u}) {
      Batches batches;
      batches.population = count;
      batches.lay_out(count, std::max<std::size_t>(1, count / 2)); // whatever the batches
      EXPECT_LE(gap<double>(count, dim, batches), 1) << count << " " << dim;
      EXPECT_LE(gap<float>(count, dim, batches), 1) << count << " " << dim;
      EXPECT_LE(gap<double>(count, dim, batches, true), 1) << count << " " << dim;
    }
}

// Many are sorted by the cells of a grid: evenly spread, with ties, and with one so far out that
// all others share a cell.
TEST(MarginalDrift, EqualsTheSumOverAllPairsWhereManyAreSorted) {
  using Sorted = MarginalDrift<double>;
  for (const std::size_t count : {Sorted::by_digits_from, Sorted::finer_from}) {
    Batches batches;
    batches.population = count;
    batches.lay_out(count, 1);
    EXPECT_LE(gap<double>(count, 2, batches), 1);
    EXPECT_LE(gap<float>(count, 2, batches), 1);
    EXPECT_LE(gap<double>(count, 2, batches, true), 1);
    auto far = cloud<double>(count, 1), alone = cloud<double>(count, 1);
    far.position()[0][0] = alone.position()[0][0] = 1e12;
    MarginalDrift<double> drift(h);
    drift(0, far, batches);
    EXPECT_TRUE(std::ranges::all_of(far.drift(), [](double phi) { return std::isfinite(phi); }));
    EXPECT_NEAR(far.drift()[0][0], alone.score()[0][0] / double(count), 1e-12);
  }
}

TEST(MarginalDrift, MayWriteWhereThePositionsLie) {
  auto apart_from = cloud<double>(300, 3);
  auto copy = cloud<double>(300, 3);
  auto in_place = Ensemble<double>::bare(300, 3,
                                         {.position = copy.position().data,
                                          .score = copy.score().data,
                                          .drift = copy.position().data});
  Batches batches;
  batches.population = 300;
  batches.lay_out(300, 1);
  MarginalDrift<double> drift(h);
  drift(0, apart_from, batches);
  drift(0, in_place, batches);
  EXPECT_TRUE(std::equal(apart_from.drift().begin(), apart_from.drift().end(),
                         std::as_const(in_place).drift().begin()));
}

TEST(MarginalDrift, TakesTheDealtOnly) {
  Draw draw(1, 9);
  auto particles = cloud<double>(50, 2);
  EXPECT_LE(gap<double>(50, 2, draw(3, particles)), 1);
}

TEST(MarginalDrift, IsToldApartFromAWrongWeight) {
  Batches batches;
  batches.population = 64;
  batches.lay_out(64, 1);
  EXPECT_GT(gap<double>(64, 2, batches, false, 1.001), 1e6);
}

TEST(MarginalDrift, IsTheSameOnAnyNumberOfThreadsAndKeepsWhatIsNoNumber) {
  auto one = cloud<double>(3000, 5), other = cloud<double>(3000, 5);
  Batches batches;
  batches.population = 3000;
  batches.lay_out(3000, 1500);
  Threads three(3);
  MarginalDrift<double> alone(h), together(h, three);
  alone(0, one, batches);
  together(0, other, batches);
  EXPECT_TRUE(std::equal(one.drift().begin(), one.drift().end(), other.drift().begin()));
  one.position()[7][2] = NAN;
  alone(0, one, batches);
  EXPECT_TRUE(std::isnan(one.drift()[8][2]));
  EXPECT_FALSE(std::isnan(one.drift()[8][1]));
  EXPECT_THROW(MarginalDrift<double>(0.0), std::invalid_argument);
}

/// Largest distance of the marginals of 256 normals in 10 dimensions from those of a normal, in sd,
/// over that of the same independent draws, after 40 steps.
double distance_left(const std::function<void(Step, Ensemble<double>&, const Batches&)>& drift) {
  constexpr std::size_t n = 256, dim = 10;
  Ensemble<double> particles(n, dim);
  start_normal(particles.position(), 5, 0, 1);
  Ensemble<double> many(200 * n, 1); // for the quantiles
  start_normal(many.position(), 6, 0, 1);
  std::vector<double> sorted(many.position().begin(), many.position().end());
  std::ranges::sort(sorted);
  const auto distance = [&] {
    double sum = 0;
    for (std::size_t a = 0; a < dim; ++a) {
      std::vector<double> column;
      for (std::size_t i = 0; i < n; ++i)
        column.push_back(particles.position()[i][a]);
      std::ranges::sort(column);
      for (std::size_t i = 0; i < n; ++i)
        sum += std::abs(column[i] - sorted[200 * i + 100]) / double(n * dim);
    }
    return sum;
  };
  const double before = distance();
  Shuffle deal(1, 8);
  for (Step k = 0; k < 40; ++k) {
    for (std::size_t m = 0; m < n * dim; ++m)
      particles.score().data[m] = -particles.position().data[m];
    drift(k, particles, deal(k, particles));
    const double step = 0.3 * std::pow(0.1, double(k) / 39);
    for (std::size_t m = 0; m < n * dim; ++m)
      particles.position().data[m] += step * particles.drift().data[m];
  }
  return distance() / before;
}

// Mean and sd alone leave more than half of the distance of independent draws; this leaves a fifth.
TEST(MarginalDrift, SpreadsMarginalsEvenlyInManyDimensions) {
  const auto nothing = [](Step, Ensemble<double>& all, const Batches&) {
    std::fill(all.drift().begin(), all.drift().end(), 0.0);
  };
  using Nothing = decltype(nothing);
  EXPECT_GT(distance_left(WithBilinear<double, Nothing>(nothing, 1.0)), 0.45);
  WithMarginals<double, Nothing> marginals(nothing, 3.0, 0.1);
  EXPECT_LT(distance_left(WithBilinear<double, WithMarginals<double, Nothing>>(marginals, 1.0)),
            0.3);
}

} // namespace
} // namespace drift_tests
