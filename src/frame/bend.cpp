// Bends: the way in and out, and slopes along it. O(rows x dependents x controllers^2).
#include <starling/bend.hpp>

#include "cpu/bend_work.hpp"
#include "frame/bend_functions.hpp"

#include <stdexcept>
#include <utility>

namespace starling {

namespace bending {

namespace {

/// Controllers as the functions see them, made when they are first asked for: by then they are
/// where they stay.
class Seen {
public:
  explicit Seen(std::size_t dim) : seen_(dim) {}
  const Bounded& operator()(const Eigen::MatrixXd& z, std::size_t parameter) {
    std::optional<Bounded>& one = seen_[parameter];
    if (!one)
      one.emplace(z.col(Eigen::Index(parameter)).array());
    return *one;
  }
  Controllers of(const Eigen::MatrixXd& z, const Bend::Dependent& one) {
    Controllers all;
    for (const std::size_t parameter : one.controllers)
      all.push_back(&(*this)(z, parameter).value);
    return all;
  }

private:
  std::vector<std::optional<Bounded>> seen_;
};

/// A dependent at rows, as SIMD levels take it.
cpu::DependentCurves curves_of(const Bend::Dependent& one, const Controllers& c,
                               Eigen::Index rows) {
  cpu::DependentCurves curves{.rows = std::size_t(rows),
                              .controllers = c.size(),
                              .c = {},
                              .mean = one.mean.data(),
                              .log_width = one.log_width.data(),
                              .widest = widest};
  for (std::size_t a = 0; a < c.size(); ++a)
    curves.c[a] = c[a]->data();
  return curves;
}

/// Columns of t to z, where they lie; calls `at` with each dependent's curves.
template <typename At>
void bend_columns(const Bend& bend, Eigen::MatrixXd& z, Seen& seen, At&& at) {
  const cpu::BendWork& work = cpu::bend_work_in_use();
  for (const Bend::Dependent& one : bend.dependents()) {
    const cpu::DependentCurves curves = curves_of(one, seen.of(z, one), z.rows());
    work.bend(curves, z.col(Eigen::Index(one.parameter)).data());
    at(curves);
  }
}

constexpr auto nothing_more = [](const cpu::DependentCurves&) {};

} // namespace

} // namespace bending

using bending::Controllers, bending::Seen, bending::bend_columns, bending::curves_of;

Bend::Bend(Vector centre, Vector scale, std::vector<Dependent> dependents)
    : centre_(std::move(centre)), scale_(std::move(scale)), dependents_(std::move(dependents)) {
  restored();
}

Bend::Matrix Bend::forward(const Matrix& t) const {
  Seen seen(dim());
  Eigen::MatrixXd z = t;
  bend_columns(*this, z, seen, bending::nothing_more);
  return (z * scale_.asDiagonal()).rowwise() + centre_.transpose();
}

Bend::Matrix Bend::inverse(Rows<const double> x) const {
  const Eigen::Map<const Matrix> rows(x.data, Eigen::Index(x.count), Eigen::Index(x.dim));
  const Eigen::MatrixXd z =
      (rows.rowwise() - centre_.transpose()) * scale_.cwiseInverse().asDiagonal();
  Eigen::MatrixXd t = z;
  Seen seen(dim());
  const cpu::BendWork& work = cpu::bend_work_in_use();
  for (const Dependent& one : dependents_)
    work.straighten(curves_of(one, seen.of(z, one), z.rows()),
                    t.col(Eigen::Index(one.parameter)).data());
  return t;
}

Bend::Matrix Bend::pull(const Matrix& t, Rows<const double> score) const {
  const Eigen::Map<const Matrix> rows(score.data, Eigen::Index(score.count),
                                      Eigen::Index(score.dim));
  Seen seen(dim());
  const Eigen::MatrixXd in_t = t;
  Eigen::MatrixXd z = in_t, slope = rows * scale_.asDiagonal();
  bend_columns(*this, z, seen, bending::nothing_more);
  const cpu::BendWork& work = cpu::bend_work_in_use();
  for (std::size_t n = dependents_.size(); n-- > 0;) { // those who are controlled first
    const Dependent& one = dependents_[n];
    const double* bounds[bending::most_controllers] = {};
    double* at[bending::most_controllers] = {};
    for (std::size_t a = 0; a < one.controllers.size(); ++a) {
      bounds[a] = seen(z, one.controllers[a]).slope.data();
      at[a] = slope.col(Eigen::Index(one.controllers[a])).data();
    }
    const auto own = Eigen::Index(one.parameter);
    work.pull(curves_of(one, seen.of(z, one), z.rows()), in_t.col(own).data(),
              slope.col(own).data(), bounds, at);
  }
  return slope;
}

Bend::Vector Bend::log_determinant(const Matrix& t) const {
  Seen seen(dim());
  Eigen::MatrixXd z = t;
  Vector sum = Vector::Constant(t.rows(), scale_.array().log().sum());
  bend_columns(*this, z, seen, [&](const cpu::DependentCurves& curves) {
    cpu::bend_work_in_use().widths(curves, sum.data());
  });
  return sum;
}

void Bend::restored() const {
  bool fits = scale_.size() == centre_.size();
  std::vector<bool> made(dim(), false), used(dim(), false);
  for (const Dependent& one : dependents_) {
    const std::size_t k = one.controllers.size();
    fits = fits && one.parameter < dim() && k > 0 && k <= bending::most_controllers &&
           one.mean.size() == bending::numbers_of_mean(k) &&
           one.log_width.size() == bending::numbers_of_width(k) && !made[one.parameter] &&
           !used[one.parameter];
    if (!fits)
      break;
    for (const std::size_t parameter : one.controllers) {
      fits = fits && parameter < dim() && parameter != one.parameter;
      if (fits)
        used[parameter] = true;
    }
    made[one.parameter] = true;
  }
  if (!fits)
    throw std::invalid_argument("state: the parts of a bend do not fit each other");
}

} // namespace starling
