// Observers: moments, expectations, guard, recorder, now and then, several in turn, progress.
#include <starling/cpu/explicit_step.hpp>
#include <starling/deal/whole.hpp>
#include <starling/observe/guard.hpp>
#include <starling/observe/in_turn.hpp>
#include <starling/observe/moments.hpp>
#include <starling/observe/progress.hpp>
#include <starling/observe/recorder.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace {

using namespace starling;
using testing::ElementsAre;

static_assert(Observer<Moments, Ensemble<double>> && Observer<Guard, Ensemble<float>>);
static_assert(Observer<Recorder<double>, Ensemble<double>>);
static_assert(Observer<NoObserver, Ensemble<float>> && Observer<Progress, Ensemble<double>>);
static_assert(Observer<Expectations<float>, Ensemble<float>>);
static_assert(!Observer<Expectations<float>, Ensemble<double>>); // of other numbers
static_assert(Observer<InTurn<Moments, Guard>, Ensemble<double>>);
static_assert(Observer<Every<Moments>, Ensemble<double>>);

template <typename Real>
Ensemble<Real> three() {
  Ensemble<Real> particles(3, 2);
  const Real x[] = {1, 10, 2, 10, 6, 40};
  std::copy(x, x + 6, particles.position().begin());
  return particles;
}

const Batches nothing;

TEST(Moments, AreMeanAndVarianceOverTheCloud) {
  Moments moments;
  EXPECT_EQ(moments(0, three<double>(), nothing), Signal::go_on);
  EXPECT_DOUBLE_EQ(moments.mean()[0], 3);
  EXPECT_DOUBLE_EQ(moments.mean()[1], 20);
  EXPECT_DOUBLE_EQ(moments.variance()[0], (4.0 + 1 + 9) / 3); // by N, not N - 1
  EXPECT_DOUBLE_EQ(moments.variance()[1], 200);
}

TEST(Moments, AreThoseOfTheLastLook) {
  Moments moments;
  moments(0, three<float>(), nothing);
  Ensemble<float> other(2, 1);
  other.position()[1][0] = 4;
  moments(1, other, nothing);
  EXPECT_THAT(moments.mean(), ElementsAre(2));
  EXPECT_THAT(moments.variance(), ElementsAre(4));
}

// Far from zero: two passes keep the digits that a sum of squares would lose.
TEST(Moments, KeepTheVarianceOfACloudFarAway) {
  Ensemble<double> far(2, 1);
  far.position()[0][0] = 1e8;
  far.position()[1][0] = 1e8 + 2;
  Moments moments;
  moments(0, far, nothing);
  EXPECT_DOUBLE_EQ(moments.variance()[0], 1);
}

TEST(Expectations, AreMeansOfTheGivenFunctions) {
  Expectations<double> expectations({[](std::span<const double> x) { return x[0]; },
                                     [](std::span<const double> x) { return x[0] * x[1]; }});
  EXPECT_EQ(expectations(0, three<double>(), nothing), Signal::go_on);
  expectations(1, three<double>(), nothing); // a second look starts anew
  EXPECT_THAT(expectations.values(),
              ElementsAre(testing::DoubleEq(3), testing::DoubleEq((10 + 20 + 240) / 3.0)));
}

TEST(Guard, LetsFiniteParticlesPass) {
  auto particles = three<double>();
  particles.position()[1][0] = 1e308; // large, but a number
  particles.position()[2][0] = -1e308;
  EXPECT_EQ(Guard{}(0, particles, nothing), Signal::go_on);
}

TEST(Guard, NamesStepParticleAndParameterOfTheFirstThatIsNotFinite) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    auto particles = three<double>();
    particles.position()[1][1] = bad;
    particles.position()[2][0] = bad;
    particles.id()[1] = 41; // rows travel: it is the identity that is named
    try {
      Guard({"mu", "log_sigma"})(7, particles, nothing);
      FAIL() << "nothing was thrown";
    } catch (const Diverged& error) {
      EXPECT_EQ(error.step(), 7u);
      EXPECT_EQ(error.particle(), 41u);
      EXPECT_STREQ(error.what(), "particles: diverged at step 7, particle 41, parameter log_sigma: "
                                 "the position is not finite; lower the step size");
    }
  }
}

