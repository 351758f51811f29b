// A cloud against exact draws of the same shape.
#include "truth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace starling::tool {

namespace {

constexpr std::uint64_t truth_seed = 20'001; // no run has it

struct ColumnMoments {
  double mean = 0, sd = 0;
};

ColumnMoments moments_of_column(std::span<const double> rows, std::size_t dim, std::size_t a) {
  ColumnMoments m;
  const auto n = double(rows.size() / dim);
  for (std::size_t i = a; i < rows.size(); i += dim)
    m.mean += rows[i] / n;
  for (std::size_t i = a; i < rows.size(); i += dim)
    m.sd += (rows[i] - m.mean) * (rows[i] - m.mean) / (n - 1);
  m.sd = std::sqrt(m.sd);
  return m;
}

std::vector<double> column_of(std::span<const double> rows, std::size_t dim, std::size_t a) {
  std::vector<double> column;
  for (std::size_t i = a; i < rows.size(); i += dim)
    column.push_back(rows[i]);
  return column;
}

std::vector<double> log_densities(const Shape& shape, std::span<const double> rows) {
  std::vector<double> values, score(shape.dim());
  for (std::size_t i = 0; i < rows.size(); i += shape.dim())
    values.push_back(shape.density(rows.subspan(i, shape.dim()), score));
  return values;
}

/// The larger; NaN where either is.
double worse(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

} // namespace

double kolmogorov_smirnov(std::vector<double> a, std::span<const double> sorted) {
  if (std::ranges::any_of(a, [](double v) { return std::isnan(v); }))
    return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(a);
  double most = 0;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < sorted.size()) {
    const double at = std::min(a[i], sorted[j]);
    while (i < a.size() && a[i] <= at)
      ++i;
    while (j < sorted.size() && sorted[j] <= at)
      ++j;
    most =
        std::max(most, std::abs(double(i) / double(a.size()) - double(j) / double(sorted.size())));
  }
  return most;
}

Truth::Truth(const Shape& shape, std::size_t draws) : shape_(&shape) {
  if (!shape.proper())
    return;
  const std::vector<double> x = draws_of(shape, draws, truth_seed);
  for (std::size_t a = 0; a < shape.dim(); ++a)
    sorted_.push_back(column_of(x, shape.dim(), a));
  sorted_.push_back(log_densities(shape, x));
  for (std::vector<double>& column : sorted_)
    std::ranges::sort(column);
}

Distance Truth::of(std::span<const double> cloud) const {
  Distance far;
  const std::size_t d = shape_->dim();
  far.improper = !shape_->proper();
  if (far.improper)
    return far;
  for (std::size_t a = 0; a < d; ++a) {
    const ColumnMoments m = moments_of_column(cloud, d, a);
    const double sd = shape_->sd[a];
    if (std::isfinite(sd) && !shape_->heavy[a]) {
      far.mean = worse(std::abs(m.mean - shape_->mean[a]) / sd, far.mean);
      far.sd_low = -worse(-m.sd / sd, -far.sd_low);
      far.sd_high = worse(m.sd / sd, far.sd_high);
    }
    far.ks = worse(kolmogorov_smirnov(column_of(cloud, d, a), sorted_[a]), far.ks);
  }
  far.ks_density = kolmogorov_smirnov(log_densities(*shape_, cloud), sorted_.back());
  return far;
}

std::optional<bool> Truth::bounds_hold(const judge::Judgement& judgement,
                                       std::span<const double> cloud,
                                       const std::vector<std::string>& names) const {
  const auto* said = std::get_if<judge::evidence::MovesConfirm>(&judgement.evidence);
  if (!said || !judgement.converged() || !shape_->proper())
    return std::nullopt;
  bool hold = true;
  for (std::size_t a = 0; a < shape_->dim(); ++a) {
    const double sd = shape_->sd[a];
    if (!std::isfinite(sd) || shape_->heavy[a] || std::ranges::count(said->heavy, names[a]) > 0)
      continue;
    const ColumnMoments m = moments_of_column(cloud, shape_->dim(), a);
    hold = hold && std::abs(m.mean - shape_->mean[a]) <= said->mean_error * sd &&
           std::abs(m.sd * m.sd / (sd * sd) - 1) <= said->variance_error;
  }
  return hold;
}

std::vector<double> wrong_cloud(const Shape& shape, const std::string& kind, std::size_t count,
                                std::uint64_t seed) {
  const std::size_t d = shape.dim();
  if (!shape.proper() || (kind == "one group dropped" && !shape.less) ||
      (kind == "decorrelated" && d == 1))
    return {};
  if (kind == "one group dropped")
    return draws_of(*shape.less, count, seed);
  if (kind == "tail cut") { // the half of twice as many draws that is denser
    const std::vector<double> many = draws_of(shape, 2 * count, seed),
                              height = log_densities(shape, many);
    std::vector<std::size_t> order(2 * count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return height[a] > height[b]; });
    std::vector<double> kept;
    for (std::size_t i = 0; i < count; ++i)
      kept.insert(kept.end(), many.begin() + std::ptrdiff_t(order[i] * d),
                  many.begin() + std::ptrdiff_t((order[i] + 1) * d));
    return kept;
  }
  std::vector<double> x = draws_of(shape, count, seed);
  for (std::size_t a = 0; a < d; ++a) {
    const ColumnMoments m = moments_of_column(x, d, a);
    const double factor = kind == "scaled up" ? 1.4 : kind == "scaled down" ? 0.6 : 1;
    for (std::size_t i = a; i < x.size(); i += d)
      x[i] = m.mean + factor * (x[i] - m.mean) + (kind == "shifted" && a == 0 ? 0.5 * m.sd : 0);
    if (kind == "decorrelated") { // each column moved on by another number of rows
      const std::vector<double> column = column_of(x, d, a);
      for (std::size_t i = 0; i < count; ++i)
        x[i * d + a] = column[(i + 37 * a) % count];
    }
  }
  return x;
}

} // namespace starling::tool
