// Summaries of tables on all threads: to the last bit those of their columns alone, whatever lies
// in them.
#include <starling/judge/summary.hpp>

#include "judge/ranks.hpp"

#include <starling/random/start.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace starling;
using namespace starling::judge;

std::vector<double> table_of(std::size_t count, std::size_t dim) {
  std::vector<double> table(count * dim);
  start_normal(Rows<double>{table.data(), count, dim}, 5, 0.3, 2);
  return table;
}

/// NaN is equal to itself here.
std::vector<std::uint64_t> bits_of(const ParameterSummary& p) {
  std::vector<std::uint64_t> bits = {p.left_out, p.heavy ? 1u : 0u};
  for (const double figure :
       {p.mean, p.sd, p.q05, p.q50, p.q95, p.spread_identity, p.shift, p.outer_share})
    bits.push_back(std::isnan(figure) ? 1 : std::bit_cast<std::uint64_t>(figure));
  return bits;
}

void expect_those_of_columns(const std::vector<double>& table, std::size_t dim,
                             const std::string& what) {
  const std::size_t count = table.size() / dim;
  std::vector<std::string> names;
  for (std::size_t a = 0; a < dim; ++a)
    names.push_back("x" + std::to_string(a));
  for (const std::size_t threads : {1u, 3u}) {
    Threads crew(threads);
    const std::vector<ParameterSummary> found =
        summarize(names, Rows<const double>{table.data(), count, dim}, crew);
    ASSERT_EQ(found.size(), dim);
    for (std::size_t a = 0; a < dim; ++a) {
      std::vector<double> column;
      for (std::size_t i = 0; i < count; ++i)
        column.push_back(table[i * dim + a]);
      const ParameterSummary alone = summarize(names[a], std::move(column));
      EXPECT_EQ(found[a].name, alone.name);
      EXPECT_EQ(bits_of(found[a]), bits_of(alone))
          << what << ", column " << a << " of " << dim << ", " << count << " rows, " << threads
          << " threads";
    }
  }
}

TEST(Summaries, OfATableAreThoseOfItsColumns) {
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{99}, std::size_t{4096}, ranked_together - 1, ranked_together,
        ranked_together + 1, 2 * ranked_together + 12345})
    for (const std::size_t dim : {1u, 2u, 5u})
      expect_those_of_columns(table_of(count, dim), dim, "normal");
}

TEST(Summaries, OfMoreColumnsThanAreLaidOutAtOnceAreThoseOfEach) {
  expect_those_of_columns(table_of(ranked_together, 67), 67, "many columns");
}

TEST(Summaries, HoldForColumnsThatASampleMisjudges) {
  const std::size_t count = ranked_together + 4321;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<std::string, std::function<double(std::size_t, double)>>> shapes = {
      {"all alike", [](std::size_t, double) { return 7.0; }},
      {"zeros of both signs", [](std::size_t i, double) { return i % 3 == 0 ? -0.0 : 0.0; }},
      {"two values", [](std::size_t, double x) { return x > 1 ? 1.0 : 0.0; }},
      {"few values", [](std::size_t, double x) { return std::floor(x); }},
      {"far from 0", [](std::size_t, double x) { return 1e9 + 1e-3 * x; }},
      {"no mean", [](std::size_t, double x) { return 1 / x; }},
      {"rising", [](std::size_t i, double) { return static_cast<double>(i); }},
      {"falling", [](std::size_t i, double) { return -static_cast<double>(i); }},
      {"what the sample sees is elsewhere",
       [=](std::size_t i, double x) { return (i * 4096) % count < 4096 ? x + 100 : x; }},
      {"infinite at both ends",
       [=](std::size_t i, double x) {
         return i % 1000 == 1 ? infinite : i % 1000 == 2 ? -infinite : x;
       }},
      {"some are no numbers", [](std::size_t i, double x) { return i % 7 == 0 ? NAN : x; }},
      {"none is a number", [](std::size_t, double) { return NAN; }}};
  for (const auto& [what, shape] : shapes) {
    std::vector<double> table = table_of(count, 2); // the second column stays as it was
    for (std::size_t i = 0; i < count; ++i)
      table[2 * i] = shape(i, table[2 * i]);
    expect_those_of_columns(table, 2, what);
  }
}

/// Whether a column is found by windows, and not by its slow twin.
bool by_windows(const std::vector<double>& column) {
  RanksTogether ranks(column, column.size());
  ranks.choose_windows(0);
  for (std::size_t block = 0; block < ranks.blocks(); ++block)
    ranks.search(block);
  for (std::size_t window = 0; window < ranks.windows(); ++window)
    ranks.sort(window);
  return ranks.by_windows(0);
}

TEST(RanksTogether, GoesByWindowsWhereValuesDiffer) {
  for (const std::size_t count : {ranked_together, std::size_t{300001}})
    EXPECT_TRUE(by_windows(table_of(count, 1)));
  EXPECT_FALSE(by_windows(std::vector<double>(ranked_together, 3.0)));
}

} // namespace