/// One step of so many particles whose drift has this number at that place.
template <typename Real>
Ensemble<Real> moved(std::size_t count, std::size_t dim, std::size_t place, Real bad) {
  Ensemble<Real> particles(count, dim);
  cpu::ExplicitStep<Real, FadingAdaGrad<Real>> advance(FadingAdaGrad<Real>(0.1));
  advance(0, particles, Whole()(0, particles), [&] {
    std::ranges::fill(particles.drift(), Real(1));
    particles.drift().data[place] = bad;
  });
  return particles;
}

TEST(Guard, NeedNotReadWhatTheStepHasSeen) {
  const auto sound = moved<double>(5, 7, 3, 1.0);
  EXPECT_TRUE(sound.known_finite());
  auto copy = sound;
  EXPECT_TRUE(copy.known_finite());
  copy.position()[4][6] = NAN; // from here on somebody may have written
  EXPECT_FALSE(copy.known_finite());
  EXPECT_THROW(Guard{}(0, copy, Whole()(0, copy)), Diverged);

  auto late = sound;
  const auto kept = late.position();
  late.note_finite();
  kept[4][6] = NAN; // by rows asked for before, which nobody sees
  EXPECT_THROW(Guard{}(0, late, Whole()(0, late)), Diverged);
  EXPECT_EQ((Guard({}, Threads::alone(), true)(0, late, Whole()(0, late))),
            Signal::go_on); // it did not read them
}

TEST(Guard, SeesWhatAStepMadeWhereverItIs) {
  for (std::size_t place = 0; place < 75; ++place)
    for (const double bad : {double(NAN), double(INFINITY), -double(INFINITY)}) {
      auto particles = moved<double>(5, 15, place, bad);
      EXPECT_FALSE(particles.known_finite()) << place;
      EXPECT_THROW(Guard{}(0, particles, Whole()(0, particles)), Diverged) << place;
      EXPECT_FALSE((moved<float>(5, 15, place, static_cast<float>(bad)).known_finite())) << place;
    }
}

template <typename Real>
void expect_every_kind_of_number_told_apart() {
  using Limits = std::numeric_limits<Real>;
  std::vector<Real> values = {
      0, -Real(0), 1, -1, Limits::max(), Limits::lowest(), Limits::min(), Limits::denorm_min()};
  values.resize(40000, Real(3));
  EXPECT_TRUE(all_finite(std::span<const Real>(values), Threads::alone()));
  for (const Real bad : {Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::signaling_NaN(),
                         Limits::infinity(), -Limits::infinity()})
    for (const std::size_t place : {0u, 1u, 32767u, 32768u, 39999u}) {
      const Real before = std::exchange(values[place], bad);
      EXPECT_FALSE(all_finite(std::span<const Real>(values), Threads::alone()))
          << bad << " at " << place;
      values[place] = before;
    }
}
TEST(Finite, TellsEveryKindOfNumberFromTheRest) {
  expect_every_kind_of_number_told_apart<double>();
  expect_every_kind_of_number_told_apart<float>();
}

TEST(Guard, NumbersParametersThatHaveNoName) {
  auto particles = three<float>();
  particles.position()[0][1] = NAN;
  try {
    Guard{}(0, particles, nothing);
    FAIL() << "nothing was thrown";
  } catch (const Diverged& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("parameter 1:"));
  }
}

TEST(Recorder, KeepsACopyPerLook) {
  Recorder<double> recorder;
  auto particles = three<double>();
  recorder(0, particles, nothing);
  particles.position()[0][0] = -1;
  recorder(5, particles, nothing);
  ASSERT_EQ(recorder.snapshots().size(), 2u);
  EXPECT_EQ(recorder.snapshots()[0].step, 1u); // steps done
  EXPECT_EQ(recorder.snapshots()[1].step, 6u);
  EXPECT_THAT(recorder.snapshots()[0].position, ElementsAre(1, 10, 2, 10, 6, 40));
  EXPECT_THAT(recorder.snapshots()[1].position, ElementsAre(-1, 10, 2, 10, 6, 40));
}

