// The search for a bend: who controls whom, by greedy rounds.
#include "frame/search_bend.hpp"

#include "frame/pair_fits.hpp"
#include "frame/products.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace starling::bending {

namespace {

constexpr int most_rounds = 8;
constexpr double least_t = 5;        // of a pair's score test
constexpr double least_linear = 4;   // of the test that finds who goes along
constexpr double lower = 0.9;        // a dependent's cost on the other half falls at least to this
constexpr double enough_alone = 0.1; // of the cost is left: nobody else is asked
constexpr double waits = 0.15;       // behind the best, in the share of the cost that is left
constexpr double least_gain = 0.02;
constexpr std::size_t most_offered = 8; // sets of controllers

/// Columns with mean 0 and norm 1.
MatrixXd standardised(MatrixXd columns) {
  columns.rowwise() -= columns.colwise().mean();
  for (auto column : columns.colwise())
    column /= std::max(column.norm(), 1e-300);
  return columns;
}

using Set = std::vector<std::size_t>; // of controllers
using Pairs = std::map<std::size_t, std::vector<std::size_t>>;

/// Greedy rounds: pairs by score tests, fitted on one half, kept by the other.
class Search {
public:
  Search(BentCloud straight, Fits fits) : cloud_(std::move(straight)), fits_(cloud_, fits) {
    MatrixXd c(cloud_.rows(), Index(cloud_.dim()));
    for (std::size_t a = 0; a < cloud_.dim(); ++a)
      c.col(Index(a)) = cloud_.bounded(a);
    standardised_squares_ = standardised(c.cwiseAbs2());
    standardised_ = standardised(std::move(c));
  }

  BentCloud found() && {
    for (int round = 0; round < most_rounds && another_round(); ++round)
      ;
    share_controllers();
    return std::move(cloud_);
  }

private:
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

