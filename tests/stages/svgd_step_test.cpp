// A step of the flight against its formula, a pair at a time.
#include <starling/stages/group.hpp>

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

// Phi_i = 3 sum over parameters a of u_a g_ia, u_a the direction of parameter a, and over all pairs
// g_ia = (1/N) sum_j (1 + z) exp(-z) t_ja + c z exp(-z) sign, z = c |p_ia - p_ja|, c^2 = 3 / (.1
// variance); plus mean(s) + (A + I)(y_i - m), A = mean of s (y - m)^T; the move is eta Phi, at most
// .3 sqrt(d) long.
Frame::Matrix by_formula(const Frame& frame, const Frame::Matrix& y, const Frame::Matrix& s,
                         double eta) {
  Frame::Matrix phi = Frame::Matrix::Zero(n, d);
  for (std::size_t a = 0; a < d; ++a) {
    Eigen::VectorXd u(d); // row a of L over its length
    for (std::size_t b = 0; b < d; ++b)
      u[Eigen::Index(b)] = frame.numbers()[a * d + b];
    u.normalize();
    const Eigen::VectorXd p = y * u, t = s * u;
    const double c = std::sqrt(3 / (.1 * (p.array() - p.mean()).square().mean()));
    for (Eigen::Index i = 0; i < p.size(); ++i)
      for (Eigen::Index j = 0; j < p.size(); ++j) {
        const double apart = p[i] - p[j], z = c * std::abs(apart), sign = apart > 0 ? 1 : -1;
        phi.row(i) +=
            3.0 / n * ((1 + z) * std::exp(-z) * t[j] + c * z * std::exp(-z) * sign) * u.transpose();
      }
  }
  const Eigen::RowVectorXd mean = y.colwise().mean();
  const Frame::Matrix centred = y.rowwise() - mean;
  const Frame::Matrix pull =
      s.transpose() * centred / double(n) + Frame::Matrix::Identity(d, d); // A + I
  phi += centred * pull.transpose();
  phi.rowwise() += s.colwise().mean();
  Frame::Matrix next = y;
  for (Eigen::Index i = 0; i < y.rows(); ++i)
    next.row(i) +=
        eta * phi.row(i) * std::min(1.0, .3 * std::sqrt(double(d)) / (eta * phi.row(i).norm()));
  return next;
}

TEST(Flight, StepsAsTheFormulaSays) {
  stages::Settings settings;
  settings.particles = n;
  settings.seed = seed;
  stages::Group group(density, d, settings);
  group.take(1);                 // the scout
  for (Step k = 0; k < 5; ++k) { // before the frame is refreshed
    group.take(1);
    const stages::State& state = group.state();
    const Frame& frame = state.frame;
    const Frame::Matrix y = frame.inverse(state.cloud.position()),
                        s = frame.pull(rows_of(state.cloud.score));
    const Frame::Matrix wanted =
        by_formula(frame, y, s, .3 / (1 + 10 * double(k) / double(settings.steps)));
    const Frame::Matrix found =
        frame.inverse(rows_of(std::get<stages::Fly>(group.current()).next()));
    EXPECT_LT((found - wanted).cwiseAbs().maxCoeff(), 1e-9) << k;
    EXPECT_GT((found - y).cwiseAbs().maxCoeff(), .01) << k;
  }
}

} // namespace
