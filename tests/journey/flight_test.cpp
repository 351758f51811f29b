// A step of a journey's flight against its formula, a pair at a time.
#include <starling/run/journey.hpp>

#include <starling/deal/shuffle.hpp>
#include <starling/kernel/bandwidth.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

using namespace starling;

constexpr std::size_t n = 45, d = 3;
constexpr std::uint64_t seed = 6;

// A logistic curve in each coordinate, of width 1, 10, 100: scores are not linear.
void density(Rows<const double> x, Rows<double> s, std::span<double> l) {
  for (std::size_t i = 0; i < x.count; ++i) {
    l[i] = 0;
    for (std::size_t a = 0; a < x.dim; ++a) {
      const double width = std::pow(10.0, double(a)), t = std::tanh(x[i][a] / (2 * width));
      s[i][a] = -t / width;
      l[i] += std::log1p(-t * t);
    }
  }
}

// Phi_i = sum over the batch with its weights of exp(-r2/2h) (s_j + (y_i - y_j)/h), plus
// mean(s) + (A + I)(y_i - m), A = mean of s (y - m)^T; the move is eta Phi, at most .3 sqrt(d) long.
Frame::Matrix by_formula(const Frame::Matrix& y, const Frame::Matrix& s, Step k, double eta) {
  Shuffle deal(seed, 8);
  const Batches& batches = deal.deal(k, n);
  const double h = kernel::SampledMedianBandwidth<double>(seed, 2000)(k, rows_of(y));
  Frame::Matrix phi = Frame::Matrix::Zero(n, d);
  for (std::size_t q = 0; q < batches.count(); ++q)
    for (const auto i : batches[q])
      for (const auto j : batches[q]) {
        const double weight =
            i == j ? 1.0 / n : (n - 1.0) / (n * (double(batches[q].size()) - 1));
        const Eigen::RowVectorXd u = y.row(i) - y.row(j);
        phi.row(i) += weight * std::exp(-u.squaredNorm() / (2 * h)) * (s.row(j) + u / h);
      }
  const Eigen::RowVectorXd mean = y.colwise().mean();
  const Frame::Matrix centred = y.rowwise() - mean;
  const Frame::Matrix pull =
      s.transpose() * centred / double(n) + Frame::Matrix::Identity(d, d); // A + I
  phi += centred * pull.transpose();
  phi.rowwise() += s.colwise().mean();
  Frame::Matrix next = y;
  for (Eigen::Index i = 0; i < y.rows(); ++i)
    next.row(i) += eta * phi.row(i) * std::min(1.0, .3 * std::sqrt(double(d)) / (eta * phi.row(i).norm()));
  return next;
}

TEST(Flight, StepsAsTheFormulaSays) {
  run::JourneySettings settings;
  settings.particles = n;
  settings.seed = seed;
  run::Journey journey(density, d, settings);
  journey.take(1); // the scout
  for (Step k = 0; k < 5; ++k) { // before the frame is refreshed
    journey.take(1);
    const auto columns = journey.save().columns;
    const auto rows = [&](const char* name) { return Rows<const double>{columns.at(name).data(), n, d}; };
    const Frame frame = Frame::from_numbers(columns.at("frame.mean"), columns.at("frame.factor"), Frame::Form::dense);
    const Frame::Matrix y = frame.in(rows("cloud.x")), s = frame.score_in(rows("cloud.score"));
    const Frame::Matrix wanted = by_formula(y, s, k, .3 / (1 + 10 * double(k) / 125));
    const Frame::Matrix found = frame.in(rows("next"));
    EXPECT_LT((found - wanted).cwiseAbs().maxCoeff(), 1e-9) << k;
    EXPECT_GT((found - y).cwiseAbs().maxCoeff(), .01) << k;
  }
}

} // namespace
