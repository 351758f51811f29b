// Dealers without a shuffle: over all that they can deal, any two and any three particles meet as
// often as after a full shuffle, so that Lemma 1 holds with its variance. A dealer that is fair
// only to pairs has the mean and not the variance.
#include <starling/deal/cosets.hpp>
#include <starling/deal/moebius.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/drift/force.hpp>
#include <starling/drift/reference.hpp>
#include <starling/kernel/gaussian.hpp>

#include "support/lemma_1.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <vector>

namespace starling {
namespace {

using Visit = std::function<void(const Batches&)>;
using Deals = std::function<void(const Visit&)>;

/// All maps, and for each all places at which the rows above q can go in.
Deals all_maps(std::size_t n, std::size_t p) {
  return [n, p](const Visit& visit) {
    MoebiusTable table;
    table.prepare(n);
    Batches batches;
    const std::uint32_t q = table.prime();
    std::uint64_t insertions = 1;
    for (std::uint64_t row = q + 1; row < n; ++row)
      insertions *= row + 1;
    for (std::uint32_t a = 0; a < q; ++a)
      for (std::uint32_t b = 1; b < q; ++b)
        for (std::uint32_t c = 0; c <= q; ++c)
          for (std::uint64_t way = 0; way < insertions; ++way) {
            std::uint64_t left = way;
            const auto place_for = [&](std::uint32_t row) {
              const auto place = static_cast<std::uint32_t>(left % (row + 1));
              left /= row + 1;
              return place;
            };
            Order(table.order({q, a, b, c}, place_for), n, Batches::pieces(n, p))
                .write(batches, Threads::alone());
            visit(batches);
          }
  };
}

/// All subspaces of dimension k of the vectors of `bits` bits, each once.
Deals all_subspaces(std::size_t bits, std::size_t k) {
  return [bits, k](const Visit& visit) {
    Batches batches;
    const std::uint32_t n = 1u << bits;
    std::set<std::set<std::uint32_t>> seen; // reduced bases: one for each subspace
    const std::function<void(CosetsOrder)> grow = [&](CosetsOrder space) {
      if (space.dim == k) {
        if (seen.insert({space.basis, space.basis + k}).second) {
          Order(space, n).write(batches, Threads::alone());
          visit(batches);
        }
        return;
      }
      for (std::uint32_t v = 1; v < n; ++v)
        if (CosetsOrder more = space; more.join(v))
          grow(more);
    };
    grow({});
  };
}

/// x -> a + b x on n places, n prime: fair to pairs, not to triples.
Deals affine_maps(std::uint32_t n, std::size_t p) {
  return [n, p](const Visit& visit) {
    Batches batches;
    batches.population = n;
    for (std::uint32_t a = 0; a < n; ++a)
      for (std::uint32_t b = 1; b < n; ++b) {
        const auto order = batches.lay_out(n, Batches::pieces(n, p));
        for (std::uint32_t x = 0; x < n; ++x)
          order[x] = (a + b * x) % n;
        visit(batches);
      }
  };
}

/// How often each set of `members` particles is within one batch: most minus least, and the mean,
/// in shares of the deals.
struct Meetings {
  double spread = 0, mean = 0;
};
Meetings meetings(std::size_t n, std::size_t members, const Deals& deals) {
  std::map<std::vector<std::uint32_t>, double> met;
  double count = 0;
  deals([&](const Batches& batches) {
    ++count;
    for (std::size_t batch = 0; batch < batches.count(); ++batch) {
      std::vector<std::uint32_t> all(batches[batch].begin(), batches[batch].end());
      std::sort(all.begin(), all.end());
      for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          if (members == 2)
            ++met[{all[j], all[i]}];
          else
            for (std::size_t l = 0; l < j; ++l)
              ++met[{all[l], all[j], all[i]}];
    }
  });
  const double sets = members == 2 ? double(n * (n - 1)) / 2 : double(n * (n - 1) * (n - 2)) / 6;
  double least = met.size() < std::size_t(sets) ? 0 : INFINITY, most = 0, sum = 0;
  for (const auto& [set, times] : met) {
    least = std::min(least, times);
    most = std::max(most, times);
    sum += times;
  }
  return {(most - least) / count, sum / sets / count};
}

/// The share of deals in which three given places hold three given rows, most minus least, times
/// the number of triples: 0 when the order is exactly 3-uniform.
double unevenness_of_triples(std::size_t n, std::array<std::size_t, 3> places, const Deals& deals) {
  std::map<std::array<std::uint32_t, 3>, double> held;
  double count = 0;
  deals([&](const Batches& batches) {
    const auto order = batches.order();
    ++held[{order[places[0]], order[places[1]], order[places[2]]}];
    ++count;
  });
  const auto triples = double(n * (n - 1) * (n - 2));
  double least = double(held.size()) < triples ? 0 : INFINITY, most = 0;
  for (const auto& [rows, times] : held) {
    least = std::min(least, times);
    most = std::max(most, times);
  }
  return (most - least) / count * triples;
}

support::Vec odd_force(const support::Vec& x, const support::Vec& y) {
  return {std::sin(x[0] - 2 * y[1]) + 0.4, x[0] * y[0] - std::cos(y[1] - x[1])};
}
struct OddForce {
  void operator()(std::span<const double> x, std::span<const double> y,
                  std::span<double> out) const {
    const auto f = odd_force({x[0], x[1]}, {y[0], y[1]});
    std::copy(f.begin(), f.end(), out.begin());
  }
};
support::Deviation deviation(std::size_t n, const Deals& deals) {
  return support::deviation_from_lemma_1(n, odd_force, ForceDrift<double, OddForce>(OddForce()),
                                         deals);
}
constexpr double rounding = 1e-11, visible = 0.01;

TEST(Moebius, HasEveryThreeRowsAtAnyThreePlacesEquallyOften) {
  for (const std::size_t n : {4u, 6u, 7u, 8u, 9u, 10u, 12u}) { // 7, 9 and 10 have rows above q
    EXPECT_EQ(unevenness_of_triples(n, {0, 1, 2}, all_maps(n, 2)), 0) << n;
    EXPECT_EQ(unevenness_of_triples(n, {0, n / 2, n - 1}, all_maps(n, 2)), 0) << n;
  }
}
TEST(Moebius, IsToldApartFromMapsThatAreFairOnlyToPairs) {
  EXPECT_GT(unevenness_of_triples(7, {0, 1, 2}, affine_maps(7, 2)), 1);
  EXPECT_LT(meetings(7, 2, affine_maps(7, 7)).spread, 1e-12);
}
TEST(Moebius, IsUnbiasedWithTheVarianceThatLemma1States) {
  for (const auto& [n, p] :
       {std::pair<std::size_t, std::size_t>{6, 2}, {6, 3}, {7, 3}, {8, 4}, {9, 3}, {12, 4}}) {
    const auto worst = deviation(n, all_maps(n, p));
    EXPECT_LT(worst.mean, rounding) << n << ", " << p;
    EXPECT_LT(worst.square, rounding) << n << ", " << p;
  }
}
TEST(Moebius, FailsTheVarianceWithMapsThatAreFairOnlyToPairs) {
  const auto worst = deviation(7, affine_maps(7, 3));
  EXPECT_LT(worst.mean, rounding);
  EXPECT_GT(worst.square, visible);
}

TEST(Cosets, LetAnyTwoAndAnyThreeMeetAsOftenAsAShuffle) {
  for (const auto& [bits, k] :
       {std::pair<std::size_t, std::size_t>{3, 1}, {3, 2}, {4, 1}, {4, 2}, {4, 3}, {5, 2}}) {
    const std::size_t n = std::size_t{1} << bits, p = std::size_t{1} << k;
    const auto pairs = meetings(n, 2, all_subspaces(bits, k)),
               triples = meetings(n, 3, all_subspaces(bits, k));
    EXPECT_NEAR(pairs.mean, double(p - 1) / double(n - 1), 1e-12);
    EXPECT_LT(pairs.spread, 1e-12) << n << ", " << p;
    EXPECT_NEAR(triples.mean, double((p - 1) * (p - 2)) / double((n - 1) * (n - 2)), 1e-12);
    EXPECT_LT(triples.spread, 1e-12) << n << ", " << p;
  }
}
TEST(Cosets, AreUnbiasedWithTheVarianceThatLemma1States) {
  for (const auto& [bits, k] :
       {std::pair<std::size_t, std::size_t>{3, 1}, {3, 2}, {4, 2}, {4, 3}}) {
    const auto worst = deviation(std::size_t{1} << bits, all_subspaces(bits, k));
    EXPECT_LT(worst.mean, rounding) << bits << ", " << k;
    EXPECT_LT(worst.square, rounding) << bits << ", " << k;
  }
}
TEST(Cosets, DrawEverySubspaceEquallyOften) { // of the 35 planes in four dimensions
  Cosets dealer(5, 4);
  std::map<std::vector<std::uint32_t>, double> seen;
  constexpr Step steps = 35000;
  for (Step k = 0; k < steps; ++k) {
    const auto members = dealer.deal(k, 16)[0];
    std::vector<std::uint32_t> plane(members.begin(), members.end());
    std::sort(plane.begin(), plane.end());
    ++seen[plane];
  }
  ASSERT_EQ(seen.size(), 35u);
  double chi_square = 0;
  for (const auto& [plane, times] : seen)
    chi_square += (times - 1000) * (times - 1000) / 1000;
  EXPECT_LT(std::abs(chi_square - 34) / std::sqrt(2 * 34.0), 4.5); // 34 degrees of freedom
}

TEST(Moebius, DrawsEveryPlaceOfARowEquallyOften) {
  constexpr std::size_t n = 9;
  constexpr Step steps = 27000;
  Moebius dealer(5, 3);
  double at[n][n] = {};
  for (Step k = 0; k < steps; ++k) {
    const auto order = dealer.deal(k, n).order();
    for (std::size_t place = 0; place < n; ++place)
      ++at[place][order[place]];
  }
  for (const auto& row : at)
    for (const double times : row) // sd of sqrt(27000 / 9 * 8 / 9) = 51.6; 4.5 of them among 81
      EXPECT_NEAR(times, 3000, 4.5 * 51.6);
}

// As it is dealt, not only over the maps there are: of 6 rows any three are at any three places.
TEST(Moebius, DrawsEveryThreePlacesOfThreeRows) {
  Moebius dealer(5, 3);
  std::map<std::array<std::size_t, 3>, double> times;
  constexpr Step steps = 12000;
  for (Step k = 0; k < steps; ++k) {
    const auto order = dealer.deal(k, 6).order();
    std::array<std::size_t, 3> places{};
    for (std::size_t place = 0; place < 6; ++place)
      if (order[place] < 3)
        places[order[place]] = place;
    ++times[places];
  }
  EXPECT_EQ(times.size(), 120u);
  for (const auto& [places, found] : times) // sd of sqrt(12000 / 120) = 10; 5 of them among 120
    EXPECT_NEAR(found, 100, 50);
}

TEST(DealersWithoutAShuffle, RefuseWhatTheyCannotDeal) {
  EXPECT_THROW(Cosets(1, 3), std::invalid_argument);
  EXPECT_THROW(Cosets(1, 4).deal(0, 12), std::invalid_argument);
  EXPECT_THROW(Cosets(1, 4).deal(0, 2), std::invalid_argument);
  EXPECT_THROW(Moebius(1, 4).deal(0, 3), std::invalid_argument);
  EXPECT_THROW(Moebius(1, 2, Threads::alone(), 0), std::invalid_argument);
}

} // namespace
} // namespace starling
