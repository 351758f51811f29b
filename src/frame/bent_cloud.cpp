// A cloud while its bend is looked for.
#include "frame/bent_cloud.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace starling::bending {

namespace {

constexpr Index most_rows = 1024, least_of_most = 256; // of the cloud
constexpr double far_out = 10;                         // in spreads: what is farther is clipped
constexpr double nearly_normal = 0.1; // what a score may have that is not linear, of its variance

/// Half the distance of the quantiles that a normal has at -1 and 1, and the median.
struct Spread {
  double middle, width;
  explicit Spread(Values values) {
    const auto place = [&](double share) {
      return values.begin() + std::ptrdiff_t(share * double(values.size() - 1));
    };
    const auto half = place(.5), low = place(.16), high = place(.84);
    std::nth_element(values.begin(), half, values.end());
    middle = *half;
    std::nth_element(values.begin(), low, half);
    std::nth_element(half, high, values.end());
    width = std::max((*high - *low) / 2, 1e-12);
  }
};

Values clipped(const Values& values) {
  const Spread spread(values);
  const double far = far_out * spread.width;
  return values.max(spread.middle - far).min(spread.middle + far);
}

/// Nobody controls it: the best width and mean that a constant can be.
Dependent plain(std::size_t i, const Values& z, const Values& g) {
  const double ratio = Spread(z).width / Spread(g).width;
  Dependent one{i, {}, VectorXd(1), VectorXd(1)};
  one.log_width[0] = std::clamp(0.5 * std::log(ratio), -widest, widest);
  one.mean[0] = Spread(z + std::exp(2 * one.log_width[0]) * g).middle;
  return one;
}

/// Fewer in many dimensions: a round costs rows times dimensions squared.
Index rows_for(Index dim) { return std::clamp(100'000 / dim, least_of_most, most_rows); }

} // namespace

BentCloud::BentCloud(Rows<const double> x, Rows<const double> score)
    : n_(std::min(Index(x.count), rows_for(Index(x.dim)))), half_((n_ + 1) / 2), d_(Index(x.dim)),
      z_(n_, d_), score_(n_, d_), centre_(d_), scale_(d_), place_(x.dim, -1), alone_(x.dim),
      changed_(x.dim), t_(n_, d_), score_t_(n_, d_), sums_(n_, d_), squares_(n_, d_) {
  for (Index r = 0; r < n_; ++r) {
    const Index nth = r < half_ ? 2 * r : 2 * (r - half_) + 1;
    const auto row = std::size_t(nth) * x.count / std::size_t(n_);
    for (Index a = 0; a < d_; ++a) {
      z_(r, a) = x[row][std::size_t(a)];
      score_(r, a) = score[row][std::size_t(a)];
    }
  }
  for (Index a = 0; a < d_; ++a) {
    const Spread spread(z_.col(a).array());
    centre_[a] = spread.middle;
    scale_[a] = spread.width;
  }
  z_ = (z_.rowwise() - centre_.transpose()) * scale_.cwiseInverse().asDiagonal();
  score_ = (score_ * scale_.asDiagonal()).cwiseMax(-1e12).cwiseMin(1e12);
  for (Index a = 0; a < d_; ++a)
    seen_.emplace_back(z_.col(a).array());
  follow();
}

Dependent BentCloud::now(std::size_t i) const {
  return is_free(i) ? alone_[i] : kept_[std::size_t(place_[i])];
}

Dependent BentCloud::controlled(std::size_t i, const std::vector<std::size_t>& by) const {
  Dependent one = alone_[i];
  for (const std::size_t j : by)
    one = with_controller(one, j);
  return one;
}

FittedRows BentCloud::rows_of(const Dependent& one, Part part) const {
  std::vector<Eigen::Ref<const Values>> c;
  for (const std::size_t j : one.controllers)
    c.push_back(seen_[j].value.segment(first(part), count(part)));
  return {c, part_of(z_, one.parameter, part), part_of(pulled_, one.parameter, part)};
}

void BentCloud::fit(Dependent& one, Part part) const {
  if (!one.controllers.empty())
    rows_of(one, part).fit(one, Terms::all);
}

double BentCloud::cost_of(const Dependent& one, Part part) const {
  if (!one.controllers.empty())
    return rows_of(one, part).cost(one);
  return cost(
      Residual(one, {}, part_of(z_, one.parameter, part), part_of(pulled_, one.parameter, part))
          .sum);
}

Residual BentCloud::residual(const Dependent& one) const {
  return {one, controllers(one), z_.col(Index(one.parameter)), pulled_.col(Index(one.parameter))};
}

Controllers BentCloud::controllers(const Dependent& one) const {
  Controllers c;
  for (const std::size_t j : one.controllers)
    c.push_back(&seen_[j].value);
  return c;
}

template <typename ColumnOf>
void BentCloud::add_pull(const Dependent& one, ColumnOf&& column_of, double sign) const {
  const Controllers c = controllers(one);
  const auto i = Index(one.parameter);
  const Width width(c, one.log_width, n_);
  const Values mean = quadratic(c, one.mean, n_), g = pulled_.col(i).array();
  const Values by_width = width.inside * (1 + g * (z_.col(i).array() - mean));
  for (std::size_t a = 0; a < c.size(); ++a)
    column_of(one.controllers[a]) +=
        sign * seen_[one.controllers[a]].slope *
        (g * slope_of(c, one.mean, a) + by_width * slope_of(c, one.log_width, a));
}

void BentCloud::pull_controllers(const Dependent& one) {
  add_pull(one, [&](std::size_t j) { return pulled_.col(Index(j)).array(); });
}

double BentCloud::gain_of_leads(const std::vector<std::size_t>& leads,
                                const std::vector<Dependent>& dependents) const {
  std::map<std::size_t, Values> pulled; // of their controllers, none of whom is a dependent here
  const auto column_of = [&](std::size_t j) -> Values& {
    return pulled.try_emplace(j, pulled_.col(Index(j)).array()).first->second;
  };
  for (const Dependent& one : dependents) {
    if (!is_free(one.parameter))
      add_pull(now(one.parameter), column_of, -1);
    add_pull(one, column_of);
  }
  double gain = 0;
  for (const std::size_t j : leads) {
    const Values z = part_of(z_, j, Part::tested);
    const auto own = [&](const Values& g) { return cost(Residual(plain(j, z, g), {}, z, g).sum); };
    gain += own(part_of(pulled_, j, Part::tested)) -
            own(column_of(j).segment(first(Part::tested), count(Part::tested)));
  }
  return gain;
}

void BentCloud::take(const Dependent& one) {
  taken_.insert(one.parameter);
  int& place = place_[one.parameter];
  if (place < 0) {
    place = int(kept_.size());
    kept_.push_back(one);
  } else {
    kept_[std::size_t(place)] = one;
  }
}

void BentCloud::take_first(const Dependent& one) {
  taken_.insert(one.parameter);
  std::erase_if(kept_, [&](const Dependent& other) { return other.parameter == one.parameter; });
  kept_.insert(kept_.begin(), one);
  for (std::size_t k = 0; k < kept_.size(); ++k)
    place_[kept_[k].parameter] = int(k);
}

void BentCloud::follow() {
  const MatrixXd before = std::exchange(pulled_, score_);
  for (const Dependent& one : kept_)
    pull_controllers(one);
  ++follows_;
  for (Index a = 0; a < d_; ++a) {
    const auto i = std::size_t(a);
    const bool same_score = before.size() > 0 && before.col(a) == pulled_.col(a);
    if (!same_score)
      alone_[i] = plain(i, part_of(z_, i, Part::fitted), part_of(pulled_, i, Part::fitted));
    if (same_score && !taken_.contains(i))
      continue;
    changed_[i] = follows_;
    const Residual r = residual(now(i));
    t_.col(a) = r.t;
    score_t_.col(a) = r.score;
    sums_.col(a) = r.sum.max(-far_out).min(far_out);
    squares_.col(a) = sums_.col(a).array() * (r.score - r.t).max(-far_out).min(far_out);
  }
  taken_.clear();
}

/// What of the scores in t is not linear in t. Fitted on one half. With few particles each score is
/// asked only for its own t.
MatrixXd BentCloud::not_linear(const MatrixXd& t, const MatrixXd& score) const {
  const Eigen::RowVectorXd middle = t.topRows(half_).colwise().mean(),
                           mean = score.topRows(half_).colwise().mean();
  const MatrixXd y = t.rowwise() - middle, s = score.rowwise() - mean;
  const auto fitted = y.topRows(half_);
  if (3 * d_ <= half_) {
    MatrixXd square = fitted.transpose() * fitted;
    square.diagonal() *= 1 + 1e-9;
    square.diagonal().array() += 1e-12;
    return s - y * square.ldlt().solve(fitted.transpose() * s.topRows(half_));
  }
  MatrixXd rest = s;
  for (Index a = 0; a < d_; ++a)
    rest.col(a) -= y.col(a) * fitted.col(a).dot(s.col(a).head(half_)) /
                   std::max(fitted.col(a).squaredNorm(), 1e-300);
  return rest;
}

double BentCloud::excess() const {
  MatrixXd t = t_, score = score_t_;
  for (MatrixXd* columns : {&t, &score})
    for (auto column : columns->colwise())
      column = clipped(column.array());
  const auto tested = score.bottomRows(n_ - half_);
  const MatrixXd about = tested.rowwise() - tested.colwise().mean();
  const Eigen::ArrayXd all = about.colwise().squaredNorm().array().max(1e-300).transpose();
  const Eigen::ArrayXd rest =
      not_linear(t, score).bottomRows(n_ - half_).colwise().squaredNorm().array().transpose();
  return ((rest / all).min(1.0) - nearly_normal).max(0.0).sum();
}

Bend BentCloud::bend() {
  pulled_ = score_;
  for (Dependent& one : kept_) { // those who are controlled first: their pull is then there
    fit(one, Part::all);
    pull_controllers(one);
  }
  return Bend(centre_, scale_, {kept_.rbegin(), kept_.rend()});
}

} // namespace starling::bending
