// Mean and width of one dependent, by least squares of its Fisher residual.
#include "frame/fit_dependent.hpp"

#include <Eigen/Cholesky>

#include <utility>

namespace starling::bending {

namespace {

constexpr int most_steps = 15;
constexpr double enough = 0.999; // of the cost before: another step is not worth its while

Controllers pointers(const std::vector<Values>& columns) {
  Controllers all;
  for (const Values& one : columns)
    all.push_back(&one);
  return all;
}

} // namespace

Functions::Functions(std::vector<Values> controllers, Terms which)
    : c(std::move(controllers)), terms(which) {
  const std::size_t k = c.size();
  if (k == 0)
    return;
  const Eigen::Index n = c[0].size(), linear = Eigen::Index(1 + k);
  of_mean.resize(n, numbers_of_mean(k));
  of_mean.col(0).setOnes();
  for (std::size_t a = 0; a < k; ++a) {
    of_mean.col(Eigen::Index(1 + a)) = c[a];
    of_mean.col(Eigen::Index(1 + k + a)) = c[a].square() - 1;
    for (std::size_t b = a + 1; b < k; ++b)
      of_mean.col(product(a, b, k)) = c[a] * c[b];
  }
  of_width = of_mean.leftCols(terms == Terms::all ? numbers_of_width(k) : 1);
  if (terms == Terms::linear)
    of_mean.conservativeResize(n, linear);
}

Residual::Residual(const Bend::Dependent& one, const Functions& functions, const Values& z,
                   const Values& g) {
  const Controllers c = pointers(functions.c);
  wide = Width(c, one.log_width, z.size()).log.exp();
  t = (z - quadratic(c, one.mean, z.size())) / wide;
  score = g * wide;
  sum = score + t;
}

Bend::Dependent with_controller(const Bend::Dependent& one, std::size_t controller) {
  const std::size_t k = one.controllers.size();
  Bend::Dependent more = one;
  more.controllers.push_back(controller);
  more.mean.setZero(numbers_of_mean(k + 1));
  more.log_width.setZero(numbers_of_width(k + 1));
  for (const auto& [from, to] :
       {std::pair(&one.mean, &more.mean), std::pair(&one.log_width, &more.log_width)}) {
    to->head(Eigen::Index(1 + k)) = from->head(Eigen::Index(1 + k));
    to->segment(Eigen::Index(2 + k), Eigen::Index(k)) =
        from->segment(Eigen::Index(1 + k), Eigen::Index(k));
  }
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t b = a + 1; b < k; ++b)
      more.mean[product(a, b, k + 1)] = one.mean[product(a, b, k)];
  return more;
}

void fit(Bend::Dependent& one, const Functions& functions, const Values& z, const Values& g) {
  const Eigen::Index means = functions.of_mean.cols(), widths = functions.of_width.cols();
  Residual now(one, functions, z, g);
  double best = cost(now.sum), damping = 1e-2;
  for (int step = 0; step < most_steps && damping < 1e5; ++step) {
    const Values inside = (now.sum.square() < cap).cast<double>();
    Eigen::MatrixXd slopes(z.size(), means + widths);
    slopes.leftCols(means) = (-inside / now.wide).matrix().asDiagonal() * functions.of_mean;
    slopes.rightCols(widths) =
        (inside * (now.score - now.t)).matrix().asDiagonal() * functions.of_width;
    Eigen::MatrixXd square = slopes.transpose() * slopes / double(z.size());
    const Eigen::VectorXd down = slopes.transpose() * now.sum.matrix() / double(z.size());
    bool better = false, done = false;
    for (; !better && damping < 1e5; damping *= better ? 1 : 10) {
      Eigen::MatrixXd damped = square;
      damped.diagonal().array() += damping * (square.diagonal().array() + 1e-9);
      const Eigen::VectorXd by = -damped.ldlt().solve(down);
      Bend::Dependent next = one;
      next.mean.head(means) += by.head(means);
      next.log_width.head(widths) += by.tail(widths).cwiseMax(-1.0).cwiseMin(1.0);
      Residual there(next, functions, z, g);
      if (const double after = cost(there.sum); after < best) {
        done = after > enough * best;
        best = after;
        one = std::move(next);
        now = std::move(there);
        better = true;
      }
    }
    if (done)
      break;
    damping = std::max(damping / 5, 1e-6);
  }
}

} // namespace starling::bending
