// The bend of a cloud and its scores: who controls whom, and how.
#include <starling/bend.hpp>

#include "frame/fit_dependent.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace starling {

namespace bending {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Dependent = Bend::Dependent;

constexpr Index most_rows = 1024; // of the cloud
constexpr std::size_t least_rows = 40;
constexpr double far_out = 10; // in spreads: what is farther is clipped
constexpr int most_rounds = 8;
constexpr double least_t = 5;      // of a pair's score test
constexpr double least_linear = 8; // of the test that finds who goes along
constexpr double lower = 0.9;      // a dependent's cost on the other half falls at least to this
constexpr double least_gain = 0.02;
constexpr double waits = 0.3;
constexpr double nearly_normal = 0.1; // what a score may have that is not linear, of its variance

/// Half the distance of the quantiles that a normal has at -1 and 1, and the median.
struct Spread {
  double middle, width;
  explicit Spread(Values values) {
    const auto at = [&](double share) {
      const auto place = values.begin() + std::ptrdiff_t(share * double(values.size() - 1));
      std::nth_element(values.begin(), place, values.end());
      return *place;
    };
    const double low = at(.16), high = at(.84);
    middle = at(.5);
    width = std::max((high - low) / 2, 1e-12);
  }
};

Values clipped(const Values& values) {
  const Spread spread(values);
  const double far = far_out * spread.width;
  return values.max(spread.middle - far).min(spread.middle + far);
}

/// Columns with mean 0 and norm 1.
MatrixXd standardised(MatrixXd columns) {
  columns.rowwise() -= columns.colwise().mean();
  for (auto column : columns.colwise())
    column /= std::max(column.norm(), 1e-300);
  return columns;
}

/// A cloud with half of its rows to fit on, which come first, and half to test on.
class Fit {
public:
  Fit(Rows<const double> x, Rows<const double> score)
      : n_(std::min(Index(x.count), most_rows)), half_((n_ + 1) / 2), d_(Index(x.dim)), z_(n_, d_),
        score_(n_, d_), centre_(d_), scale_(d_), place_(x.dim, -1), t_(n_, d_), score_t_(n_, d_),
        sums_(n_, d_), squares_(n_, d_) {
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

  std::optional<Bend> bend(bool asked) {
    const VectorXd straight = beyond_linear();
    if (!straight.allFinite() || excess(straight) < (asked ? 0.01 : 0.2))
      return {};
    for (int round = 0; round < most_rounds && another_round(); ++round)
      ;
    if (kept_.empty() || !(excess(beyond_linear()) < (asked ? 0.95 : 0.7) * excess(straight)))
      return {};
    for (std::size_t n = 0; n < kept_.size();
         ++n) { // with all rows, those who are controlled first
      const Dependent before = kept_[n];
      fit(kept_[n], Part::all);
      replace_pull(&before, kept_[n], pulled_);
    }
    return Bend(centre_, scale_, {kept_.rbegin(), kept_.rend()});
  }

private:
  enum class Part { fitted, tested, all };
  struct Gain {
    Dependent dependent;
    double before, after; // cost on the other half
    double left() const { return after / before; }
  };
  struct Proposal {
    double gain = 0;
    std::vector<Dependent> dependents;
    std::vector<std::size_t> leads;
  };

  Index first(Part part) const { return part == Part::tested ? half_ : 0; }
  Index count(Part part) const {
    return part == Part::all ? n_ : part == Part::fitted ? half_ : n_ - half_;
  }
  template <typename Columns>
  Values rows(const Columns& of, Index a, Part part) const {
    return of.col(a).segment(first(part), count(part)).array();
  }
  std::vector<Values> controllers(const Dependent& one, Part part) const {
    std::vector<Values> c;
    for (const std::size_t j : one.controllers)
      c.push_back(seen_[j].value.segment(first(part), count(part)));
    return c;
  }
  bool is_free(std::size_t i) const { return place_[i] < 0; }

  /// Nobody controls it: the best width and mean that a constant can be.
  Dependent plain(std::size_t i, const Values& z, const Values& g) const {
    const double ratio = Spread(z).width / Spread(g).width;
    Dependent one{i, {}, VectorXd(1), VectorXd(1)};
    one.log_width[0] = std::clamp(0.5 * std::log(ratio), -widest, widest);
    one.mean[0] = Spread(z + std::exp(2 * one.log_width[0]) * g).middle;
    return one;
  }
  Dependent now(std::size_t i) const {
    return is_free(i)
               ? plain(i, rows(z_, Index(i), Part::fitted), rows(pulled_, Index(i), Part::fitted))
               : kept_[std::size_t(place_[i])];
  }

  Residual residual(const Dependent& one, Part part) const {
    const std::vector<Values> c = controllers(one, part);
    const auto i = Index(one.parameter);
    return {one, Functions(c), rows(z_, i, part), rows(pulled_, i, part)};
  }
  double cost_of(const Dependent& one, Part part) const { return cost(residual(one, part).sum); }

  void fit(Dependent& one, Part part) const {
    const auto i = Index(one.parameter);
    bending::fit(one, Functions(controllers(one, part)), rows(z_, i, part), rows(pulled_, i, part));
  }

  /// Takes the old one's pull on its controllers off, where there was one, and puts the new on.
  void replace_pull(const Dependent* before, const Dependent& now, MatrixXd& pulled) const {
    const auto add = [&](const Dependent& one, double sign) {
      Controllers c;
      for (const std::size_t j : one.controllers)
        c.push_back(&seen_[j].value);
      const auto i = Index(one.parameter);
      const Width width(c, one.log_width, n_);
      const Values mean = quadratic(c, one.mean, n_), g = pulled_.col(i).array();
      const Values by_width = width.inside * (1 + g * (z_.col(i).array() - mean));
      for (std::size_t a = 0; a < c.size(); ++a)
        pulled.col(Index(one.controllers[a])).array() +=
            sign * seen_[one.controllers[a]].slope *
            (g * slope_of(c, one.mean, a) + by_width * slope_of(c, one.log_width, a));
    };
    if (before)
      add(*before, -1);
    add(now, 1);
  }

  /// Scores in z, each with what those whom it controls add; and all in t, with residuals.
  void follow() {
    pulled_ = score_;
    for (const Dependent& one : kept_)
      replace_pull(nullptr, one, pulled_);
    for (Index a = 0; a < d_; ++a) {
      const Residual r = residual(now(std::size_t(a)), Part::all);
      t_.col(a) = clipped(r.t);
      score_t_.col(a) = clipped(r.score);
      sums_.col(a) = r.sum.max(-far_out).min(far_out);
      squares_.col(a) = sums_.col(a).array() * (r.score - r.t).max(-far_out).min(far_out);
    }
    unexplain();
  }

  /// What of the scores in t is not linear in t: of a normal, nothing, wherever its particles are.
  /// Fitted on one half. With few particles each score is asked only for its own t.
  void unexplain() {
    const Eigen::RowVectorXd middle = t_.topRows(half_).colwise().mean(),
                             mean = score_t_.topRows(half_).colwise().mean();
    const MatrixXd y = t_.rowwise() - middle, s = score_t_.rowwise() - mean;
    const auto fitted = y.topRows(half_);
    if (3 * d_ <= half_) {
      MatrixXd square = fitted.transpose() * fitted;
      square.diagonal() *= 1 + 1e-9;
      square.diagonal().array() += 1e-12;
      rest_ = s - y * square.ldlt().solve(fitted.transpose() * s.topRows(half_));
    } else {
      rest_ = s;
      for (Index a = 0; a < d_; ++a)
        rest_.col(a) -= y.col(a) * fitted.col(a).dot(s.col(a).head(half_)) /
                        std::max(fitted.col(a).squaredNorm(), 1e-300);
    }
  }

  /// The share of each score's variance that is not linear, on the half that was not fitted.
  VectorXd beyond_linear() const {
    const auto tested = score_t_.bottomRows(n_ - half_);
    const MatrixXd about = tested.rowwise() - tested.colwise().mean();
    return (rest_.bottomRows(n_ - half_).colwise().squaredNorm().array() /
            about.colwise().squaredNorm().array().max(1e-300))
        .min(1.0)
        .transpose();
  }
  static double excess(const VectorXd& share) {
    return (share.array() - nearly_normal).max(0.0).sum();
  }

  bool another_round() {
    std::map<std::size_t, Proposal> proposals = propose();
    std::vector<Proposal> all;
    for (auto& [lead, proposal] : proposals) {
      add_gains_of_leads(proposal);
      if (proposal.gain > least_gain)
        all.push_back(std::move(proposal));
    }
    std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.gain > b.gain; });
    std::vector<bool> taken(place_.size()), leads(place_.size());
    for (const Proposal& proposal : all)
      if (std::ranges::none_of(proposal.leads, [&](auto j) { return taken[j]; }) &&
          std::ranges::none_of(proposal.dependents, [&](const Dependent& one) {
            return taken[one.parameter] || leads[one.parameter];
          })) {
        for (const std::size_t j : proposal.leads)
          leads[j] = true;
        for (const Dependent& one : proposal.dependents) {
          taken[one.parameter] = true;
          take(one);
        }
      }
    const bool any = std::ranges::find(taken, true) != taken.end();
    if (any)
      follow();
    return any;
  }

