// Mean and width of one dependent, by least squares of its Fisher residual.
#include "frame/fit_dependent.hpp"

#include "cpu/bend_work.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <utility>

namespace starling::bending {

namespace {

constexpr int most_steps = 15;
constexpr double enough = 0.999; // of the cost before: another step is not worth its while
constexpr int most_numbers = 17; // of a fit: mean and width of three controllers
constexpr std::size_t columns_together = 4; // of a product

template <int Columns>
using Small = Eigen::Matrix<double, Eigen::Dynamic, Columns, 0, most_numbers,
                            Columns == 1 ? 1 : most_numbers>;

std::size_t rounded_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

} // namespace

Residual::Residual(const Bend::Dependent& one, const Controllers& c, const Values& z,
                   const Values& g) {
  const Values wide = Width(c, one.log_width, z.size()).log.exp();
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

FittedRows::FittedRows(const std::vector<Eigen::Ref<const Values>>& controllers,
                       const Eigen::Ref<const Values>& z, const Eigen::Ref<const Values>& g)
    : controllers_(controllers.size()), means_(std::size_t(numbers_of_mean(controllers_))),
      count_(std::size_t(z.size())), rows_(rounded_up(count_, cpu::fitted_together)),
      numbers_(Eigen::Index(rows_), Eigen::Index(means_ + 2)) {
  const std::size_t k = controllers_;
  const auto count = Eigen::Index(count_);
  const auto values = [&](std::size_t n) {
    return numbers_.col(Eigen::Index(n)).head(count).array();
  };
  numbers_.bottomRows(Eigen::Index(rows_) - count).setZero();
  values(0).setOnes();
  for (std::size_t a = 0; a < k; ++a) {
    values(1 + a) = controllers[a];
    values(1 + k + a) = controllers[a].square() - 1;
    for (std::size_t b = a + 1; b < k; ++b)
      values(std::size_t(product(a, b, k))) = controllers[a] * controllers[b];
  }
  values(means_) = z;
  values(means_ + 1) = g;
}

namespace {

/// As SIMD levels take it.
cpu::DependentRows rows_of(const Bend::Dependent& one, const double* features, std::size_t rows) {
  const auto means = std::size_t(one.mean.size());
  return {.rows = rows,
          .features = features,
          .mean = one.mean.data(),
          .log_width = one.log_width.data(),
          .means = means,
          .widths = std::size_t(one.log_width.size()),
          .z = features + means * rows,
          .score = features + (means + 1) * rows,
          .widest = widest,
          .cap = cap};
}

} // namespace

double FittedRows::cost(const Bend::Dependent& one) const {
  return cpu::bend_work_in_use().cost(rows_of(one, numbers_.data(), rows_)) / double(count_);
}

// One product of all columns, the slopes' and the residual's, has both sides of the equations.
void FittedRows::fit(Bend::Dependent& one, Terms terms) const {
  const cpu::BendWork& work = cpu::bend_work_in_use();
  const std::size_t k = controllers_;
  const std::size_t means = terms == Terms::all ? means_ : 1 + k;
  const std::size_t widths = terms == Terms::all ? std::size_t(numbers_of_width(k)) : 1;
  const std::size_t numbers = means + widths, columns = rounded_up(numbers + 1, columns_together);
  // Of where it is, and of where the next step leads: most steps are taken.
  Eigen::MatrixXd slopes, slopes_of_next;
  const auto cost_at = [&](const Bend::Dependent& at, Eigen::MatrixXd& to) {
    to.resize(Eigen::Index(rows_), Eigen::Index(columns));
    to.rightCols(Eigen::Index(columns - numbers - 1)).setZero();
    return work.slopes(rows_of(at, numbers_.data(), rows_), means, widths, to.data()) /
           double(count_);
  };
  std::vector<double> products(columns * columns);
  double best = cost_at(one, slopes), damping = 1e-2;
  Bend::Dependent next = one;
  for (int step = 0; step < most_steps && damping < 1e5; ++step) {
    work.products(slopes.data(), rows_, columns, products.data());
    Small<Eigen::Dynamic> square;
    Small<1> down;
    square.resize(Eigen::Index(numbers), Eigen::Index(numbers));
    down.resize(Eigen::Index(numbers));
    for (std::size_t i = 0; i < numbers; ++i) {
      for (std::size_t j = i; j < numbers; ++j)
        square.coeffRef(Eigen::Index(j), Eigen::Index(i)) =
            products[i * columns + j] / double(count_);
      down.coeffRef(Eigen::Index(i)) = products[i * columns + numbers] / double(count_);
    }
    bool better = false, done = false;
    for (; !better && damping < 1e5; damping *= better ? 1 : 10) {
      Small<Eigen::Dynamic> damped = square; // only the lower half is read
      damped.diagonal().array() += damping * (square.diagonal().array() + 1e-9);
      const Small<1> by = -damped.ldlt().solve(down);
      next.mean = one.mean;
      next.log_width = one.log_width;
      next.mean.head(Eigen::Index(means)) += by.head(Eigen::Index(means));
      next.log_width.head(Eigen::Index(widths)) +=
          by.tail(Eigen::Index(widths)).cwiseMax(-1.0).cwiseMin(1.0);
      if (const double after = cost_at(next, slopes_of_next); after < best) {
        done = after > enough * best;
        best = after;
        slopes.swap(slopes_of_next);
        one.mean.swap(next.mean);
        one.log_width.swap(next.log_width);
        better = true;
      }
    }
    if (done)
      break;
    damping = std::max(damping / 5, 1e-6);
  }
}

} // namespace starling::bending
