// Densities over rows of data whose evidence is known.
#pragma once

#include <starling/random/philox.hpp>
#include <starling/row_density.hpp>
#include <starling/stages/journey.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <span>
#include <vector>

namespace starling::known_rows {

/// Of row r: adds weight l_r(x) and its score.
using AddRow = std::function<void(std::size_t r, double weight, std::span<const double> x,
                                  std::span<double> score, double& value)>;

inline RowDensity over_rows(std::size_t rows, std::size_t dim, const DensityOfRows& prior,
                            const AddRow& add) {
  RowDensity density;
  density.rows = rows;
  density.dim = dim;
  density.by_differences = true;
  density.prior = prior;
  density.all = [=](Rows<const double> x, Rows<double> score, std::span<double> value) {
    prior(x, score, value);
    for (std::size_t i = 0; i < x.count; ++i)
      for (std::size_t r = 0; r < rows; ++r)
        add(r, 1, x[i], score[i], value[i]);
  };
  density.some = [add](RowNumbers chosen, std::span<const double> weights) -> DensityOfRows {
    return [add, own = std::vector<std::uint32_t>(chosen.begin(), chosen.end()),
            their = std::vector<double>(weights.begin(), weights.end())](
               Rows<const double> x, Rows<double> score, std::span<double> value) {
      std::ranges::fill(score, 0.0);
      for (std::size_t i = 0; i < x.count; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < own.size(); ++k)
          add(own[k], their[k], x[i], score[i], sum);
        if (!value.empty())
          value[i] = sum;
      }
    };
  };
  return density;
}

/// For a journey: by rows, and its slow twin, the same density asked as a whole.
inline stages::JourneyDensity by_rows(const RowDensity& density) {
  return {density.all, density.dim, std::make_shared<const RowDensity>(density)};
}
inline stages::JourneyDensity whole(const RowDensity& density) {
  return {density.all, density.dim};
}

struct Known {
  RowDensity density;
  double truth = 0;
};

/// y = X w + N(0, 1), w ~ N(0, I): y is normal with covariance I + X X^T.
inline Known linear(std::size_t rows, std::size_t dim) {
  Eigen::MatrixXd x(rows, dim);
  Eigen::VectorXd y(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t a = 0; a < dim; ++a)
      x(Eigen::Index(r), Eigen::Index(a)) = normal_pair(Philox(4)(Stream::user, a, r))[0];
    y[Eigen::Index(r)] =
        x.row(Eigen::Index(r)).sum() / 2 + normal_pair(Philox(4)(Stream::user, dim, r))[0];
  }
  const double of_normal = -.5 * std::log(2 * std::numbers::pi);
  Known known;
  known.density = over_rows(
      rows, dim,
      [=](Rows<const double> w, Rows<double> score, std::span<double> value) {
        for (std::size_t i = 0; i < w.count; ++i) {
          value[i] = double(w.dim) * of_normal;
          for (std::size_t a = 0; a < w.dim; ++a) {
            score[i][a] = -w[i][a];
            value[i] -= .5 * w[i][a] * w[i][a];
          }
        }
      },
      [=](std::size_t r, double weight, std::span<const double> w, std::span<double> score,
          double& value) {
        const auto row = x.row(Eigen::Index(r));
        double left = y[Eigen::Index(r)];
        for (std::size_t a = 0; a < w.size(); ++a)
          left -= row[Eigen::Index(a)] * w[a];
        value += weight * (of_normal - .5 * left * left);
        for (std::size_t a = 0; a < w.size(); ++a)
          score[a] += weight * left * row[Eigen::Index(a)];
      });
  const Eigen::MatrixXd a = Eigen::MatrixXd::Identity(x.cols(), x.cols()) + x.transpose() * x;
  const Eigen::VectorXd b = x.transpose() * y;
  known.truth = double(rows) * of_normal - .5 * std::log(a.determinant()) -
                .5 * (y.squaredNorm() - b.dot(a.inverse() * b));
  return known;
}

/// y_r ~ Poisson(t_r e^x), t_r from 0 to 2, rates e^x ~ Gamma(2, 1); every other row has the second
/// rate. No expansion to second order is exact here, and few rows are not like all.
inline Known poisson(std::size_t rows) {
  std::vector<double> t, y;
  std::array<double, 2> counts{}, times{};
  double constant = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    t.push_back(2 * uniform(Philox(5)(Stream::user, 0, r)));
    y.push_back(std::floor(4 * t[r] * uniform(Philox(5)(Stream::user, 1, r))));
    counts[r % 2] += y[r];
    times[r % 2] += t[r];
    constant += y[r] * std::log(t[r]) - std::lgamma(y[r] + 1);
  }
  Known known;
  known.density = over_rows(
      rows, 2,
      [constant](Rows<const double> x, Rows<double> score, std::span<double> value) {
        for (std::size_t i = 0; i < x.count; ++i) {
          value[i] = constant;
          for (const std::size_t a : {0, 1}) {
            value[i] += 2 * x[i][a] - std::exp(x[i][a]);
            score[i][a] = 2 - std::exp(x[i][a]);
          }
        }
      },
      [=](std::size_t r, double weight, std::span<const double> x, std::span<double> score,
          double& value) {
        const double mean = t[r] * std::exp(x[r % 2]);
        value += weight * (y[r] * x[r % 2] - mean);
        score[r % 2] += weight * (y[r] - mean);
      });
  known.truth = constant;
  for (const std::size_t a : {0, 1})
    known.truth += std::lgamma(2 + counts[a]) - (2 + counts[a]) * std::log(1 + times[a]);
  return known;
}

/// One weight, and in its posterior's z a factor e^(-.3 cos z) that all rows together have and no
/// single one has. Its curvature at the top is known to a guide, and the rest is not.
inline Known wavy(std::size_t rows) {
  Known known = linear(rows, 1);
  std::vector<double> at{0.0}, slope(1), value(1);
  const auto score_at = [&](double w) {
    at[0] = w;
    known.density.all({at.data(), 1, 1}, {slope.data(), 1, 1}, value);
    return slope[0];
  };
  const double steep = score_at(0) - score_at(1), middle = score_at(0) / steep,
               width = 1 / std::sqrt(steep);
  double sum = 0; // of what the wave does to a normal
  for (double z = -8; z < 8; z += .01)
    sum += .01 * std::exp(-.5 * z * z - .3 * std::cos(z)) / std::sqrt(2 * std::numbers::pi);
  known.truth += std::log(sum);
  known.density.all = [=, plain = known.density.all](Rows<const double> w, Rows<double> score,
                                                     std::span<double> log_density) {
    plain(w, score, log_density);
    for (std::size_t i = 0; i < w.count; ++i) {
      const double z = (w[i][0] - middle) / width;
      log_density[i] -= .3 * std::cos(z);
      score[i][0] += .3 * std::sin(z) / width;
    }
  };
  return known;
}

} // namespace starling::known_rows
