// Steps in which a number is lost: those before them stand, and the failure names the step.
#include "cuda_on_host/machines.hpp"

#include <cmath>
#include <memory>

namespace {

using namespace cuda_tests;

class FailedSteps : public OnMachine {};

/// A step after which a position is not finite is named by its number, and those before it stand.
TEST_P(FailedSteps, AreTakenBack) {
  const auto run = [&](Step bad, Step steps) {
    auto asked = spec<double>(41, 2, By::moebius, 4);
    asked.rule.at = [bad](double time, std::uint32_t) {
      return cuda::Move<double>(Proportional<double>{time == double(bad) ? INFINITY : 0.1});
    };
    auto cloud = std::make_unique<cuda::Cloud<double>>(machine, asked);
    cloud->particles().upload(start<double>(41, 2));
    for (Step k = 0; k < steps; ++k)
      cloud->record(k);
    return cloud;
  };
  const auto failing = run(17, 40), sound = run(1000, 17);
  try {
    failing->flush();
    FAIL() << "it did not fail";
  } catch (const Diverged& error) {
    EXPECT_EQ(error.step(), 17u);
  }
  EXPECT_EQ(failing->next(), 17u);
  sound->flush();
  Ensemble<double> one(41, 2), other(41, 2);
  failing->particles().download(one);
  sound->particles().download(other);
  EXPECT_EQ(one.moves()[0], 17u);
  for (std::size_t n = 0; n < 82; ++n)
    EXPECT_NEAR(one.position().data[n], other.position().data[n], 1e-12);
}

/// The same where rows lie side by side: the columns are as they were, and steps are taken from
/// there.
TEST_P(FailedSteps, OfRowsSideBySideAreTakenBack) {
  const auto run = [&](Step bad, Step steps) {
    auto asked = spec<float>(1032, 2, By::moebius, 8);
    asked.rule.memories = 1;
    asked.rule.at = [bad](double time, std::uint32_t) {
      return cuda::Move<float>(
          Scaled<float>{time == double(bad) ? INFINITY : 0.01F, 0.9F, 0.1F, 1e-3F});
    };
    auto cloud = std::make_unique<cuda::Cloud<float>>(machine, asked);
    cloud->particles().upload(start<float>(1032, 2));
    for (Step k = 0; k < steps; ++k)
      cloud->record(k);
    return cloud;
  };
  const auto failing = run(17, 40), sound = run(1000, 17);
  EXPECT_THROW(failing->flush(), Diverged);
  EXPECT_EQ(failing->next(), 17u);
  sound->flush();
  Ensemble<float> one(1032, 2), other(1032, 2);
  failing->particles().download(one);
  sound->particles().download(other);
  for (std::size_t n = 0; n < 2064; ++n) {
    EXPECT_NEAR(one.position().data[n], other.position().data[n], 4e-4);
    EXPECT_NEAR(one.memory(0).data[n], other.memory(0).data[n], 4e-4);
  }
}

STARLING_ON_MACHINES(FailedSteps);

} // namespace
