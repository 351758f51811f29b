// Matrix products as for another processor, and back: the same products, whoever makes them.
#include "assemble/processor.hpp"
#include "cpu/blas.hpp"

#include <starling/cpu/level.hpp>
#include <starling/cpu/products.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace starling;

/// The largest error of a product of whole numbers, which are exact in double; nothing may be
/// wrong.
double error_of_a_product() {
  constexpr std::size_t rows = 37, columns = 29, inner = 41;
  std::vector<double> a(rows * inner), b(inner * columns), c(rows * columns);
  for (std::size_t n = 0; n < a.size(); ++n)
    a[n] = double(n % 17) - 8;
  for (std::size_t n = 0; n < b.size(); ++n)
    b[n] = double(n % 13) - 6;
  cpu::multiply<double>(cpu::Turn::none, cpu::Turn::none, rows, columns, inner, 1.0,
                        {a.data(), inner}, {b.data(), columns}, 0.0, {c.data(), columns});
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
  std::optional<std::string> said_ =
      std::getenv(word) ? std::optional<std::string>(std::getenv(word)) : std::nullopt;
};

TEST(BetterCores, AreThoseOfWideVectorsWhereTheLibraryKnowsOfNone) {
  using Cores = std::vector<std::string>;
  for (const char* narrow : {"Prescott", "Nehalem", "Sandybridge", "Opteron"}) {
    EXPECT_EQ(assemble::better_cores(narrow, {"scalar", "avx2", "avx512"}),
              (Cores{"SkylakeX", "Haswell"}))
        << narrow;
    EXPECT_EQ(assemble::better_cores(narrow, {"scalar", "avx2"}), Cores{"Haswell"}) << narrow;
    EXPECT_EQ(assemble::better_cores(narrow, {"scalar"}), Cores{}) << narrow;
  }
  for (const char* wide : {"Haswell", "Zen", "SkylakeX", "Cooperlake"})
    EXPECT_EQ(assemble::better_cores(wide, {"scalar", "avx2", "avx512"}), Cores{}) << wide;
  EXPECT_EQ(assemble::better_cores("neoversev1", {"scalar", "neon"}), Cores{});
}

#if defined(__x86_64__)
TEST_F(Processor, LeavesNoThreadThatWouldChooseForItself) {
  if (cpu::products().core == "Prescott" || !assemble::multiply_for("Prescott"))
    GTEST_SKIP() << "this OpenBLAS stays with " << cpu::products().core;
  // A thread of the library's that was slow to start took the choice back, once in many thousand
  // starts. The system may list a thread for a moment after its end.
  const auto threads = [] {
    const std::filesystem::directory_iterator all("/proc/self/task");
    return std::distance(begin(all), end(all));
  };
  for (int wait = 0; wait < 10000 && threads() > 1; ++wait)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(threads(), 1);
}

TEST_F(Processor, IsToldToALibraryThatDoesNotKnowIt) {
  std::vector<std::string> cores = assemble::better_cores("Prescott", cpu::levels());
  cores.push_back("Prescott");
  std::vector<std::string> known;
  for (const std::string& core : cores) {
    const bool done = assemble::multiply_for(core);
    EXPECT_EQ(cpu::products().core == core, done) << core << " " << cpu::products().core;
    EXPECT_EQ(error_of_a_product(), 0) << core;
    if (done)
      known.push_back(core);
  }
  if (known.size() < 2)
    GTEST_SKIP() << "this OpenBLAS stays with " << cpu::products().core;
  EXPECT_EQ(assemble::multiply_for_this_processor(), known.front());
  EXPECT_EQ(cpu::products().core, known.front());
  EXPECT_EQ(error_of_a_product(), 0);
  EXPECT_EQ(assemble::multiply_for_this_processor(), ""); // once is enough
}

TEST_F(Processor, IsWhatTheUserSaid) {
  assemble::multiply_for("Prescott");
  const std::string before = cpu::products().core;
  ::setenv(word, before.c_str(), 1);
  EXPECT_EQ(assemble::multiply_for_this_processor(), "");
  EXPECT_EQ(cpu::products().core, before);
}
#endif

TEST_F(Processor, StaysWhatItIsWhereTheLibraryKnowsIt) {
  const std::string before = cpu::products().core;
  const std::string told = assemble::multiply_for_this_processor();
  EXPECT_EQ(cpu::products().core, told.empty() ? before : told);
  EXPECT_EQ(error_of_a_product(), 0);
}

} // namespace
