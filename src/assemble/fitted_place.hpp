// Where a regression fits its rows best, prior aside: a place from which the scout climbs.
#pragma once

#include <starling/row_density.hpp>
#include <starling/scout/few_rows.hpp>
#include <starling/scout/many_rows.hpp>
#include <starling/target/families.hpp>
#include <starling/target/regression.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <vector>

namespace starling::assemble {

/// What responses say of the linear predictors when features say nothing: the last feature is the
/// constant.
inline std::vector<double> constant_fit(const family::Logistic&, const std::vector<double>& y) {
  double ones = 0.5; // half a row of each, so that no logarithm is infinite
  for (const double v : y)
    ones += v;
  return {std::log(ones / (static_cast<double>(y.size()) + 1 - ones))};
}
inline std::vector<double> constant_fit(const family::Poisson&, const std::vector<double>& y) {
  double sum = 0.5;
  for (const double v : y)
    sum += v;
  return {std::log(sum / static_cast<double>(y.size()))};
}
inline std::vector<double> constant_fit(const family::Linear&, const std::vector<double>& y) {
  double mean = 0;
  for (const double v : y)
    mean += v / static_cast<double>(y.size());
  return {mean};
}
inline std::vector<double> constant_fit(const family::Multinomial& family,
                                        const std::vector<double>& y) {
  std::vector<double> counts(family.predictors() + 1, 0.5);
  for (const double v : y)
    counts[static_cast<std::size_t>(v)] += 1;
  for (double& c : counts)
    c = std::log(c / counts.back());
  counts.pop_back();
  return counts;
}

/// The weights by Newton's steps on the likelihood (of a linear regression one step: least
/// squares), from the constant that fits; then sigma and alpha as those weights want them. From
/// some rows where there are many. Empty where there are too many weights for a matrix of them, or
/// where no step can be taken.
template <typename Family, typename Number>
std::vector<double> fitted_place(const RowDensity& density, const RowTable<Number>& table,
                                 const Family& family) {
  constexpr std::size_t most_weights = 500, most_steps = 25, most_halvings = 12;
  constexpr double ridge_share = 1e-9, little = 1e-3;
  const std::size_t count = family.predictors() * table.features, extras = family.extras();
  if (count > most_weights)
    return {};
  const std::size_t m = std::min(density.rows, scout::climbed_rows);
  const std::vector<std::uint32_t> rows = scout::even_rows(density.rows, m, 1);
  const std::vector<double> each(m, static_cast<double>(density.rows) / static_cast<double>(m));
  std::vector<double> responses;
  std::vector<Number> room;
  for (const std::uint32_t r : rows)
    responses.push_back(static_cast<double>(*table.block(r, r + std::size_t{1}, room).responses));
  const ExpandAt likelihood = density.expand_some(rows, each);

  const auto w = static_cast<Eigen::Index>(count);
  const auto all = static_cast<double>(density.rows);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(density.dim));
  const std::vector<double> constants = constant_fit(family, responses);
  for (std::size_t c = 0; c < constants.size(); ++c)
    x[static_cast<Eigen::Index>((c + 1) * table.features - 1)] = constants[c];
  Expansion here = likelihood(x);
  const double ridge = ridge_share * here.curvature.topLeftCorner(w, w).diagonal().maxCoeff();
  for (std::size_t step = 0; step < most_steps; ++step) {
    Eigen::MatrixXd bent = here.curvature.topLeftCorner(w, w);
    bent.diagonal().array() += ridge;
    Eigen::VectorXd way = Eigen::VectorXd::Zero(x.size());
    way.head(w) = bent.ldlt().solve(here.score.head(w));
    if (!way.allFinite())
      break;
    bool rose = false;
    for (std::size_t half = 0; half < most_halvings && !rose; ++half, way /= 2) {
      const Eigen::VectorXd next = x + way;
      Expansion there = likelihood(next);
      rose = std::isfinite(there.log_density) && there.log_density > here.log_density;
      if (!rose)
        continue;
      const double gain = there.log_density - here.log_density;
      x = next;
      here = std::move(there);
      if (gain < little)
        step = most_steps;
    }
    if (!rose)
      break;
  }
  if (extras > 0) // log sigma was 0: the likelihood is minus half the sum of squares
    x[w] = 0.5 * std::log((-2 * here.log_density + 0.02) / (all + 2));
  x[x.size() - 1] =
      std::log((static_cast<double>(count) / 2 + 1) / (x.head(w).squaredNorm() / 2 + 0.01));
  if (!x.allFinite())
    return {};
  return {x.data(), x.data() + x.size()};
}

} // namespace starling::assemble
