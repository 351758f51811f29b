// Tails that fall like a power: the variance has no error bar, and the middle is judged.
#include <starling/judge/move_test.hpp>
#include <starling/random/philox.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace power_tail_tests {

using namespace starling;
using namespace starling::judge;

constexpr std::size_t count = 800, moves = 20;

/// A draw of a law: by a uniform number that chooses, and by a normal one.
using Law = std::function<double(double chooses, double normal)>;

double student_2(double u, double) { return (2 * u - 1) / std::sqrt(2 * u * (1 - u)); }
/// A power that ends: its kurtosis, about 16, is that of a tail which has moments.
double power_that_ends(double u, double) {
  const double out = 1 / std::sqrt(1 - std::abs(2 * u - 1)) - 1;
  return std::copysign(std::min(out, 10.0), u - 0.5);
}
double normal_law(double, double z) { return z; }
/// A few wide ones, whose tail is a normal's.
double wide_few(double u, double z) { return u < 0.08 ? 5 * z : z; }
double far_mode(double u, double z) { return u < 0.05 ? 30 + z : z; }

double drawn(const Law& law, std::uint64_t move, std::size_t i) {
  const Block bits = Philox(11)(Stream::user, move, i);
  return law(uniform(Philox(12)(Stream::user, move, i)), normal_pair(bits)[0]);
}

/// Independent draws of the law by every move, from a cloud of draws of `from`, so many times as
/// wide.
MoveTest tested(const Law& from, const Law& law, double width = 1) {
  std::vector<double> x(count);
  for (std::size_t i = 0; i < count; ++i)
    x[i] = width * drawn(from, 0, i);
  MoveTest test(Rows<const double>{x.data(), count, 1});
  for (std::uint64_t move = 1; move <= moves; ++move) {
    for (std::size_t i = 0; i < count; ++i)
      x[i] = drawn(law, move, i);
    test.add({x.data(), count, 1});
  }
  return test;
}

TEST(PowerTail, IsSeenByTheMoves) {
  EXPECT_FALSE(tested(student_2, student_2).has_moments(0));
  EXPECT_FALSE(tested(normal_law, student_2).has_moments(0)) << "also where the cloud has no tail";
  EXPECT_FALSE(tested(power_that_ends, power_that_ends).has_moments(0)) << "whatever its kurtosis";
}

TEST(PowerTail, IsNotThatOfANormalOrOfAFarMode) {
  EXPECT_TRUE(tested(normal_law, normal_law).has_moments(0));
  EXPECT_TRUE(tested(wide_few, wide_few).has_moments(0));
  EXPECT_TRUE(tested(far_mode, far_mode).has_moments(0));
}

TEST(PowerTail, IsNotACloudThatIsMuchTooNarrow) {
  const MoveTest test = tested(normal_law, normal_law, 0.1);
  EXPECT_TRUE(test.has_moments(0));
  EXPECT_EQ(test.judge().finding, Finding::moved);
}

TEST(PowerTail, ARightCloudIsConfirmedAndAWrongOneIsNot) {
  EXPECT_EQ(tested(student_2, student_2).judge().finding, Finding::confirmed);
  EXPECT_EQ(tested(student_2, student_2, 1.6).judge().finding, Finding::moved);
  EXPECT_EQ(tested(student_2, student_2, 0.6).judge().finding, Finding::moved);
  EXPECT_EQ(tested(student_2, student_2).judge().heavy.size(), 1u) << "and users are told";
}

} // namespace power_tail_tests
