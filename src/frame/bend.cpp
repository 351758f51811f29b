// Bends: the way in and out, and slopes along it. O(rows x dependents x controllers^2).
#include <starling/bend.hpp>

#include "cpu/bend_work.hpp"
#include "frame/bend_functions.hpp"

#include <stdexcept>
#include <utility>

namespace starling {

namespace bending {

namespace {

/// A dependent at rows, as SIMD levels take it.
cpu::DependentCurves curves_of(const Bend::Dependent& one, const Bend::Way& way) {
  cpu::DependentCurves curves{.rows = std::size_t(way.z.rows()),
                              .controllers = one.controllers.size(),
                              .c = {},
                              .mean = one.mean.data(),
                              .log_width = one.log_width.data(),
                              .widest = widest};
  for (std::size_t a = 0; a < one.controllers.size(); ++a)
    curves.c[a] = way.seen[one.controllers[a]].data();
  return curves;
}

/// Controllers as the functions see them, made when they are first asked for: by then they are
/// where they stay.
void see(Bend::Way& way, const Bend::Dependent& one) {
  way.seen.resize(std::size_t(way.z.cols()));
  way.slope.resize(way.seen.size());
  for (const std::size_t parameter : one.controllers)
    if (way.seen[parameter].size() == 0) {
      way.seen[parameter].resize(way.z.rows());
      way.slope[parameter].resize(way.z.rows());
      cpu::bend_work_in_use().hold(way.z.col(Eigen::Index(parameter)).data(),
                                   std::size_t(way.z.rows()), bound, way.seen[parameter].data(),
                                   way.slope[parameter].data());
    }
}

} // namespace

} // namespace bending

using bending::curves_of, bending::see;

Bend::Bend(Vector centre, Vector scale, std::vector<Dependent> dependents)
    : centre_(std::move(centre)), scale_(std::move(scale)), dependents_(std::move(dependents)) {
  restored();
}

Bend::Way Bend::way(const Matrix& t) const {
  Way way;
  way.t = t;
  way.z = way.t;
  for (const Dependent& one : dependents_) {
    see(way, one);
    cpu::bend_work_in_use().bend(curves_of(one, way),
                                 way.z.col(Eigen::Index(one.parameter)).data());
  }
  return way;
}

Bend::Matrix Bend::forward(const Way& way) const {
  return (way.z * scale_.asDiagonal()).rowwise() + centre_.transpose();
}

Bend::Matrix Bend::inverse(Rows<const double> x) const {
  const Eigen::Map<const Matrix> rows(x.data, Eigen::Index(x.count), Eigen::Index(x.dim));
  Way way;
  way.z = (rows.rowwise() - centre_.transpose()) * scale_.cwiseInverse().asDiagonal();
  Eigen::MatrixXd t = way.z;
  for (const Dependent& one : dependents_) {
    see(way, one);
    cpu::bend_work_in_use().straighten(curves_of(one, way),
                                       t.col(Eigen::Index(one.parameter)).data());
  }
  return t;
}

Bend::Matrix Bend::pull(const Way& way, Rows<const double> score) const {
  const Eigen::Map<const Matrix> rows(score.data, Eigen::Index(score.count),
                                      Eigen::Index(score.dim));
  Eigen::MatrixXd slope = rows * scale_.asDiagonal();
  for (std::size_t n = dependents_.size(); n-- > 0;) { // those who are controlled first
    const Dependent& one = dependents_[n];
    const double* bounds[bending::most_controllers] = {};
    double* at[bending::most_controllers] = {};
    for (std::size_t a = 0; a < one.controllers.size(); ++a) {
      bounds[a] = way.slope[one.controllers[a]].data();
      at[a] = slope.col(Eigen::Index(one.controllers[a])).data();
    }
    const auto own = Eigen::Index(one.parameter);
    cpu::bend_work_in_use().pull(curves_of(one, way), way.t.col(own).data(), slope.col(own).data(),
                                 bounds, at);
  }
  return slope;
}

Bend::Vector Bend::log_determinant(const Way& way) const {
  Vector sum = Vector::Constant(way.t.rows(), scale_.array().log().sum());
  for (const Dependent& one : dependents_)
    cpu::bend_work_in_use().widths(curves_of(one, way), sum.data());
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
