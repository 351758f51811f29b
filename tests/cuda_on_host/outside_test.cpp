// Scores that others make: steps by them against those of the built-in target, and what happens
// when they fail.
#include "cuda_on_host/machines.hpp"

#include <cmath>

namespace {

using namespace cuda_tests;

/// The scores of the spec's own normal, made by the host from what it brings down. `spoil` may
/// change them.
template <typename Real>
std::shared_ptr<const cuda::Outside<Real>>
by_the_host(std::size_t dim, std::function<void(Step, Rows<Real>)> spoil = {}) {
  auto outside = std::make_shared<cuda::Outside<Real>>();
  outside->on = [dim,
                 spoil](const std::shared_ptr<cuda::Machine>& machine) -> cuda::OutsideScore<Real> {
    return [machine, dim, spoil](Step k, const Real* x, Real* s, Real*, std::size_t count,
                                 std::size_t of) {
      ASSERT_EQ(of, dim);
      std::vector<Real> at(count * dim), score(count * dim);
      machine->download(at.data(), x, at.size() * sizeof(Real));
      const Rows<Real> rows{score.data(), count, dim};
      EvenNormal<Real>(dim, dim == 1 ? 0 : 0.2)(k, {at.data(), count, dim}, rows);
      if (spoil)
        spoil(k, rows);
      machine->upload(s, score.data(), score.size() * sizeof(Real));
      machine->wait();
    };
  };
  return outside;
}

class Outside : public OnMachine {
protected:
  template <typename Real>
  std::unique_ptr<cuda::Cloud<Real>> flying(cuda::RunSpec<Real> asked, Step steps) {
    auto cloud = std::make_unique<cuda::Cloud<Real>>(machine, asked);
    cloud->particles().upload(start<Real>(asked.particles, asked.dim));
    for (Step k = 0; k < steps; ++k)
      cloud->record(k);
    return cloud;
  }
  template <typename Real>
  double apart(std::size_t n, std::size_t dim, std::size_t p, Step steps, Real wrong = 1) {
    auto asked = spec<Real>(n, dim, By::moebius, p);
    asked.bandwidth = double(dim);
    auto own = flying<Real>(asked, steps);
    own->flush();
    asked.outside = by_the_host<Real>(dim, [wrong](Step, Rows<Real> s) {
      for (Real& value : s)
        value *= wrong;
    });
    auto other = flying<Real>(asked, steps);
    other->flush();
    EXPECT_EQ(other->next(), steps);
    const auto x = own->column(own->particles().position()),
               y = other->column(other->particles().position());
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      worst = std::max(worst, std::abs(double(x[i]) - double(y[i])));
    return worst;
  }
};

TEST_P(Outside, ScoresMoveTheCloudAsItsOwnDo) {
  for (const std::size_t dim : {1u, 2u, 3u, 9u, 56u, 130u})
    for (const std::size_t p : {2u, 3u, 8u, 70u}) {
      EXPECT_LT((apart<float>(71, dim, p, 4)), 2e-5) << dim << " dimensions, batches of " << p;
      EXPECT_LT((apart<double>(71, dim, p, 4)), 1e-12) << dim << " dimensions, batches of " << p;
    }
  EXPECT_LT((apart<double>(300, 2, 4, 140)), 1e-9); // rows travel
  EXPECT_GT((apart<float>(71, 2, 2, 4, 1.3F)), 1e-3);
  EXPECT_GT((apart<double>(71, 9, 3, 4, 1.3)), 1e-3);
}

TEST_P(Outside, ScoresThatAreNoNumbersAreNamed) {
  auto asked = spec<double>(41, 2, By::moebius, 4);
  asked.outside = by_the_host<double>(2, [](Step k, Rows<double> s) {
    if (k == 17)
      s[7][1] = NAN;
  });
  const auto flight = flying<double>(asked, 17);
  try {
    for (Step k = 17; k < 40; ++k)
      flight->record(k);
    flight->flush();
    FAIL() << "it did not fail";
  } catch (const TargetError& error) {
    EXPECT_EQ(error.step(), 17u);
    EXPECT_EQ(error.particle(), 7u); // nobody has travelled yet
    EXPECT_EQ(error.cause(), "the score of parameter 1 is nan");
  }
  EXPECT_EQ(flight->next(), 17u);
}

/// What is thrown comes out, and the steps before it stand: going on from there is as if nothing
/// had happened.
TEST_P(Outside, FailuresLeaveTheStepsBeforeThem) {
  auto asked = spec<double>(41, 3, By::moebius, 4);
  auto sound = flying<double>(asked, 40);
  sound->flush();
  for (const Step bad : {Step{0}, Step{1}, Step{23}}) {
    bool failing = true;
    asked.outside = by_the_host<double>(3, [&failing, bad](Step k, Rows<double>) {
      if (failing && k == bad)
        throw TargetError(k, 5, "on purpose");
    });
    auto cloud = std::make_unique<cuda::Cloud<double>>(machine, asked);
    cloud->particles().upload(start<double>(41, 3));
    const auto fly = [&](Step from) {
      for (Step k = from; k < 40; ++k)
        cloud->record(k);
      cloud->flush();
    };
    EXPECT_THROW(fly(0), TargetError);
    EXPECT_EQ(cloud->next(), bad);
    EXPECT_EQ(cloud->particles().moved, bad);
    failing = false;
    fly(bad);
    const auto x = sound->column(sound->particles().position()),
               y = cloud->column(cloud->particles().position());
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(x[i], y[i], 1e-12);
  }
}

TEST_P(Outside, LooksSeeItsScores) {
  auto asked = spec<double>(41, 3, By::moebius, 4);
  asked.outside = by_the_host<double>(3);
  cuda::Cloud<double> cloud(machine, asked);
  cloud.particles().upload(start<double>(41, 3));
  std::unique_ptr<Ensemble<double>> some;
  Batches batches;
  cloud.flow(0, 1000, some, batches);
  ASSERT_EQ(some->count(), 41u);
  Ensemble<double> twin(41, 3);
  EvenNormal<double>(3, 0.2)(0, some->position(), twin.score());
  for (std::size_t n = 0; n < twin.score().size(); ++n)
    EXPECT_NEAR(some->score().data[n], twin.score().data[n], 1e-14);
  cloud.move();
  EXPECT_EQ(cloud.next(), 1u);
}

STARLING_ON_MACHINES(Outside);

} // namespace
