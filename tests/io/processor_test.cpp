// Matrix products as for another processor, and back: the same products, whoever makes them.
#include "assemble/processor.hpp"
#include "cpu/blas.hpp"

#include <starling/cpu/level.hpp>
#include <starling/cpu/products.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace starling;

/// The largest error of a product of whole numbers, which are exact in double; nothing may be wrong.
double error_of_a_product() {
  constexpr std::size_t rows = 37, columns = 29, inner = 41;
  std::vector<double> a(rows * inner), b(inner * columns), c(rows * columns);
  for (std::size_t n = 0; n < a.size(); ++n)
    a[n] = double(n % 17) - 8;
  for (std::size_t n = 0; n < b.size(); ++n)
    b[n] = double(n % 13) - 6;
  cpu::multiply<double>(cpu::Turn::none, cpu::Turn::none, rows, columns, inner, 1.0, {a.data(), inner}, {b.data(), columns},
                        0.0, {c.data(), columns});
  double worst = 0;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < inner; ++k)
        sum += a[i * inner + k] * b[k * columns + j];
      worst = std::max(worst, std::abs(sum - c[i * columns + j]));
    }
  return worst;
}

/// As on a machine whose owner has said nothing of cores; what was said holds again afterwards.
class Processor : public testing::Test {
protected:
  Processor() { ::unsetenv(word); }
  ~Processor() override { said_ ? ::setenv(word, said_->c_str(), 1) : ::unsetenv(word); }
  static constexpr const char* word = "OPENBLAS_CORETYPE";

private:
  std::optional<std::string> said_ = std::getenv(word) ? std::optional<std::string>(std::getenv(word)) : std::nullopt;
};

#if defined(__x86_64__)
TEST_F(Processor, LeavesNoThreadThatWouldChooseForItself) {
  if (cpu::products().core == "Prescott" || !assemble::multiply_for("Prescott"))
    GTEST_SKIP() << "this OpenBLAS stays with " << cpu::products().core;
  // A thread of the library's that was slow to start took the choice back, once in many thousand starts.
  const std::filesystem::directory_iterator threads("/proc/self/task");
  EXPECT_EQ(std::distance(begin(threads), end(threads)), 1);
  assemble::multiply_for_this_processor();
}

TEST_F(Processor, IsToldToALibraryThatDoesNotKnowIt) {
  if (!assemble::multiply_for("Prescott"))
    GTEST_SKIP() << "this OpenBLAS is built for one processor alone: " << cpu::products().core;
  EXPECT_EQ(error_of_a_product(), 0);
  const auto levels = cpu::levels();
  const bool wide = std::ranges::find(levels, "avx2") != levels.end();
  EXPECT_EQ(assemble::multiply_for_this_processor().empty(), !wide) << cpu::products().core;
  EXPECT_EQ(cpu::products().core == "Prescott", !wide) << cpu::products().core;
  EXPECT_EQ(error_of_a_product(), 0);
  EXPECT_EQ(assemble::multiply_for_this_processor(), ""); // once is enough
}

TEST_F(Processor, IsWhatTheUserSaid) {
  if (!assemble::multiply_for("Prescott"))
    GTEST_SKIP() << "this OpenBLAS is built for one processor alone: " << cpu::products().core;
  ::setenv(word, "Prescott", 1);
  EXPECT_EQ(assemble::multiply_for_this_processor(), "");
  EXPECT_EQ(cpu::products().core, "Prescott");
}
#endif

TEST_F(Processor, StaysWhatItIsWhereTheLibraryKnowsIt) {
  const std::string before = cpu::products().core;
  const std::string told = assemble::multiply_for_this_processor();
  EXPECT_EQ(cpu::products().core, told.empty() ? before : told);
  EXPECT_EQ(error_of_a_product(), 0);
}

} // namespace
