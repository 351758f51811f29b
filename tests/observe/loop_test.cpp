// The loop: which role is called when, and where it stops.
#include <starling/advance/runge_kutta.hpp>
#include <starling/deal/whole.hpp>
#include <starling/observe/in_turn.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/target/score.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace starling;
using testing::ElementsAre;

// Every role writes its name and step down.
struct Log {
  std::vector<std::string> lines;
  Batches batches;

  auto deal() {
    return [this](Step k, const Ensemble<double>& particles) -> const Batches& {
      lines.push_back("deal " + std::to_string(k));
      batches.population = particles.count();
      batches.lay_out(particles.count(), 1);
      return batches;
    };
  }
  auto noted(const std::string& role) {
    return [this, role](Step k, Ensemble<double>&, const Batches& given) {
      EXPECT_EQ(&given, &batches);
      lines.push_back(role + " " + std::to_string(k));
    };
  }
  auto advance(int flows) {
    return [this, flows](Step k, Ensemble<double>& particles, const Batches& given, auto&& flow) {
      EXPECT_EQ(&given, &batches);
      lines.push_back("advance " + std::to_string(k));
      for (int n = 0; n < flows; ++n)
        flow();
      particles.position()[0][0] += 1;
    };
  }
  auto observe(Step stop_at) {
    return [this, stop_at](Step k, const Ensemble<double>& particles, const Batches&) {
      lines.push_back("observe " + std::to_string(k));
      EXPECT_GT(particles.position()[0][0], 0); // after the move
      return k == stop_at ? Signal::stop : Signal::go_on;
    };
  }
  Step run(Ensemble<double>& particles, Span steps, Step stop_at = 1000, int flows = 1) {
    return rbm_svgd(particles, steps, deal(), noted("score"), noted("drift"), advance(flows),
                    observe(stop_at));
  }
};

TEST(Loop, DealsThenAdvancesOverScoreAndDriftThenObserves) {
  Ensemble<double> particles(2, 1);
  Log log;
  EXPECT_EQ(log.run(particles, {0, 2}), 2u);
  EXPECT_THAT(log.lines, ElementsAre("deal 0", "advance 0", "score 0", "drift 0", "observe 0",
                                     "deal 1", "advance 1", "score 1", "drift 1", "observe 1"));
}

TEST(Loop, LetsTheSolverAskForTheFlowAsOftenAsItNeeds) {
  Ensemble<double> particles(2, 1);
  Log log;
  log.run(particles, {0, 1}, 1000, 2);
  EXPECT_THAT(log.lines, ElementsAre("deal 0", "advance 0", "score 0", "drift 0", "score 0",
                                     "drift 0", "observe 0"));
}

TEST(Loop, LooksBetweenTheFirstFlowAndTheMoveOnceAStep) {
  Ensemble<double> particles(2, 1);
  Log log;
  const auto look = [&](Step k, Ensemble<double>& all, const Batches& given) {
    EXPECT_EQ(&given, &log.batches);
    EXPECT_EQ(all.position()[0][0], double(k)); // where step k - 1 left it
    log.lines.push_back("look " + std::to_string(k));
  };
  EXPECT_EQ(rbm_svgd(particles, {0, 2}, log.deal(), log.noted("score"), log.noted("drift"), look,
                     log.advance(2), log.observe(1000)),
            2u);
  EXPECT_THAT(log.lines,
              ElementsAre("deal 0", "advance 0", "score 0", "drift 0", "look 0", "score 0",
                          "drift 0", "observe 0", "deal 1", "advance 1", "score 1", "drift 1",
                          "look 1", "score 1", "drift 1", "observe 1"));
}