// Writes down when it looked; says stop at one step.
struct Diary {
  Step stop_at = ~Step{0};
  std::vector<Step> steps = {};
  template <typename Real>
  Signal operator()(Step k, const Ensemble<Real>&, const Batches&) {
    steps.push_back(k);
    return k == stop_at ? Signal::stop : Signal::go_on;
  }
};

TEST(Every, LooksAtEveryNthStepOnly) {
  Diary diary;
  Every every(3, diary);
  for (Step k = 0; k < 8; ++k)
    EXPECT_EQ(every(k, three<double>(), nothing), Signal::go_on);
  EXPECT_THAT(diary.steps, ElementsAre(0, 3, 6)); // given as an lvalue: kept by reference
}

TEST(Every, PassesStopOn) {
  Every every(3, Diary{6});
  EXPECT_EQ(every(3, three<double>(), nothing), Signal::go_on);
  EXPECT_EQ(every(5, three<double>(), nothing), Signal::go_on);
  EXPECT_EQ(every(6, three<double>(), nothing), Signal::stop);
}

TEST(InTurn, StopsIfAnyOneSaysStopAfterAllHaveLooked) {
  for (const int who : {0, 1, 2}) {
    Diary diaries[3];
    diaries[who].stop_at = 4;
    InTurn all(diaries[0], diaries[1], diaries[2]);
    EXPECT_EQ(all(3, three<double>(), nothing), Signal::go_on);
    EXPECT_EQ(all(4, three<double>(), nothing), Signal::stop);
    EXPECT_EQ(all(5, three<double>(), nothing), Signal::go_on);
    for (const Diary& diary : diaries) // lvalues are kept by reference
      EXPECT_THAT(diary.steps, ElementsAre(3, 4, 5));
  }
}

TEST(InTurn, AsksInTheOrderGivenAndKeepsTemporaries) {
  std::vector<int> order;
  const auto says = [&order](int number) {
    return [&order, number](Step, const Ensemble<double>&, const Batches&) {
      order.push_back(number);
      return Signal::go_on;
    };
  };
  InTurn all(says(1), says(2), Every(2, says(3)));
  all(0, three<double>(), nothing);
  all(1, three<double>(), nothing);
  EXPECT_THAT(order, ElementsAre(1, 2, 3, 1, 2));
}

TEST(Progress, ReportsStepsDoneInOrderUpToTheTotal) {
  std::vector<ProgressReport> reports;
  Progress progress(40, 0, [&](const ProgressReport& report) { reports.push_back(report); });
  for (Step k = 0; k < 40; ++k)
    EXPECT_EQ(progress(k, three<double>(), nothing), Signal::go_on);
  ASSERT_EQ(reports.size(), 39u); // with no pause: all but the first look, which has no pace yet
  for (std::size_t n = 0; n < reports.size(); ++n) {
    EXPECT_EQ(reports[n].done, n + 2);
    EXPECT_EQ(reports[n].total, 40u);
    EXPECT_GE(reports[n].seconds, n == 0 ? 0 : reports[n - 1].seconds);
    // pace so far times steps to come
    EXPECT_NEAR(reports[n].seconds_left, reports[n].seconds / double(n + 1) * double(38 - n), 1e-9);
  }
  EXPECT_EQ(reports.back().seconds_left, 0);
}

TEST(Progress, KeepsQuietDuringThePause) {
  int calls = 0;
  Progress progress(1000, 3600, [&](const ProgressReport&) { ++calls; });
  for (Step k = 0; k < 1000; ++k)
    progress(k, three<double>(), nothing);
  EXPECT_EQ(calls, 0);
}

TEST(Progress, CountsThePaceFromWhereARunBegan) {
  std::vector<ProgressReport> reports;
  Progress progress(110, 0, [&](const ProgressReport& report) { reports.push_back(report); });
  for (const Step k : {100u, 101u, 102u}) // resumed at 100
    progress(k, three<double>(), nothing);
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[1].done, 103u);
  EXPECT_NEAR(reports[1].seconds_left, reports[1].seconds / 2 * 7, 1e-9);
}

} // namespace
