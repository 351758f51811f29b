// The SIMD levels themselves: which there are, that a forced one runs, how good their exp is.
#include "simd/every_level.hpp"

#include "cpu/levels.hpp"

#include <starling/kernel/gaussian.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace starling {
namespace {

using simd_tests::at_every_level;

TEST(Levels, AlwaysHaveScalarAndUseTheWidest) {
  const auto names = cpu::levels();
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names.front(), "scalar");
  EXPECT_EQ(cpu::level(), names.back());
}

TEST(Levels, HaveVectorsOnTheseArchitectures) {
#if defined(__aarch64__)
  EXPECT_EQ(cpu::level(), "neon");
#elif defined(__x86_64__)
  EXPECT_EQ(cpu::level().starts_with("avx"), bool(__builtin_cpu_supports("avx2")));
#else
  GTEST_SKIP() << "which level a machine of this architecture has is not known here";
#endif
}

TEST(Levels, RunTheirOwnCodeWhenForced) {
  std::vector<std::size_t> lanes;
  at_every_level([&] {
    lanes.push_back(cpu::work_in_use<cpu::PairWork<double, kernel::Gaussian<double>>>().lanes);
    EXPECT_EQ((cpu::work_in_use<cpu::PairWork<float, kernel::Gaussian<float>>>().lanes),
              lanes.back() == 1 ? 1 : 2 * lanes.back());
  });
  EXPECT_EQ(lanes.front(), 1u);
  for (std::size_t i = 1; i < lanes.size(); ++i)
    EXPECT_GT(lanes[i], lanes[i - 1]);
}

TEST(Levels, RefuseANameThatIsNotThere) {
  EXPECT_THROW(cpu::force_level("mmx"), std::invalid_argument);
  EXPECT_NO_THROW(cpu::force_level(cpu::level()));
}

/// The largest error of exp(-r2) in units in the last place, over r2 from 0 to `most`.
template <typename Real>
double worst_ulp(Real most) {
  // With h = 1/2 the Gaussian is exp(-r2) to the bit before its exp.
  const kernel::Gaussian<Real> kernel(Real(0.5));
  constexpr std::size_t count = 20001;
  std::vector<Real> r2(count), weight(count), slope(count);
  for (std::size_t i = 0; i < count; ++i)
    r2[i] = most * static_cast<Real>(i) / static_cast<Real>(count - 1);
  cpu::work_in_use<cpu::PairWork<Real, kernel::Gaussian<Real>>>().weights(
      &kernel, r2.data(), weight.data(), slope.data(), count);
  double worst = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const long double exact = std::exp(-static_cast<long double>(r2[i]));
    const Real near = static_cast<Real>(exact);
    const long double ulp = std::nextafter(near, std::numeric_limits<Real>::infinity()) - near;
    worst = std::max(worst, static_cast<double>(std::abs(weight[i] - exact) / ulp));
  }
  return worst;
}

TEST(Exp, IsGoodToTwoUnitsInTheLastPlace) {
  at_every_level([] {
    EXPECT_LT(worst_ulp<double>(1), 2);
    EXPECT_LT(worst_ulp<double>(700), 2);
    EXPECT_LT(worst_ulp<float>(1), 2);
    EXPECT_LT(worst_ulp<float>(85), 2);
  });
}

TEST(Exp, IsZeroWhereItUnderflowsAndKeepsWhatIsNoNumber) {
  at_every_level([] {
    const kernel::Gaussian<double> kernel(0.5);
    const double r2[] = {0, 709, 1e6, INFINITY, NAN};
    double weight[5], slope[5];
    cpu::work_in_use<cpu::PairWork<double, kernel::Gaussian<double>>>().weights(&kernel, r2, weight,
                                                                                slope, 5);
    EXPECT_EQ(weight[0], 1.0);
    EXPECT_EQ(weight[1], 0.0);
    EXPECT_EQ(weight[2], 0.0);
    EXPECT_EQ(weight[3], 0.0);
    EXPECT_TRUE(std::isnan(weight[4]));
  });
}

} // namespace
} // namespace starling