// What is seen belongs together: the drift of a pair is that of its positions and its scores.
TEST(Loop, LooksWherePositionsScoresAndDriftBelongTogether) {
  Ensemble<double> particles(1, 1);
  particles.position()[0][0] = 3;
  const auto score = [](Step, Ensemble<double>& all, const Batches&) {
    all.score()[0][0] = -all.position()[0][0];
  };
  const auto drift = [](Step, Ensemble<double>& all, const Batches&) {
    all.drift()[0][0] = 2 * all.score()[0][0] + all.position()[0][0];
  };
  int looks = 0;
  const auto look = [&](Step, Ensemble<double>& all, const Batches&) {
    ++looks;
    EXPECT_EQ(all.score()[0][0], -all.position()[0][0]);
    EXPECT_EQ(all.drift()[0][0], -all.position()[0][0]);
  };
  rbm_svgd(particles, {0, 3}, Whole(), score, drift, look, RungeKutta4<double>(0.25), NoObserver());
  EXPECT_EQ(looks, 3);
  EXPECT_NE(particles.score()[0][0], -particles.position()[0][0]); // after the move they do not
}

TEST(Loop, DoesNotTakeAStepWhoseLookThrows) {
  Ensemble<double> particles(2, 1);
  const auto look = [](Step k, Ensemble<double>&, const Batches&) {
    if (k == 2)
      throw std::runtime_error("seen enough");
  };
  const auto drift = [](Step, Ensemble<double>& all, const Batches&) {
    std::ranges::fill(all.drift(), 1.0);
  };
  RungeKutta4<double> advance(0.5);
  EXPECT_THROW(rbm_svgd(particles, {0, 9}, Whole(), NoScore(), drift, look, advance, NoObserver()),
               std::runtime_error);
  EXPECT_DOUBLE_EQ(particles.position()[1][0], 1); // two steps, not two and a half
}

TEST(Loop, ReturnsTheStepThatComesNextWhenToldToStop) {
  Ensemble<double> particles(2, 1);
  Log log;
  EXPECT_EQ(log.run(particles, {0, 10}, 3), 4u);
  EXPECT_EQ(log.lines.back(), "observe 3");
  EXPECT_EQ(particles.position()[0][0], 4);
}

TEST(Loop, GoesOnWhereItStopped) {
  Ensemble<double> particles(2, 1);
  Log log;
  const Step next = log.run(particles, {0, 10}, 3);
  log.lines.clear();
  EXPECT_EQ(log.run(particles, {next, 6}), 6u);
  EXPECT_EQ(log.lines.front(), "deal 4");
  EXPECT_EQ(particles.position()[0][0], 6);
}

TEST(Loop, DoesNothingInZeroSteps) {
  Ensemble<double> particles(2, 1);
  Log log;
  EXPECT_EQ(log.run(particles, {0, 0}), 0u);
  EXPECT_EQ(log.run(particles, {5, 5}), 5u);
  EXPECT_TRUE(log.lines.empty());
  EXPECT_EQ(particles.position()[0][0], 0);
}

// Roles may be values made on the spot, lvalues or plain function pointers.
Signal never_stops(Step, const Ensemble<double>&, const Batches&) { return Signal::go_on; }
void scores_nothing(Step, Ensemble<double>&, const Batches&) {}

TEST(Loop, TakesFunctionPointersAsRoles) {
  Ensemble<double> particles(2, 1);
  Whole deal;
  Log log;
  log.batches = deal(0, particles);
  const auto advance = [](Step, Ensemble<double>& all, const Batches&, auto&& flow) {
    flow();
    all.position()[0][0] += 1;
  };
  EXPECT_EQ(rbm_svgd(particles, {0, 3}, deal, scores_nothing, scores_nothing, advance, never_stops),
            3u);
  EXPECT_EQ(
      rbm_svgd(particles, {3, 4}, deal, &scores_nothing, &scores_nothing, advance, NoObserver{}),
      4u);
  EXPECT_EQ(particles.position()[0][0], 4);
}

TEST(Loop, LetsWhatARoleThrowsThrough) {
  Ensemble<double> particles(2, 1);
  Whole deal;
  const auto failing = [](Step k, Ensemble<double>&, const Batches&) {
    if (k == 2)
      throw TargetError(k, 1, "no");
  };
  const auto advance = [](Step, Ensemble<double>& all, const Batches&, auto&& flow) {
    flow();
    all.position()[0][0] += 1;
  };
  EXPECT_THROW(rbm_svgd(particles, {0, 5}, deal, failing, scores_nothing, advance, never_stops),
               TargetError);
  EXPECT_EQ(particles.position()[0][0], 2); // where it was before the step that failed
}

} // namespace
