// The memory of columns: on cache lines, and large ones where large pages can begin.
#include <starling/rows.hpp>
#include <starling/threads.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace {

using namespace starling;

std::size_t past(const void* begin, std::size_t boundary) {
  return reinterpret_cast<std::uintptr_t>(begin) % boundary;
}

void* announced = nullptr;
std::size_t announced_bytes = 0;
void note(void* begin, std::size_t bytes) {
  announced = begin;
  announced_bytes = bytes;
}

TEST(Columns, BeginOnCacheLinesAndLargeOnesOnPages) {
  EXPECT_NE(announce_column, nullptr); // the library hears of them
  const auto before = std::exchange(announce_column, note);
  const Column<double> small(large_column / sizeof(double) - 1);
  EXPECT_EQ(past(small.data(), 64), 0u);
  EXPECT_EQ(announced, nullptr);
  const Column<double> large(large_column / sizeof(double));
  EXPECT_EQ(past(large.data(), large_page), 0u);
  EXPECT_EQ(announced, large.data());
  EXPECT_EQ(announced_bytes, large_column);
  announce_column = before;
}

TEST(Columns, HoldZerosAndWhatIsWrittenWhateverPagesTheyGet) {
  Column<float> column(large_column);
  EXPECT_TRUE(std::ranges::all_of(column, [](float v) { return v == 0; }));
  column.front() = 1;
  column.back() = 2;
  Column<float> copy = column;
  copy.resize(2 * large_column);
  EXPECT_EQ(copy.front(), 1);
  EXPECT_EQ(copy[large_column - 1], 2);
  EXPECT_EQ(copy.back(), 0);
}

} // namespace
