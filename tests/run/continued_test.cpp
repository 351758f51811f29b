// A run that goes on from the positions of another deals what that one did not.
#include "run/cloud.hpp"

#include "assemble/flight.hpp"
#include "io/npy.hpp"
#include "io/scratch.hpp"

#include <gtest/gtest.h>

#include <array>

namespace starling::run {
namespace {

double spread(const std::vector<double>& positions) {
  double sum = 0, squares = 0;
  for (const double x : positions) {
    sum += x;
    squares += x * x;
  }
  const auto n = static_cast<double>(positions.size());
  return std::sqrt(squares / n - sum / n * (sum / n));
}

/// A short leg in pairs, whose noise has not died away at its end.
std::vector<double> leg(std::uint64_t seed, const std::function<void(Rows<double>)>& start) {
  const auto flight = begin(roles(Shuffle(seed, 2)), settings(500, 60, seed), start);
  flight->take(60, {});
  return flight->positions();
}

// The noise of the same batches adds up: replayed, the cloud comes out wider in six cases of six. A
// run that goes on is like one of another seed.
TEST(Continued, DealsAnewAndSoIsNoWiderThanUnderAnotherSeed) {
  double differences = 0, squares = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const std::vector<double> there = leg(seed, drawn(seed));
    const double replayed = spread(leg(seed, from(there)));
    const double continued = spread(leg(continued_seed(seed, there), from(there)));
    const double other = spread(leg(seed + 100, from(there)));
    EXPECT_GT(replayed, continued) << seed;
    EXPECT_GT(replayed, other) << seed;
    differences += (continued - other) / 6;
    squares += (continued - other) * (continued - other) / 6;
  }
  const double error = std::sqrt((squares - differences * differences) / 5);
  EXPECT_LT(std::abs(differences), 3 * error);
}

TEST(Continued, SeedTakesEveryBitOfThePositions) {
  const std::vector<double> x = {1, 2, 3};
  const std::uint64_t seed = continued_seed(1, x);
  EXPECT_EQ(continued_seed(1, x), seed);
  EXPECT_NE(seed, 1u);
  for (const std::vector<double>& y :
       {std::vector<double>{1, 2}, {1, 3, 2}, {1, 2, std::nextafter(3, 4)}, {-1, 2, 3}})
    EXPECT_NE(continued_seed(1, y), seed);
  EXPECT_NE(continued_seed(2, x), seed);
}

plan::Plan planned(const std::string& start) {
  plan::Recipe r;
  r.target = "normal";
  r.particles = 60;
  r.steps = 20;
  r.bandwidth = "1";
  r.start = start;
  r.threads = 1;
  return plan::resolve(r);
}

// Given by a program, in a file of positions or in a checkpoint, it is the same start and the same
// run; and it is resumed though the positions that it began with are gone.
TEST(Continued, IsTheSameHoweverThePositionsCome) {
  const io::Scratch scratch;
  const auto before = assemble::make_flight(planned(""));
  before->take(20, {});
  const std::vector<double> there = before->positions();
  write_checkpoint(scratch.path("a.checkpoint"), before->save());
  const auto given = assemble::make_flight(planned("given"), 0, nullptr, there);
  const auto read = assemble::make_flight(planned(scratch.path("a.checkpoint").string()));
  const auto replayed = begin(roles(Shuffle(1, 8)), settings(60, 20), from(there));
  EXPECT_NE(given->settings().seed, before->settings().seed);
  EXPECT_EQ(given->settings().seed, continued_seed(1, there));
  given->take(7, {});
  const Checkpoint kept = given->save();
  std::filesystem::remove(scratch.path("a.checkpoint"));
  const auto resumed =
      assemble::resume_flight(kept, plan::resolve(assemble::recipe_in(kept, "c")), "c");
  for (Flight* flight : {given.get(), read.get(), resumed.get()})
    flight->take(20, {});
  EXPECT_EQ(given->positions(), read->positions());
  EXPECT_EQ(given->positions(), resumed->positions());
}

TEST(Identity, KeepsPathsOfAnyBytes) {
  plan::Recipe r;
  r.target = "logistic";
  for (const std::string path : {"\xff\xfe.csv", "plain.csv", "\xc3\xa4.csv", "half \xc3",
                                 "own \xef\x9e\x80 mark", "\xed\xa0\x80", "\x80"}) {
    r.set("data", path);
    EXPECT_EQ(assemble::read_identity(assemble::write_identity(r), "c").text_of("data"), path);
  }
}

} // namespace
} // namespace starling::run
