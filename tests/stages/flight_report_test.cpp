// What a run in stages says of its flight: who flew, in which frame, and whether it led anywhere.
#include <starling/run/staged.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flight_report_tests {

using namespace starling;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// A normal whose score is given times `sign`: with -1 every step of the flight leads away.
run::Outcome outcome_of(std::size_t particles, std::size_t dim, bool scouts = true,
                        double sign = 1) {
  run::Staged staged;
  staged.target.dim = dim;
  for (std::size_t a = 0; a < dim; ++a)
    staged.target.names.push_back("x" + std::to_string(a));
  staged.target.evaluate = [=](Rows<const double> x, Rows<double> s, std::span<double> l) {
    for (std::size_t i = 0; i < x.count; ++i) {
      l[i] = 0;
      for (std::size_t a = 0; a < dim; ++a) {
        s[i][a] = -sign * x[i][a];
        l[i] -= x[i][a] * x[i][a] / 2;
      }
    }
  };
  if (!scouts)
    staged.stages.starts = 0;
  run::Settings settings;
  settings.particles = particles;
  const auto flight = run::begin(std::move(staged), settings);
  flight->take(1'000'000, {});
  return flight->outcome(true);
}

TEST(FlightReport, NamesTheWalkersWhereTheyAreFewerThanAll) {
  EXPECT_EQ(outcome_of(300, 2).stages->walkers, stages::Settings().walkers);
  EXPECT_EQ(outcome_of(64, 2).stages->walkers, 0u);
  EXPECT_EQ(outcome_of(300, 2, false).stages->walkers, 0u); // a cloud that was given flies whole
}

TEST(FlightReport, RefusesSettingsWithoutParticles) {
  EXPECT_THROW(outcome_of(0, 2), std::invalid_argument);
}

TEST(FlightReport, RefusesATargetWithTooFewNames) {
  run::Staged staged;
  staged.target.dim = 2;
  staged.target.names = {"a"};
  staged.target.evaluate = [](Rows<const double>, Rows<double>, std::span<double>) {};
  run::Settings settings;
  settings.particles = 64;
  EXPECT_THROW(run::begin(std::move(staged), settings), std::invalid_argument);
}

TEST(FlightReport, NamesTheFrame) {
  EXPECT_EQ(outcome_of(64, 2).stages->frame, "dense");
  EXPECT_EQ(outcome_of(64, 120).stages->frame, "low rank");
}

TEST(FlightReport, SaysThatAFlightWhichLeadsAwayWasGivenUp) {
  const auto given_up =
      Contains(HasSubstr("the flight (SVGD) moved away from the target 3 times and was stopped"));
  const run::Outcome away = outcome_of(64, 2, false, -1), right = outcome_of(64, 2, false);
  EXPECT_GE(away.stages->turned_back, 3u);
  EXPECT_THAT(away.warnings, given_up);
  EXPECT_EQ(right.stages->turned_back, 0u);
  EXPECT_THAT(right.warnings, Not(given_up));
}

} // namespace flight_report_tests
