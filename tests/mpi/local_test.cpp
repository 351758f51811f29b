// Batches inside blocks: their law, their bits on any ranks, and that nothing crosses between two
// travels.
#include "assemble/flight.hpp"
#include "mpi/ranks_as_threads.hpp"
#include "plan/plan.hpp"
#include "support/lemma_1.hpp"

#include <starling/deal/in_blocks.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/drift/reference.hpp>
#include <starling/kernel/gaussian.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace starling {
namespace {

using support::Vec;

constexpr std::size_t n = 64, blocks = 4, p = 4;
constexpr double h = 0.7;

InBlocks dealer(Step redeal) {
  return InBlocks(7, blocks, redeal, [](std::uint64_t seed) -> DealRows {
    return [own = std::make_shared<Shuffle>(seed, p)](Step k, std::size_t rows,
                                                      std::size_t population) -> const Batches& {
      return own->deal(k, rows, population);
    };
  });
}

Vec force(const Vec& x, const Vec& y) {
  const double dx = x[0] - y[0], dy = x[1] - y[1], w = std::exp(-(dx * dx + dy * dy) / (2 * h));
  const Vec s = support::score_at(y);
  return {w * (s[0] + dx / h), w * (s[1] + dy / h)};
}

struct Law {
  double found, error, predicted,
      of_lemma_1; ///< squared error of an epoch's mean drift, all particles together
};

/// Means over epochs of K steps of a cloud that does not move.
Law law_of_epochs(Step redeal, std::size_t epochs) {
  Ensemble<double> cloud = support::cloud(n);
  const Ensemble<double> home = cloud;
  std::vector<Vec> full(n, Vec{});
  double lambda = 0; // sum over i of (1/(N-2)) sum_{j != i} |F_ij - mean over j != i|^2
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t a = 0; a < 2; ++a) {
      const auto f = [&](std::size_t j) {
        return force({home.position()[i][0], home.position()[i][1]},
                     {home.position()[j][0], home.position()[j][1]})[a];
      };
      double others = 0;
      for (std::size_t j = 0; j < n; ++j) {
        full[i][a] += f(j) / n;
        others += j == i ? 0 : f(j) / (n - 1);
      }
      for (std::size_t j = 0; j < n; ++j)
        lambda += j == i ? 0 : std::pow(f(j) - others, 2) / (n - 2);
    }
  InBlocks deal = dealer(redeal);
  ReferenceDrift<double, kernel::Gaussian<double>> drift{kernel::Gaussian<double>(h)};
  std::vector<double> squares;
  for (Step epoch = 1; epoch <= epochs; ++epoch) {
    std::vector<Vec> mean(n, Vec{});
    for (Step k = epoch * redeal; k < (epoch + 1) * redeal; ++k) {
      const Batches& batches = deal(k, cloud);
      for (std::size_t i = 0; i < n; ++i) // scores do not travel
        std::ranges::copy(home.score()[cloud.id()[i]], cloud.score()[i].begin());
      drift(k, cloud, batches);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t a = 0; a < 2; ++a)
          mean[cloud.id()[i]][a] += cloud.drift()[i][a] / double(redeal);
    }
    double square = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t a = 0; a < 2; ++a)
        square += std::pow(mean[i][a] - full[i][a], 2);
    squares.push_back(square);
  }
  double sum = 0, scatter = 0;
  for (const double one : squares)
    sum += one / double(epochs);
  for (const double one : squares)
    scatter += std::pow(one - sum, 2) / double(epochs - 1);
  constexpr double m = double(n) / blocks;
  const double all = lambda * std::pow(1 - 1.0 / n, 2), steps = double(redeal);
  const double of_block = 1 / (m - 1) - 1.0 / (n - 1), of_batch = 1.0 / (p - 1) - 1 / (m - 1);
  return {sum, std::sqrt(scatter / double(epochs)), all * (of_block + of_batch / steps),
          all * (1.0 / (p - 1) - 1.0 / (n - 1)) / steps};
}

TEST(InBlocks, KeepsItsLawOverEpochs) {
  for (const Step redeal : {1, 4, 16}) {
    const Law law = law_of_epochs(redeal, 400);
    EXPECT_NEAR(law.found, law.predicted, 4 * law.error) << "K = " << redeal;
  }
}

TEST(InBlocks, AddsTheNoiseThatIsForeseen) {
  const Law law = law_of_epochs(16, 400);
  EXPECT_GT(law.found, law.of_lemma_1 + 10 * law.error); // not that of batches over everyone
  // In a population that is large against the blocks: 1 + K (p - 1) / (m - 1), here with what a
  // small one takes off.
  const double m = double(n) / blocks, extra = 16 * (p - 1) / (m - 1);
  EXPECT_LT(law.found / law.of_lemma_1, 1 + extra + 4 * law.error / law.of_lemma_1);
}

plan::Recipe inside(const std::string& deal, const std::string& batch) {
  plan::Recipe r;
  r.target = "banana";
  r.method = "paper";
  r.particles = 128;
  r.batch = batch;
  r.steps = 50;
  r.threads = 1;
  r.blocks = 8;
  r.redeal = 20;
  r.bandwidth = "0.5";
  r.deal = deal;
  return r;
}

TEST(InBlocks, StaysForAsManyStepsAsAddAHundredthOfNoise) {
  plan::Recipe r = inside("shuffle", "4");
  r.redeal = 0;
  for (const auto& [rows, steps] :
       {std::pair(301, 1), std::pair(601, 2), std::pair(3001, 10), std::pair(3300, 10)}) {
    r.particles = r.blocks * std::uint64_t(rows);
    const plan::Plan plan = plan::resolve(r);
    EXPECT_EQ(plan.redeal, Step(steps)); // K (p - 1)/(m - 1) <= 0.01
    EXPECT_EQ(plan.recipe.redeal, Step(steps));
  }
  r.particles = r.blocks * 300;
  try {
    plan::resolve(r);
    FAIL() << "no steps are too many";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()), "redeal: no number of steps keeps the noise that blocks "
                                         "add below 1 % with 300 rows a block; "
                                         "there must be 301, or give the number of steps");
  }
}

TEST(InBlocks, HasTheSameBitsOnAnyRanks) {
  for (const auto& [deal, batch] : {std::pair("shuffle", "3"), std::pair("moebius", "3"),
                                    std::pair("cosets", "4"), std::pair("matching", "2")}) {
    SCOPED_TRACE(deal);
    const plan::Plan plan = plan::resolve(inside(deal, batch));
    const auto one = assemble::make_flight(plan);
    one->take(one->total(), {});
    for (const std::size_t ranks : {2, 3})
      mpi::on_ranks(ranks, [&](const std::shared_ptr<mpi::Wire>& wire) {
        const auto flight = assemble::make_flight(plan, 0, nullptr, {}, wire);
        flight->take(20, {});
        EXPECT_EQ(wire->bytes_sent(), 0u); // not a row, before they travel
        flight->take(flight->total(), {});
        EXPECT_GT(wire->bytes_sent(), 0u);
        EXPECT_EQ(flight->positions(), one->positions());
      });
  }
}

} // namespace
} // namespace starling
