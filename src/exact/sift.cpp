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

constexpr std::size_t deciles = 9, tries = 40;
constexpr double square_weight = 0.5, decile_weight = 0.5; // against 1 for the value

/// A column of draws: what is wanted of those kept, and how far they are off it. Small: every swap
/// that is tried reads all columns.
struct Column {
  std::size_t at;
  double mean, inverse_sd;
  double value = 0, square = 0; // off by how much, in sums over those kept
  /// The same of the first decile, of the first two, ...: a value that comes in place of another
  /// changes the deciles between the two, whose sum is a difference.
  std::array<double, deciles + 1> up_to{};

  double z(double draw) const { return (draw - mean) * inverse_sd; }
};

using Deciles = std::array<double, deciles>;

/// Of all these values; puts them into another order.
Deciles deciles_of(std::span<double> values) {
  Deciles found{};
  auto from = values.begin();
  for (std::size_t q = 0; q < deciles; ++q) {
    const auto place = values.begin() + std::ptrdiff_t((q + 1) * values.size() / (deciles + 1));
    if (place >= from) { // few values: two deciles may be the same one
      std::nth_element(from, place, values.end());
      from = place + 1;
    }
    found[q] = *place;
  }
  return found;
}

/// A draw as a column sees it.
struct Seen {
  double z;
  std::uint8_t above; // how many deciles
  double square() const { return square_weight * z * z; }
};

/// By how much the sum of squares of what is off changes where one comes and another goes.
double gain(const Column& column, Seen coming, Seen going) {
  const double value = coming.z - going.z, square = coming.square() - going.square();
  const int between = int(going.above) - int(coming.above);
  return value * (2 * column.value + value) + square * (2 * column.square + square) +
         2 * decile_weight * (column.up_to[going.above] - column.up_to[coming.above]) +
         decile_weight * decile_weight * std::abs(between);
}

/// What a draw adds to what is off; with sign -1 what it takes with it.
void add(Column& column, Seen one, double sign) {
  column.value += sign * one.z;
  column.square += sign * one.square();
  for (std::size_t q = one.above; q < deciles; ++q)
    column.up_to[q + 1] += sign * decile_weight * double(q + 1 - one.above);
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
  std::vector<Deciles> decile; // of each
  std::vector<double> values(rows.count);
  for (std::size_t a = 0; a < rows.dim; ++a) {
    for (std::size_t i = 0; i < rows.count; ++i)
      values[i] = rows[i][a];
    if (!(sds[a] > 0) || !std::isfinite(sds[a]) ||
        !std::ranges::all_of(values, [](double v) { return std::isfinite(v); }))
      continue;
    decile.push_back(deciles_of(values));
    Column column{a, means[a], 1 / sds[a]};
    column.square = -n * square_weight;
    for (std::size_t q = 0; q < deciles; ++q) {
      const double most = decile.back()[q];
      const auto below = std::ranges::count_if(values, [&](double v) { return v <= most; });
      column.up_to[q + 1] =
          column.up_to[q] - n * decile_weight * double(below) / double(rows.count);
    }
    columns.push_back(column);
  }
  if (columns.empty()) {
    order.resize(keep);
    return order;
  }

  std::vector<std::uint8_t> above; // how many deciles; row by row
  above.reserve(rows.count * columns.size());
  const auto seen = [&](std::size_t i, std::size_t c) {
    return Seen{columns[c].z(rows[i][columns[c].at]), above[i * columns.size() + c]};
  };
  for (std::size_t i = 0; i < rows.count; ++i)
    for (std::size_t c = 0; c < columns.size(); ++c) {
      above.push_back(std::uint8_t(std::ranges::lower_bound(decile[c], rows[i][columns[c].at]) -
                                   decile[c].begin()));
      if (i < keep)
        add(columns[c], seen(i, c), 1);
    }
  const Philox philox(seed);
  for (std::uint64_t t = 0; t < tries * keep; ++t) {
    const std::size_t out = philox.below(std::uint32_t(keep), Stream::thin, 1000, 2 * t);
    const std::size_t in =
        keep + philox.below(std::uint32_t(others), Stream::thin, 1000, 2 * t + 1);
    const std::size_t coming = order[in], going = order[out];
    double change = 0;
    for (std::size_t c = 0; c < columns.size(); ++c)
      change += gain(columns[c], seen(coming, c), seen(going, c));
    if (!(change < 0))
      continue;
    std::swap(order[out], order[in]);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      add(columns[c], seen(coming, c), 1);
      add(columns[c], seen(going, c), -1);
    }
  }
  order.resize(keep);
  std::ranges::sort(order);
  return order;
}

} // namespace starling::exact
