// A density from what a program or a library knows of its rows: a prior, and sums over given rows.
#include "assemble/row_target.hpp"

#include <starling/error.hpp>
#include <starling/random/start.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace starling::assemble {

namespace {

constexpr std::size_t most_by_differences =
    128; // dimensions: two places for each, beside some hundred particles
constexpr std::size_t places = 2, tried = 64; // of the check of sums
constexpr double loose = 1e-3;                // there: numbers may be single ones

using Numbers = std::vector<std::uint32_t>;

/// Calls use(rows, weights) for pieces of the rows that are not too long.
template <typename Use>
void in_pieces(RowNumbers rows, std::span<const double> weights, Use&& use) {
  for (std::size_t first = 0; first < rows.size(); first += rows_at_a_time) {
    const std::size_t count = std::min(rows_at_a_time, rows.size() - first);
    use(rows.subspan(first, count), weights.subspan(first, count));
  }
}

/// Adds the sum over these rows to what is there. `sums`, where it is empty, is not wanted.
void add(const BroughtRows& brought, RowNumbers rows, std::span<const double> weights,
         Rows<const double> x, Rows<double> score, std::span<double> sums) {
  Frame::Matrix slope(Eigen::Index(x.count), Eigen::Index(x.dim));
  std::vector<double> value(x.count);
  in_pieces(rows, weights, [&](RowNumbers some, std::span<const double> their) {
    brought.likelihood(x, some, their, rows_of(slope), value);
    Frame::map(score) += slope;
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] += value[i];
  });
}

/// All rows, a piece at a time: their numbers and ones. None of them is kept.
template <typename Use>
void over_all(std::size_t rows, Use&& use) {
  Numbers some;
  const std::vector<double> ones(std::min(rows, rows_at_a_time), 1.0);
  for (std::size_t first = 0; first < rows; first += rows_at_a_time) {
    some.resize(std::min(rows_at_a_time, rows - first));
    std::iota(some.begin(), some.end(), static_cast<std::uint32_t>(first));
    use(RowNumbers(some), std::span<const double>(ones).first(some.size()));
  }
}

DensityOfRows prior_of(const BroughtRows& brought) {
  if (brought.prior)
    return brought.prior;
  return [](Rows<const double>, Rows<double> score, std::span<double> log_density) {
    std::fill(score.begin(), score.end(), 0.0);
    std::ranges::fill(log_density, 0.0);
  };
}

} // namespace

std::shared_ptr<const RowDensity> density_of(BroughtRows given) {
  if (given.rows == 0 || given.rows > UINT32_MAX)
    reject("rows", "at least 1 and fewer than 2^32", std::to_string(given.rows));
  if (given.data_batch > given.rows)
    reject("data_batch", "at most the " + std::to_string(given.rows) + " rows",
           std::to_string(given.data_batch));
  given.prior = prior_of(given);
  const auto brought = std::make_shared<const BroughtRows>(std::move(given));
  auto density = std::make_shared<RowDensity>();
  density->rows = brought->rows;
  density->dim = brought->dim;
  density->prior = brought->prior;
  density->each = brought->each;
  density->by_differences = brought->dim <= most_by_differences;
  density->all = [brought](Rows<const double> x, Rows<double> score,
                           std::span<double> log_density) {
    brought->prior(x, score, log_density);
    over_all(brought->rows, [&](RowNumbers some, std::span<const double> ones) {
      add(*brought, some, ones, x, score, log_density);
    });
  };
  density->some = [brought](RowNumbers rows, std::span<const double> weights) {
    return [brought, own = Numbers(rows.begin(), rows.end()),
            their = std::vector<double>(weights.begin(), weights.end())](
               Rows<const double> x, Rows<double> score, std::span<double> sums) {
      std::fill(score.begin(), score.end(), 0.0);
      std::ranges::fill(sums, 0.0);
      add(*brought, own, their, x, score, sums);
    };
  };
  if (brought->values)
    density->values = [brought](Rows<const double> x, std::span<double> log_density) {
      Frame::Matrix unused(Eigen::Index(x.count), Eigen::Index(x.dim));
      std::vector<double> value(x.count);
      brought->prior(x, rows_of(unused), log_density);
      over_all(brought->rows, [&](RowNumbers some, std::span<const double> ones) {
        brought->values(x, some, ones, value);
        for (std::size_t i = 0; i < x.count; ++i)
          log_density[i] += value[i];
      });
    };
  return density;
}

void check_sums(const BroughtRows& brought) {
  const std::size_t d = brought.dim, count = std::min(tried, brought.rows);
  std::vector<double> at(places * d), weights(count), value(places);
  const Rows<double> x{at.data(), places, d};
  start_normal(x, 1, 0, 0.1);
  Numbers rows(count);
  for (std::size_t r = 0; r < count; ++r) {
    rows[r] = static_cast<std::uint32_t>(r * brought.rows / count);
    weights[r] = 1 + 0.5 * static_cast<double>(r % 3);
  }
  const auto sum = [&](std::size_t first, std::size_t many, double times) {
    std::vector<double> scaled(weights), of(places), s(places * d);
    for (double& w : scaled)
      w *= times;
    brought.likelihood(x, RowNumbers(rows).subspan(first, many),
                       std::span<const double>(scaled).subspan(first, many), {s.data(), places, d},
                       of);
    s.insert(s.end(), of.begin(), of.end());
    return s;
  };
  const auto size = [](const std::vector<double>& numbers) {
    double most = 0;
    for (const double v : numbers)
      most = std::max(most, std::isfinite(v) ? std::abs(v) : INFINITY);
    return most;
  };
  const auto differ = [&](const std::vector<double>& one, const std::vector<double>& other,
                          double scale) {
    double most = 0;
    for (std::size_t k = 0; k < one.size(); ++k)
      most = std::max(most, std::abs(one[k] - other[k]));
    return most > loose * scale;
  };
  const std::vector<double> once = sum(0, count, 1), twice = sum(0, count, 2);
  const double scale = size(once) + size(twice);
  if (!std::isfinite(scale))
    return;
  std::vector<double> doubled = once;
  for (double& v : doubled)
    v *= 2;
  if (scale > 0 && differ(doubled, twice, scale))
    throw std::invalid_argument(
        "likelihood: must be a weighted sum over the rows; with doubled weights it did not double");
  if (count < 2)
    return;
  std::vector<double> parts = sum(0, count / 2, 1);
  const std::vector<double> rest = sum(count / 2, count - count / 2, 1);
  const double both = scale + size(parts) + size(rest);
  for (std::size_t k = 0; k < parts.size(); ++k)
    parts[k] += rest[k];
  if (std::isfinite(both) && differ(once, parts, both))
    throw std::invalid_argument(
        "likelihood: must be a sum over the given rows; two halves did not add up to the whole");
}

} // namespace starling::assemble
