// Numbers that cannot be: sizes, bandwidths, steps, exponents, periods.
#include "misuse/rejects.hpp"

#include <starling/advance/riesz_splitting.hpp>
#include <starling/advance/rules.hpp>
#include <starling/advance/runge_kutta.hpp>
#include <starling/deal/draw.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/domain.hpp>
#include <starling/ensemble.hpp>
#include <starling/kernel/bandwidth.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/kernel/inverse_multiquadric.hpp>
#include <starling/kernel/matern.hpp>
#include <starling/kernel/polynomial.hpp>
#include <starling/kernel/riesz.hpp>
#include <starling/kernel/sinc.hpp>
#include <starling/kernel/smooth_riesz.hpp>
#include <starling/kernel/sum.hpp>
#include <starling/observe/in_turn.hpp>
#include <starling/random/start.hpp>

#include <cmath>
#include <limits>

namespace {

using namespace starling;
using namespace starling::kernel;
using namespace misuse_tests;

const double nan_value = std::numeric_limits<double>::quiet_NaN();
const double infinite = std::numeric_limits<double>::infinity();
const double not_positive[] = {0.0, -1.0, nan_value, infinite, -infinite};

TEST(Ensemble, RefusesNoParticlesAndNoDimensions) {
  EXPECT_EQ(refusal([] { Ensemble<double>(0, 3); }), "particles: must be at least 1; got 0");
  EXPECT_EQ(refusal([] { Ensemble<float>(3, 0); }), "dim: must be at least 1; got 0");
}

// Before memory is asked for: else this would take 160 GB, or fail for want of it.
TEST(Ensemble, RefusesMoreThanCanBeNumberedBeforeItAllocates) {
  EXPECT_EQ(refusal([] { Ensemble<double>((std::size_t{1} << 32) + 1, 1); }),
            "particles: must be fewer than 2^32; got 4294967297");
  expect_refused("particles", [] { Ensemble<double>(std::size_t{1} << 60, 1); });
  EXPECT_EQ(refusal([] { Ensemble<double>(0, std::size_t{1} << 63); }),
            "particles: must be at least 1; got 0");
}

TEST(Ensemble, NamesWhatDidNotFitAlsoWhereTheSizeOverflows) {
  const auto said = [](std::size_t count, std::size_t dim) -> std::string {
    try {
      Ensemble<double>(count, dim);
    } catch (const DoesNotFit& error) {
      return error.what();
    }
    return "it fitted";
  };
  // 2^31 x 2^33 numbers are 2^67 bytes, of which 64 bits keep 0
  EXPECT_EQ(said(std::size_t{1} << 31, std::size_t{1} << 33),
            "particles: 2147483648 of 8589934592 numbers each do not fit into memory");
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the rest: where there is no memory, new of a sanitizer ends the program";
#else
  // 2^62 bytes: a size that 64 bits can say, and no machine has
  EXPECT_EQ(said(1 << 20, std::size_t{1} << 39),
            "particles: 1048576 of 549755813888 numbers each do not fit into memory");
#endif
}

TEST(BatchSize, RefusesFewerThanTwo) {
  for (const std::size_t p : {0u, 1u}) {
    const std::string text = "batch_size: must be at least 2; got " + std::to_string(p);
    EXPECT_EQ(refusal([&] { Shuffle(1, p); }), text);
    EXPECT_EQ(refusal([&] { Draw(1, p); }), text);
    EXPECT_EQ(refusal([&] { BatchSize::doubling(p, 10); }), text);
    EXPECT_EQ(refusal([&] { BatchSize::power(p, 0.5); }), text);
  }
}

TEST(BatchSize, RefusesMoreThanThereAreParticles) {
  const Ensemble<double> particles(5, 1);
  Shuffle shuffle(1, 6);
  Draw draw(1, 6);
  const std::string text = "batch_size: must be at most the number of particles, 5; got 6";
  EXPECT_EQ(refusal([&] { shuffle(0, particles); }), text);
  EXPECT_EQ(refusal([&] { draw(0, particles); }), text);
  Shuffle all(1, 5);
  EXPECT_NO_THROW(all(0, particles));
}

TEST(BatchSize, RefusesARuleThatDoesNotGrow) {
  expect_refused("grow_batch", [] { BatchSize::doubling(2, 0); });
  for (const double exponent : {-0.5, nan_value, infinite})
    expect_refused("grow_batch", [&] { BatchSize::power(2, exponent); });
}

TEST(Bandwidth, MustBeAPositiveFiniteNumber) {
  for (const double h : not_positive) {
    expect_refused("bandwidth", [&] { Gaussian<double>{h}; });
    expect_refused("bandwidth", [&] { Gaussian<float>(float(h), Height::paper); });
    expect_refused("bandwidth", [&] { InverseMultiquadric<double>{h}; });
    expect_refused("bandwidth", [&] { Matern32<double>{h}; });
    expect_refused("bandwidth", [&] { Matern52<double>{h}; });
    expect_refused("bandwidth", [&] { FixedBandwidth<double>{h}; });
    Gaussian<double> gaussian(2.0);
    expect_refused("bandwidth", [&] { gaussian.set_bandwidth(h); });
    EXPECT_EQ(gaussian.at_distance(1.0).weight, Gaussian<double>(2.0).at_distance(1.0).weight);
  }
  expect_refused("bandwidth pairs", [] { SampledMedianBandwidth<double>(1, 0); });
}

TEST(Kernels, RefuseParametersThatCannotBe) {
  for (const double bad : not_positive) {
    expect_refused("scale", [&] { Polynomial<double>(bad, 2); });
    expect_refused("frequency", [&] { Sinc<double>{bad}; });
    expect_refused("exponent", [&] { Riesz<double>{bad}; });
    expect_refused("exponent", [&] { RieszAttraction<float>{float(bad)}; });
    expect_refused("exponent", [&] { SmoothRiesz<double>(bad, 1.0, 2); });
    expect_refused("smoothing", [&] { SmoothRiesz<double>(1.0, bad, 2); });
    expect_refused("kernel weight", [&] {
      Sum<double, Gaussian<double>, Gaussian<double>>({1.0, bad}, Gaussian<double>(1.0),
                                                      Gaussian<double>(2.0));
    });
  }
  EXPECT_EQ(refusal([] { Polynomial<double>(1.0, 0); }), "degree: must be at least 1; got 0");
  expect_refused("degree", [] { Polynomial<double>(1.0, -2); });
}

TEST(SmoothRiesz, RefusesAnExponentThatIsNotBelowTheDimension) {
  for (const double exponent : {2.0, 2.5})
    expect_refused("exponent", [&] { SmoothRiesz<double>(exponent, 1.0, 2); });
  expect_refused("exponent", [] { SmoothRiesz<double>(0.5, 1.0, 0); });
  EXPECT_NO_THROW(SmoothRiesz<double>(1.99, 1.0, 2));
}

TEST(StepSize, MustBeAPositiveFiniteNumber) {
  for (const double eta : not_positive) {
    expect_refused("step_size", [&] { ConstantStep<double>{eta}; });
    expect_refused("step_size", [&] { DecayingStep<double>(eta, 1.0, 1.0); });
    expect_refused("step_size", [&] { FadingAdaGrad<float>{eta}; });
    expect_refused("step_size", [&] { SummingAdaGrad<double>{eta}; });
    expect_refused("step_size", [&] { RmsProp<double>{eta}; });
    expect_refused("step_size", [&] { Adam<double>{eta}; });
    expect_refused("step_size", [&] { RungeKutta4<double>{eta}; });
    expect_refused("step_size", [&] { RieszSplitting<double>(eta, 1.0); });
    expect_refused("decay tau", [&] { DecayingStep<double>(0.1, eta, 1.0); });
  }
}

TEST(StepRules, RefuseParametersThatCannotBe) {
  for (const double bad : {-0.1, nan_value, infinite})
    expect_refused("decay power", [&] { DecayingStep<double>(0.1, 1.0, bad); });
  for (const double bad : {-0.1, 1.0, 2.0, nan_value}) {
    expect_refused("fade", [&] { FadingAdaGrad<double>(0.1, bad); });
    expect_refused("fade", [&] { RmsProp<double>(0.1, bad); });
    expect_refused("fade", [&] { Adam<double>(0.1, bad); });
    expect_refused("fade_square", [&] { Adam<double>(0.1, 0.9, bad); });
  }
  for (const double bad : {0.0, -1.0, nan_value})
    expect_refused("exponent", [&] { RieszSplitting<double>(0.1, bad); });
}

TEST(Torus, RefusesAPeriodThatIsNotPositiveAndFinite) {
  for (const double period : not_positive) {
    expect_refused("torus period", [&] { Torus<double>{period}; });
    expect_refused("torus period", [&] { Torus<float>{float(period)}; });
  }
}

TEST(Start, RefusesNumbersThatCannotBe) {
  Ensemble<double> particles(3, 2);
  const auto x = particles.position();
  for (const double sd : {-1.0, nan_value, infinite})
    expect_refused("start", [&] { start_normal(x, 1, 0.0, sd); });
  expect_refused("start", [&] { start_normal(x, 1, nan_value, 1.0); });
  expect_refused("start", [&] { start_uniform(x, 1, 1.0, 1.0); });
  expect_refused("start", [&] { start_uniform(x, 1, 2.0, 1.0); });
  expect_refused("start", [&] { start_uniform(x, 1, -infinite, 1.0); });
  EXPECT_NO_THROW(start_normal(x, 1, 0.0, 0.0)); // all in one place is a start too
}

TEST(Every, RefusesNever) {
  EXPECT_EQ(refusal([] { Every(0, NoObserver{}); }), "every: must be at least 1; got 0");
}

} // namespace
