// Bends: the way in and out, and slopes along it. O(rows x dependents x controllers^2).
#include <starling/bend.hpp>

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

/// The width of a dependent, and its exponential.
struct Wide : Width {
  Values exp;
  Wide(const Controllers& c, const Eigen::VectorXd& numbers, Eigen::Index rows)
      : Width(c, numbers, rows), exp(log.exp()) {}
};

/// Rows of t to z; lists the widths in the order of the dependents.
Eigen::MatrixXd bent(const Bend& bend, const Bend::Matrix& t, Seen& seen,
                     std::vector<Wide>& widths) {
  Eigen::MatrixXd z = t;
  for (const Bend::Dependent& one : bend.dependents()) {
    const Controllers c = seen.of(z, one);
    auto own = z.col(Eigen::Index(one.parameter)).array();
    widths.emplace_back(c, one.log_width, z.rows());
    own = bending::quadratic(c, one.mean, z.rows()) + widths.back().exp * own;
  }
  return z;
}

} // namespace

} // namespace bending

using bending::Controllers, bending::Seen, bending::Wide, bending::Width;

Bend::Bend(Vector centre, Vector scale, std::vector<Dependent> dependents)
    : centre_(std::move(centre)), scale_(std::move(scale)), dependents_(std::move(dependents)) {
  restored();
}

Bend::Matrix Bend::forward(const Matrix& t) const {
  Seen seen(dim());
  std::vector<Wide> widths;
  const Eigen::MatrixXd z = bending::bent(*this, t, seen, widths);
  return (z * scale_.asDiagonal()).rowwise() + centre_.transpose();
}

Bend::Matrix Bend::inverse(Rows<const double> x) const {
  const Eigen::Map<const Matrix> rows(x.data, Eigen::Index(x.count), Eigen::Index(x.dim));
  const Eigen::MatrixXd z =
      (rows.rowwise() - centre_.transpose()) * scale_.cwiseInverse().asDiagonal();
  Eigen::MatrixXd t = z;
  Seen seen(dim());
  for (const Dependent& one : dependents_) {
    const Controllers c = seen.of(z, one);
    auto own = t.col(Eigen::Index(one.parameter)).array();
    const Width width(c, one.log_width, z.rows());
    own = (own - bending::quadratic(c, one.mean, z.rows())) * (-width.log).exp();
  }
  return t;
}

Bend::Matrix Bend::pull(const Matrix& t, Rows<const double> score) const {
  const Eigen::Map<const Matrix> rows(score.data, Eigen::Index(score.count),
                                      Eigen::Index(score.dim));
  Seen seen(dim());
  std::vector<Wide> widths;
  const Eigen::MatrixXd z = bending::bent(*this, t, seen, widths);
  Eigen::MatrixXd slope = rows * scale_.asDiagonal();
  for (std::size_t n = dependents_.size(); n-- > 0;) { // those who are controlled first
    const Dependent& one = dependents_[n];
    const Wide& width = widths[n];
    const Controllers c = seen.of(z, one);
    auto own = slope.col(Eigen::Index(one.parameter)).array();
    const bending::Values before = own;
    const bending::Values by_width = // d(log density + log determinant) / du
        width.inside * (1 + before * width.exp * t.col(Eigen::Index(one.parameter)).array());
    for (std::size_t a = 0; a < c.size(); ++a)
      slope.col(Eigen::Index(one.controllers[a])).array() +=
          seen(z, one.controllers[a]).slope * (before * bending::slope_of(c, one.mean, a) +
                                               by_width * bending::slope_of(c, one.log_width, a));
    own = before * width.exp;
  }
  return slope;
}

Bend::Vector Bend::log_determinant(const Matrix& t) const {
  Seen seen(dim());
  std::vector<Wide> widths;
  bending::bent(*this, t, seen, widths);
  bending::Values sum = bending::Values::Constant(t.rows(), scale_.array().log().sum());
  for (const Wide& width : widths)
    sum += width.log;
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
