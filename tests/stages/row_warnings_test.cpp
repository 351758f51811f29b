// What is said of rows that few cannot speak for, and of a cloud that ends far from the mode that
// few rows are compared with.
#include <starling/run/staged.hpp>

#include <starling/random/philox.hpp>
#include <starling/row_density.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

namespace {

using namespace starling;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

using OneRow = std::function<void(std::size_t row, std::span<const double> x, double& value,
                                  std::span<double> slope)>;

/// A density from a prior and what a row adds at one place.
std::shared_ptr<const RowDensity> density_by_rows(std::size_t rows, std::size_t dim,
                                                  DensityOfRows prior, OneRow one) {
  auto density = std::make_shared<RowDensity>();
  density->rows = rows;
  density->dim = dim;
  density->prior = prior;
  density->by_differences = true;
  const auto add = [one, dim](Rows<const double> x, std::size_t row, double weight,
                              Rows<double> score, std::span<double> value) {
    std::vector<double> slope(dim);
    for (std::size_t i = 0; i < x.count; ++i) {
      double l = 0;
      std::fill(slope.begin(), slope.end(), 0.0);
      one(row, x[i], l, slope);
      for (std::size_t a = 0; a < dim; ++a)
        score[i][a] += weight * slope[a];
      if (!value.empty())
        value[i] += weight * l;
    }
  };
  density->all = [=](Rows<const double> x, Rows<double> score, std::span<double> value) {
    prior(x, score, value);
    for (std::size_t r = 0; r < rows; ++r)
      add(x, r, 1, score, value);
  };
  density->some = [=](RowNumbers chosen, std::span<const double> weights) -> DensityOfRows {
    return [=, own = std::vector<std::uint32_t>(chosen.begin(), chosen.end()),
            their = std::vector<double>(weights.begin(), weights.end())](
               Rows<const double> x, Rows<double> score, std::span<double> value) {
      std::fill(score.begin(), score.end(), 0.0);
      std::fill(value.begin(), value.end(), 0.0);
      for (std::size_t k = 0; k < own.size(); ++k)
        add(x, own[k], their[k], score, value);
    };
  };
  return density;
}

std::vector<std::string> warnings_of(std::shared_ptr<const RowDensity> density,
                                     std::size_t rows_a_step) {
  run::Staged staged;
  staged.target.dim = density->dim;
  staged.target.names = run::numbered("x", density->dim);
  staged.target.evaluate = density->all;
  staged.target.rows = density;
  staged.target.rows_a_step = rows_a_step;
  staged.stages.particles = 128;
  staged.stages.starts = 2;
  staged.stages.guide_rows = 100;
  staged.stages.certify_moves = 0;
  run::Settings settings;
  settings.particles = 128;
  const auto flight = run::begin(std::move(staged), settings);
  flight->take(1'000'000, {});
  return flight->outcome(true).warnings;
}

DensityOfRows flat() {
  return [](Rows<const double>, Rows<double> score, std::span<double> value) {
    std::fill(score.begin(), score.end(), 0.0);
    std::fill(value.begin(), value.end(), 0.0);
  };
}

double normal_of(std::size_t row) { return normal_pair(Philox(5)(Stream::user, 0, row))[0]; }

TEST(RowWarnings, SayThatNoControlVariateTamesTheRows) {
  const std::size_t rows = 1000;
  // l = -5 |x - y|: the slope of a row jumps where the particles are, and no expansion around the
  // mode foresees it.
  const auto kinks = density_by_rows(
      rows, 1, flat(),
      [](std::size_t r, std::span<const double> x, double& value, std::span<double> slope) {
        const double off = x[0] - normal_of(r);
        value = -5 * std::abs(off);
        slope[0] = off > 0 ? -5 : 5;
      });
  EXPECT_THAT(warnings_of(kinks, 20),
              Contains(HasSubstr("20 rows in a step do not represent all rows")));
  // The same noise is small where the slope turns slowly, and where all rows are drawn many times
  // over.
  const auto smooth = density_by_rows(
      rows, 1, flat(),
      [](std::size_t r, std::span<const double> x, double& value, std::span<double> slope) {
        const double off = x[0] - normal_of(r), root = std::sqrt(1 + off * off);
        value = -5 * root;
        slope[0] = -5 * off / root;
      });
  EXPECT_THAT(warnings_of(smooth, 20), Not(Contains(HasSubstr("do not represent all"))));
}

/// v ~ N(0, .16), k numbers ~ N(0, e^v) and a mean of rows. The mode has v = -.08 k, in widths of v
/// .2 k away from the mass.
std::shared_ptr<const RowDensity> funnel_of(std::size_t k) {
  const DensityOfRows prior = [k](Rows<const double> x, Rows<double> score,
                                  std::span<double> value) {
    for (std::size_t i = 0; i < x.count; ++i) {
      const double v = x[i][0], precision = std::exp(-v);
      double square = 0;
      for (std::size_t a = 1; a <= k; ++a) {
        square += x[i][a] * x[i][a];
        score[i][a] = -x[i][a] * precision;
      }
      value[i] = -v * v / .32 - double(k) * v / 2 - square * precision / 2;
      score[i][0] = -v / .16 - double(k) / 2 + square * precision / 2;
      score[i][k + 1] = 0;
    }
  };
  return density_by_rows(
      50, k + 2, prior,
      [k](std::size_t r, std::span<const double> x, double& value, std::span<double> slope) {
        const double off = x[k + 1] - normal_of(r);
        value = -off * off / 2;
        slope[k + 1] = -off;
      });
}

TEST(RowWarnings, SayThatTheModeIsFarFromWhereTheCloudEnded) {
  EXPECT_THAT(warnings_of(funnel_of(36), 20),
              Contains(HasSubstr("sd from the mode, where few rows do not represent all")));
  EXPECT_THAT(warnings_of(funnel_of(4), 20), Not(Contains(HasSubstr("sd from the mode"))));
}

} // namespace
