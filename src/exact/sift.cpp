// Sifting by random swaps.
#include <starling/exact/sift.hpp>

#include <starling/error.hpp>
#include <starling/random/philox.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>

namespace starling::exact {

namespace {

constexpr std::size_t deciles = 9, features = 2 + deciles, tries = 40;
constexpr double square_weight = 0.5, decile_weight = 0.5; // against 1 for the value

using Features = std::array<double, features>;

/// A column standardised by the moments wanted, and where its deciles are.
struct Column {
  std::size_t at;
  double mean, sd;
  std::array<double, deciles> decile;
  Features wanted;

  Features of(double value) const {
    const double z = (value - mean) / sd;
    Features all{z, square_weight * z * z};
    for (std::size_t q = 0; q < deciles; ++q)
      all[2 + q] = value <= decile[q] ? decile_weight : 0.0;
    return all;
  }

  std::uint8_t deciles_below(double value) const {
    return std::uint8_t(std::ranges::lower_bound(decile, value) - decile.begin());
  }
};

/// Calls change(feature, by) for what differs in a column where one value comes and another goes;
/// each with how many deciles are below it.
template <typename Change>
void for_changes(const Column& column, double coming, std::uint8_t above, double going,
                 std::uint8_t other_above, Change&& change) {
  const double z = (coming - column.mean) / column.sd, other = (going - column.mean) / column.sd;
  change(0, z - other);
  change(1, square_weight * z * z - square_weight * other * other);
  const double by = above < other_above ? decile_weight : -decile_weight;
  for (std::size_t q = std::min(above, other_above); q < std::max(above, other_above); ++q)
    change(2 + q, by);
}

} // namespace

std::vector<std::size_t> sift(Rows<const double> rows, std::size_t keep,
                              std::span<const double> means, std::span<const double> sds,
                              std::uint64_t seed) {
  if (keep > rows.count)
    reject("keep", "at most the number of rows, " + std::to_string(rows.count),
           std::to_string(keep));
  std::vector<std::size_t> order(rows.count); // those kept come first
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t others = rows.count - keep;
  if (others == 0)
    return order;
  const auto n = static_cast<double>(keep);

  std::vector<Column> columns;
  std::vector<double> sorted(rows.count);
  for (std::size_t a = 0; a < rows.dim; ++a) {
    for (std::size_t i = 0; i < rows.count; ++i)
      sorted[i] = rows[i][a];
    if (!(sds[a] > 0) || !std::isfinite(sds[a]) ||
        !std::ranges::all_of(sorted, [](double v) { return std::isfinite(v); }))
      continue;
    std::ranges::sort(sorted);
    Column column{a, means[a], sds[a], {}, {}};
    column.wanted[1] = square_weight;
    for (std::size_t q = 0; q < deciles; ++q) {
      column.decile[q] = sorted[(q + 1) * rows.count / (deciles + 1)];
      const auto below = std::ranges::upper_bound(sorted, column.decile[q]) - sorted.begin();
      column.wanted[2 + q] = decile_weight * double(below) / double(rows.count);
    }
    columns.push_back(column);
  }
  if (columns.empty()) {
    order.resize(keep);
    return order;
  }

  // Off by how much, in sums over those kept: the swaps bring the sum of squares down.
  std::vector<Features> off(columns.size());
  std::vector<std::uint8_t> above; // how many deciles; row by row
  above.reserve(rows.count * columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (std::size_t f = 0; f < features; ++f)
      off[c][f] = -n * columns[c].wanted[f];
  for (std::size_t i = 0; i < rows.count; ++i)
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const double value = rows[i][columns[c].at];
      const Features own = columns[c].of(value);
      above.push_back(columns[c].deciles_below(value));
      for (std::size_t f = 0; i < keep && f < features; ++f)
        off[c][f] += own[f];
    }
  const Philox philox(seed);
  for (std::uint64_t t = 0; t < tries * keep; ++t) {
    const std::size_t out = philox.below(std::uint32_t(keep), Stream::thin, 1000, 2 * t);
    const std::size_t in =
        keep + philox.below(std::uint32_t(others), Stream::thin, 1000, 2 * t + 1);
    const auto each = [&, coming = order[in], going = order[out]](auto&& change) {
      for (std::size_t c = 0; c < columns.size(); ++c)
        for_changes(columns[c], rows[coming][columns[c].at], above[coming * columns.size() + c],
                    rows[going][columns[c].at], above[going * columns.size() + c],
                    [&](std::size_t f, double by) { change(off[c][f], by); });
    };
    double gain = 0; // of (off + change)^2 over off^2
    each([&](double now, double by) { gain += by * (2 * now + by); });
    if (!(gain < 0))
      continue;
    std::swap(order[out], order[in]);
    each([](double& now, double by) { now += by; });
  }
  order.resize(keep);
  std::ranges::sort(order);
  return order;
}

} // namespace starling::exact