  void take(const Dependent& one) {
    int& place = place_[one.parameter];
    if (place < 0) {
      place = int(kept_.size());
      kept_.push_back(one);
    } else {
      kept_[std::size_t(place)] = one;
    }
  }

  /// The strongest pairs of a dependent and one more controller, by score tests: of the residual
  /// r = score + t, r (score - t) goes with c where c changes the width, and r with c^2 where it
  /// bends the mean.
  std::vector<std::pair<std::size_t, std::size_t>> strongest_pairs() const {
    MatrixXd c(n_, d_);
    for (Index a = 0; a < d_; ++a)
      c.col(a) = seen_[std::size_t(a)].value;
    const MatrixXd squares = standardised(c.cwiseAbs2());
    const MatrixXd of_width = standardised(squares_).transpose() * standardised(std::move(c));
    const MatrixXd of_mean = standardised(sums_).transpose() * squares;
    const double least = least_t * least_t / double(n_);
    std::vector<std::pair<double, std::pair<std::size_t, std::size_t>>> found;
    for (std::size_t j = 0; j < place_.size(); ++j)
      for (std::size_t i = 0; is_free(j) && i < place_.size(); ++i) {
        const double strength = std::max(std::pow(of_width(Index(i), Index(j)), 2),
                                         std::pow(of_mean(Index(i), Index(j)), 2));
        if (strength > least && may_control(j, i))
          found.push_back({strength, {i, j}});
      }
    const std::size_t most = std::min(found.size(), 4 * place_.size() + 20);
    std::ranges::nth_element(found, found.begin() + std::ptrdiff_t(most), std::greater<>());
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t n = 0; n < most; ++n)
      pairs.push_back(found[n].second);
    std::ranges::sort(pairs);
    return pairs;
  }

  bool may_control(std::size_t j, std::size_t i) const {
    if (i == j || !is_free(j) || failed_.contains({i, j}))
      return false;
    if (is_free(i))
      return true;
    const auto& others = kept_[std::size_t(place_[i])].controllers;
    return others.size() < most_controllers && std::ranges::find(others, j) == others.end();
  }

  /// For each controller, those who gain by it.
  std::map<std::size_t, Proposal> propose() {
    std::map<std::size_t, std::vector<Gain>> gains;
    std::optional<std::size_t> last, along;
    for (const auto& [i, j] : strongest_pairs()) {
      if (last != i)
        along = goes_along(i);
      last = i;
      if (std::optional<Gain> gain = gain_by(i, j, along))
        gains[j].push_back(std::move(*gain));
      else
        failed_.insert({i, j});
    }
    std::map<std::size_t, Proposal> proposals;
    for (const auto& [j, those] : gains)
      proposals[j] = proposal_of(those);
    return proposals;
  }

  /// With j as one more controller, and with the one who goes along where that helps.
  std::optional<Gain> gain_by(std::size_t i, std::size_t j,
                              std::optional<std::size_t> along) const {
    const Dependent now_i = now(i);
    Gain gain{with_controller(now_i, j), cost_of(now_i, Part::tested), 0};
    gain.before = std::min(gain.before, cost_if_linear(gain.dependent));
    fit(gain.dependent, Part::fitted);
    gain.after = cost_of(gain.dependent, Part::tested);
    if (along && *along != j && may_control(*along, i) &&
        gain.dependent.controllers.size() < most_controllers) {
      Dependent both = with_controller(gain.dependent, *along);
      const double linear = cost_if_linear(with_controller(with_controller(now_i, j), *along));
      fit(both, Part::fitted);
      if (const double after = cost_of(both, Part::tested); after < lower * gain.after)
        gain = {std::move(both), std::min(gain.before, linear), after};
    }
    if (gain.after < lower * gain.before)
      return gain;
    return {};
  }

  /// Those who gain most. One who gains far less may itself be who controls: it waits for the next
  /// round.
  Proposal proposal_of(const std::vector<Gain>& those) const {
    double least = 1;
    for (const Gain& one : those)
      least = std::min(least, one.left());
    Proposal proposal;
    std::set<std::size_t> leads;
    for (const Gain& one : those)
      if (one.left() < least + waits)
        leads.insert(one.dependent.controllers.begin(), one.dependent.controllers.end());
    for (const Gain& one : those)
      if (one.left() < least + waits && !leads.contains(one.dependent.parameter)) {
        proposal.gain += one.before - one.after;
        proposal.dependents.push_back(one.dependent);
      }
    std::ranges::copy_if(leads, std::back_inserter(proposal.leads),
                         [&](std::size_t j) { return is_free(j); });
    return proposal;
  }

  /// With the same controllers, but a mean that is linear and a width that does not change: that
  /// much the affine part can do.
  double cost_if_linear(Dependent one) const {
    bending::fit(one, Functions(controllers(one, Part::fitted), Terms::linear),
                 rows(z_, Index(one.parameter), Part::fitted),
                 rows(pulled_, Index(one.parameter), Part::fitted));
    return cost_of(one, Part::tested);
  }

  std::optional<std::size_t> goes_along(std::size_t i) const {
    const Dependent own = now(i);
    const Values r = residual(own, Part::all).sum.max(-10.0).min(10.0);
    const Values centred = r - r.mean();
    const double norm = std::max(centred.matrix().norm(), 1e-300);
    double most = least_linear / std::sqrt(double(n_));
    std::optional<std::size_t> found;
    for (std::size_t j = 0; j < place_.size(); ++j) {
      if (!may_control(j, i))
        continue;
      const Values c = seen_[j].value - seen_[j].value.mean();
      const double size =
          std::abs((c * centred).sum()) / (norm * std::max(c.matrix().norm(), 1e-300));
      if (size > most) {
        most = size;
        found = j;
      }
    }
    return found;
  }

  /// Who controls has less to explain, or more.
  void add_gains_of_leads(Proposal& proposal) const {
    MatrixXd pulled = pulled_;
    for (const Dependent& one : proposal.dependents)
      replace_pull(is_free(one.parameter) ? nullptr : &kept_[std::size_t(place_[one.parameter])],
                   one, pulled);
    for (const std::size_t j : proposal.leads) {
      const Values z = rows(z_, Index(j), Part::tested);
      const auto own = [&](const MatrixXd& g) {
        const Values of = rows(g, Index(j), Part::tested);
        return cost(Residual(plain(j, z, of), Functions({}), z, of).sum);
      };
      proposal.gain += own(pulled_) - own(pulled);
    }
  }

  Index n_, half_, d_;
  MatrixXd z_, score_;
  VectorXd centre_, scale_;
  std::vector<Bounded> seen_;   // of each z
  std::vector<Dependent> kept_; // those who are controlled come first
  std::vector<int> place_;      // in kept_; below 0: free
  MatrixXd pulled_, t_, score_t_, sums_, squares_, rest_;
  std::set<std::pair<std::size_t, std::size_t>> failed_;
};

} // namespace

} // namespace bending

std::optional<Bend> fit_bend(Rows<const double> x, Rows<const double> score, bool asked) {
  if (x.count < bending::least_rows || x.dim < 2 || score.count != x.count)
    return {};
  return bending::Fit(x, score).bend(asked);
}

} // namespace starling
