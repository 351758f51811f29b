// Sifting by random swaps.
#include <starling/exact/sift.hpp>

#include <starling/error.hpp>
#include <starling/exact/deciles.hpp>
#include <starling/random/philox.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>

namespace starling::exact {

namespace {

constexpr std::size_t tries = 40;
constexpr std::size_t rows_for_deciles = 2048; // at most: where they lie need not be exact
constexpr double square_weight = 0.5, decile_weight = 0.5; // against 1 for the value

/// Those kept, against what is wanted of them, column by column. Every swap that is tried reads all
/// columns: so each number has an array of its own.
class Kept {
public:
  Kept(Rows<const double> rows, std::size_t keep, std::span<const double> means,
       std::span<const double> sds)
      : rows_(rows) {
    std::vector<double> not_finite(rows.dim); // a column stays 0 where it is finite
    for (std::size_t i = 0; i < rows.count; ++i)
      for (std::size_t a = 0; a < rows.dim; ++a)
        not_finite[a] += rows[i][a] - rows[i][a];
    for (std::size_t a = 0; a < rows.dim; ++a)
      if (sds[a] > 0 && std::isfinite(sds[a]) && not_finite[a] == 0) {
        at_.push_back(a);
        mean_.push_back(means[a]);
        inverse_sd_.push_back(1 / sds[a]);
      }
    value_.resize(at_.size());
    square_.assign(at_.size(), -double(keep) * square_weight);
    up_to_.resize(at_.size());
    see_deciles(double(keep));
  }

  bool any_columns() const { return !at_.empty(); }

  /// By how much the sum of squares of what is off changes where one comes and another goes.
  double change(std::size_t coming, std::size_t going) const {
    const double *const in = rows_[coming].data(), *const out = rows_[going].data();
    const std::uint8_t *const in_above = above(coming), *const out_above = above(going);
    const std::size_t *const at = at_.data(), columns = at_.size();
    const double *const mean = mean_.data(), *const inverse_sd = inverse_sd_.data();
    const double *const off = value_.data(), *const square_off = square_.data();
    const double* up_to = up_to_.data()->data();
    double sum = 0;
    for (std::size_t c = 0; c < columns; ++c, up_to += deciles + 1) {
      const double z_in = (in[at[c]] - mean[c]) * inverse_sd[c],
                   z_out = (out[at[c]] - mean[c]) * inverse_sd[c];
      const double value = z_in - z_out, square = square_weight * (z_in * z_in - z_out * z_out);
      const double between = int(out_above[c]) - int(in_above[c]);
      sum += value * (2 * off[c] + value) + square * (2 * square_off[c] + square) +
             2 * decile_weight * (up_to[out_above[c]] - up_to[in_above[c]]) +
             decile_weight * decile_weight * std::abs(between);
    }
    return sum;
  }

  /// What a draw adds to what is off; with sign -1 what it takes with it.
  void add(std::size_t draw, double sign) {
    for (std::size_t c = 0; c < at_.size(); ++c) {
      const double z = (rows_[draw][at_[c]] - mean_[c]) * inverse_sd_[c];
      value_[c] += sign * z;
      square_[c] += sign * square_weight * z * z;
      const std::size_t above_it = above(draw)[c];
      for (std::size_t q = above_it; q < deciles; ++q)
        up_to_[c][q + 1] += sign * decile_weight * double(q + 1 - above_it);
    }
  }

private:
  /// How many deciles are below each value, and how many of those kept are wanted up to each.
  void see_deciles(double keep) {
    const std::size_t columns = at_.size();
    std::vector<double> few(std::min(rows_.count, rows_for_deciles)), cuts(deciles * columns);
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t i = 0; i < few.size(); ++i)
        few[i] = rows_[i * rows_.count / few.size()][at_[c]];
      const Deciles found = deciles_of(few);
      for (std::size_t q = 0; q < deciles; ++q)
        cuts[q * columns + c] = found[q];
    }
    above_.resize(rows_.count * columns);
    std::vector<std::array<std::size_t, deciles + 1>> times(columns); // that so many are below
    for (std::size_t i = 0; i < rows_.count; ++i) {
      std::uint8_t* const below = above_.data() + i * columns;
      for (std::size_t q = 0; q < deciles; ++q)
        for (std::size_t c = 0; c < columns; ++c)
          below[c] += rows_[i][at_[c]] > cuts[q * columns + c];
      for (std::size_t c = 0; c < columns; ++c)
        ++times[c][below[c]];
    }
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t q = 0, up_to = 0; q < deciles; ++q) {
        up_to += times[c][q];
        up_to_[c][q + 1] =
            up_to_[c][q] - keep * decile_weight * double(up_to) / double(rows_.count);
      }
  }

  const std::uint8_t* above(std::size_t draw) const { return above_.data() + draw * at_.size(); }

  Rows<const double> rows_;
  std::vector<std::size_t> at_; // columns that are looked at
  std::vector<double> mean_, inverse_sd_;
  std::vector<double> value_, square_; // off by how much, in sums over those kept
  /// The same of the first decile, of the first two, ...: a value that comes in place of another
  /// changes the deciles between the two, whose sum is a difference.
  std::vector<std::array<double, deciles + 1>> up_to_;
  std::vector<std::uint8_t> above_; // how many deciles, row by row
};

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
  Kept kept(rows, keep, means, sds);
  for (std::size_t i = 0; i < keep; ++i)
    kept.add(i, 1);
  const Philox philox(seed);
  for (std::uint64_t t = 0; kept.any_columns() && t < tries * keep; ++t) {
    const std::size_t out = philox.below(std::uint32_t(keep), Stream::thin, 1000, 2 * t);
    const std::size_t in =
        keep + philox.below(std::uint32_t(others), Stream::thin, 1000, 2 * t + 1);
    if (!(kept.change(order[in], order[out]) < 0))
      continue;
    kept.add(order[in], 1);
    kept.add(order[out], -1);
    std::swap(order[out], order[in]);
  }
  order.resize(keep);
  std::ranges::sort(order);
  return order;
}

} // namespace starling::exact