  bool another_round() {
    std::map<std::size_t, Proposal> proposals = propose();
    std::vector<Proposal> all;
    for (auto& [lead, proposal] : proposals) {
      proposal.gain += cloud_.gain_of_leads(proposal.leads, proposal.dependents);
      if (proposal.gain > least_gain)
        all.push_back(std::move(proposal));
    }
    std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.gain > b.gain; });
    std::vector<bool> taken(cloud_.dim()), leads(cloud_.dim());
    for (const Proposal& proposal : all)
      if (std::ranges::none_of(proposal.leads, [&](auto j) { return taken[j]; }) &&
          std::ranges::none_of(proposal.dependents, [&](const Dependent& one) {
            return taken[one.parameter] || leads[one.parameter];
          })) {
        for (const std::size_t j : proposal.leads)
          leads[j] = true;
        for (const Dependent& one : proposal.dependents) {
          taken[one.parameter] = true;
          cloud_.take(one);
        }
      }
    const bool any = std::ranges::find(taken, true) != taken.end();
    if (any)
      cloud_.follow();
    return any;
  }

  /// Of each dependent those who may control it, strongest first, by score tests: of the residual
  /// r = score + t, r (score - t) goes with c where c changes the width, and r with c^2 where it
  /// bends the mean.
  Pairs strongest_pairs() const {
    const MatrixXd of_mean = of_columns(standardised(cloud_.residuals()), standardised_squares_);
    const MatrixXd of_width = of_columns(standardised(cloud_.squares()), standardised_);
    const MatrixXd strength = of_mean.cwiseAbs().cwiseMax(of_width.cwiseAbs());
    const double least = least_t / std::sqrt(double(cloud_.rows()));
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (std::size_t j = 0; j < cloud_.dim(); ++j)
      for (std::size_t i = 0; cloud_.is_free(j) && i < cloud_.dim(); ++i)
        if (strength(Index(i), Index(j)) > least && may_control(j, i))
          found.emplace_back(i, j);
    std::ranges::stable_sort(found, [&](const auto& a, const auto& b) {
      return strength(Index(a.first), Index(a.second)) > strength(Index(b.first), Index(b.second));
    });
    found.resize(std::min(found.size(), 4 * cloud_.dim() + 20));
    Pairs pairs;
    for (const auto& [i, j] : found)
      pairs[i].push_back(j);
    return pairs;
  }

  bool may_control(std::size_t j, std::size_t i) const {
    if (i == j || !cloud_.is_free(j) || failed_.contains({i, j}))
      return false;
    if (cloud_.is_free(i))
      return true;
    const std::vector<std::size_t> others = cloud_.now(i).controllers;
    return others.size() < most_controllers && std::ranges::find(others, j) == others.end();
  }

  /// For each controller, those who gain by it.
  std::map<std::size_t, Proposal> propose() {
    const Pairs pairs = strongest_pairs();
    const std::map<std::size_t, std::size_t> along = who_goes_along(pairs);
    std::map<std::size_t, int> with; // with so many goes each
    for (const auto& [i, j] : along)
      ++with[j];
    const auto most = std::ranges::max_element(with, {}, [](auto& one) { return one.second; });
    const bool shared = most != with.end() && most->second > 1;
    std::map<std::size_t, std::vector<Gain>> gains;
    for (const auto& [i, leads] : pairs)
      for (const std::size_t j : leads) {
        std::set<std::size_t> beside{leads[leads[0] == j && leads.size() > 1]}; // who may help
        if (along.contains(i))
          beside.insert(along.at(i));
        if (shared && may_control(most->first, i))
          beside.insert(most->first);
        beside.erase(j);
        if (std::optional<Gain> gain = gain_by(i, j, beside))
          gains[j].push_back(std::move(*gain));
        else
          failed_.insert({i, j});
      }
    std::map<std::size_t, Proposal> proposals;
    for (const auto& [j, those] : gains)
      proposals[j] = proposal_of(those, shared ? most->first : cloud_.dim());
    return proposals;
  }

  /// With j as one more controller, and with one of those beside it where that helps. What linear
  /// functions would do is asked last: few come that far.
  std::optional<Gain> gain_by(std::size_t i, std::size_t j, const std::set<std::size_t>& beside) {
    const PairFits::Fit& alone = fits_.of(i, j, j);
    const auto before = [&] { return std::min(alone.now, fits_.if_linear(i, j, j)); };
    Gain best{alone.dependent, alone.now, alone.after};
    if (best.after < lower * best.before)
      best.before = before();
    for (const std::size_t other : beside) {
      if (alone.dependent.controllers.size() >= most_controllers || best.left() < enough_alone)
        break;
      const PairFits::Fit& both = fits_.of(i, j, other);
      if (both.after < lower * best.after)
        best = {both.dependent, std::min(before(), fits_.if_linear(i, j, other)), both.after};
    }
    if (best.after < lower * best.before)
      return best;
    return {};
  }

  /// Those who gain most. One who gains far less, or who goes along with most others, may itself be
  /// who controls: it waits for the next round.
  Proposal proposal_of(const std::vector<Gain>& those, std::size_t along_with_most) const {
    double least = 1;
    for (const Gain& one : those)
      least = std::min(least, one.left());
    const auto is_taken = [&](const Gain& one) {
      return one.left() < least + waits &&
             (those.size() == 1 || one.dependent.parameter != along_with_most);
    };
    Proposal proposal;
    std::set<std::size_t> leads;
    for (const Gain& one : those)
      if (is_taken(one))
        leads.insert(one.dependent.controllers.begin(), one.dependent.controllers.end());
    for (const Gain& one : those)
      if (is_taken(one) && !leads.contains(one.dependent.parameter)) {
        proposal.gain += one.before - one.after;
        proposal.dependents.push_back(one.dependent);
      }
    std::ranges::copy_if(leads, std::back_inserter(proposal.leads),
                         [&](std::size_t j) { return cloud_.is_free(j); });
    return proposal;
  }

  /// The controllers that most share are offered to everybody else: where a density is narrow for
  /// many at a time, one who is left out holds all of them back.
  void share_controllers() {
    std::map<Set, int> sets;
    std::set<std::size_t> leads;
    for (std::size_t i = 0; i < cloud_.dim(); ++i)
      if (!cloud_.is_free(i)) {
        Set those = cloud_.now(i).controllers;
        leads.insert(those.begin(), those.end());
        std::ranges::sort(those);
        ++sets[those];
      }
    std::vector<std::pair<Set, int>> offered(sets.begin(), sets.end());
    std::ranges::stable_sort(offered, std::ranges::greater{}, &std::pair<Set, int>::second);
    offered.resize(std::min(offered.size(), most_offered));
    for (std::size_t i = 0; i < cloud_.dim(); ++i)
      if (!leads.contains(i))
        if (const std::optional<Dependent> one = best_of(i, offered))
          cloud_.take_first(*one);
    cloud_.follow();
  }

  /// The set of controllers by which one gains most, if any is better than what it has.
  std::optional<Dependent> best_of(std::size_t i,
                                   const std::vector<std::pair<Set, int>>& offered) const {
    const Dependent now = cloud_.now(i);
    double least = lower * cloud_.cost_of(now, Part::tested);
    std::optional<Dependent> best;
    for (const auto& [those, times] : offered) {
      if (std::ranges::is_permutation(those, now.controllers))
        continue;
      const Dependent plain = cloud_.controlled(i, those);
      Dependent one = plain;
      const Halves halves = cloud_.halves(one);
      halves.fitted.fit(one, Terms::all);
      const double after = halves.tested.cost(one);
      if (after < least && after < lower * cost_if_linear(plain, halves)) {
        least = after;
        best = std::move(one);
      }
    }
    return best;
  }

  /// Who is most like the residual of each, if anybody is.
  std::map<std::size_t, std::size_t> who_goes_along(const Pairs& pairs) const {
    const MatrixXd alike = of_columns(standardised(cloud_.residuals()), standardised_).cwiseAbs();
    std::map<std::size_t, std::size_t> along;
    for (const auto& [i, leads] : pairs) {
      double most = least_linear / std::sqrt(double(cloud_.rows()));
      for (std::size_t j = 0; j < cloud_.dim(); ++j)
        if (alike(Index(i), Index(j)) > most && may_control(j, i)) {
          most = alike(Index(i), Index(j));
          along[i] = j;
        }
    }
    return along;
  }

  BentCloud cloud_;
  MatrixXd standardised_, standardised_squares_; // what functions see of each, and its square
  std::set<std::pair<std::size_t, std::size_t>> failed_;
  PairFits fits_; // of cloud_
};

} // namespace

BentCloud searched(BentCloud straight, Fits fits) {
  return Search(std::move(straight), fits).found();
}

} // namespace starling::bending
