// Rows that were held out: the cloud's predictive probabilities, against a plain loop.
#include "assemble/held_out.hpp"

#include <starling/frame.hpp>
#include <starling/random/philox.hpp>

#include <gtest/gtest.h>

namespace starling::assemble {
namespace {

constexpr std::size_t row_count = 150, particle_count = 7; // more than two blocks of rows

double draw(std::uint64_t a, std::uint64_t b) {
  return normal_pair(Philox(3)(Stream::user, a, b))[0];
}

LabelledData<double> table(RegressionKind kind) {
  LabelledData<double> data;
  data.features.resize(row_count, 3);
  data.labels.resize(row_count);
  for (std::size_t r = 0; r < row_count; ++r) {
    data.features.row(Eigen::Index(r)) << draw(1, r), draw(2, r), 1;
    data.labels[Eigen::Index(r)] = kind == RegressionKind::linear ? draw(3, r) : double(r % 3);
  }
  return data;
}

/// The mean over rows of log mean p(y), from probabilities that the formula gives for each particle
/// and class.
double by_the_formula(RegressionKind kind, const LabelledData<double>& data,
                      const Frame::Matrix& x) {
  double sum = 0;
  for (Eigen::Index r = 0; r < data.features.rows(); ++r) {
    double p = 0;
    const double y = data.labels[r];
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      const double z = x.row(i).head(3).dot(data.features.row(r));
      if (kind == RegressionKind::linear) {
        const double sigma = std::exp(x(i, 3));
        p += std::exp(-(y - z) * (y - z) / (2 * sigma * sigma)) /
             std::sqrt(2 * M_PI * sigma * sigma);
      } else if (kind == RegressionKind::poisson) {
        p += std::pow(std::exp(z), y) * std::exp(-std::exp(z)) / std::tgamma(y + 1);
      } else {
        const double other = x.row(i).segment(3, 3).dot(data.features.row(r));
        const double all = std::exp(z) + std::exp(other) + 1;
        p += (y == 0 ? std::exp(z) : y == 1 ? std::exp(other) : 1) / all;
      }
    }
    sum += std::log(p / double(x.rows()));
  }
  return sum / double(row_count);
}

TEST(HeldOut, IsTheMeanLogOfTheCloudsPredictiveProbability) {
  for (const RegressionKind kind :
       {RegressionKind::linear, RegressionKind::poisson, RegressionKind::multinomial}) {
    const LabelledData<double> data = table(kind);
    const std::size_t dim = kind == RegressionKind::linear    ? 5
                            : kind == RegressionKind::poisson ? 4
                                                              : 7;
    Frame::Matrix x = Frame::Matrix::Zero(Eigen::Index(particle_count), Eigen::Index(dim));
    for (std::size_t i = 0; i < particle_count; ++i)
      for (std::size_t a = 0; a < dim; ++a)
        x(Eigen::Index(i), Eigen::Index(a)) = .5 * draw(10 + a, i);
    Threads threads(3);
    const Prediction p = held_out(kind, 3, view_of(data), rows_of(std::as_const(x)), threads);
    EXPECT_NEAR(p.log_likelihood, by_the_formula(kind, data, x), 1e-10);
    EXPECT_EQ(p.log_likelihood,
              held_out(kind, 3, view_of(data), rows_of(std::as_const(x)), Threads::alone())
                  .log_likelihood);
    EXPECT_EQ(std::isnan(p.accuracy), kind != RegressionKind::multinomial);
    // The control: other positions say something else.
    x.array() += .1;
    EXPECT_GT(
        std::abs(
            held_out(kind, 3, view_of(data), rows_of(std::as_const(x)), threads).log_likelihood -
            p.log_likelihood),
        1e-4);
  }
}

TEST(HeldOut, CountsTheClassesThatAreRight) {
  LabelledData<double> data = table(RegressionKind::multinomial);
  Frame::Matrix x = Frame::Matrix::Zero(2, 7);
  x(0, 2) = x(1, 2) = 5; // the constant says class 0, for everyone
  EXPECT_NEAR(held_out(RegressionKind::multinomial, 3, view_of(data), rows_of(std::as_const(x)),
                       Threads::alone())
                  .accuracy,
              1. / 3, 1e-12);
  data.labels.setZero();
  EXPECT_NEAR(held_out(RegressionKind::multinomial, 3, view_of(data), rows_of(std::as_const(x)),
                       Threads::alone())
                  .accuracy,
              1, 1e-12);
}

} // namespace
} // namespace starling::assemble
