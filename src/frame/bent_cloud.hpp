// A cloud while its bend is looked for: half of its rows to fit on, half to test on.
#pragma once

#include "frame/fit_dependent.hpp"

#include <set>
#include <vector>

namespace starling::bending {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Dependent = Bend::Dependent;

enum class Part { fitted, tested, all };

/// A dependent's rows, for all fits with the same controllers.
struct Halves {
  FittedRows fitted, tested;
};

/// Dependents are taken one after another; whoever is taken no longer controls others, so that
/// chains have no rings.
class BentCloud {
public:
  BentCloud(Rows<const double> x, Rows<const double> score);

  std::size_t dim() const { return place_.size(); }
  Index rows() const { return n_; }
  bool any_taken() const { return !kept_.empty(); }
  bool is_free(std::size_t i) const { return place_[i] < 0; }
  /// A parameter as it is now; nobody controls a free one: the best constant mean and width.
  Dependent now(std::size_t i) const;
  /// A parameter with these controllers, to be fitted.
  Dependent controlled(std::size_t i, const std::vector<std::size_t>& by) const;
  const Values& bounded(std::size_t i) const { return seen_[i].value; }

  void fit(Dependent& one, Part part) const;
  Halves halves(const Dependent& one) const {
    return {rows_of(one, Part::fitted), rows_of(one, Part::tested)};
  }
  double cost_of(const Dependent& one, Part part) const;
  Residual residual(const Dependent& one) const; ///< at all rows
  /// By how much these dependents would lower the cost of who leads them, on the tested half.
  double gain_of_leads(const std::vector<std::size_t>& leads,
                       const std::vector<Dependent>& dependents) const;

  /// Once all are taken, `follow` brings scores and residuals to what they then are; those of
  /// parameters that nobody touched stay.
  void take(const Dependent& one);
  /// The same for one who controls nobody, and may be controlled by those who were taken.
  void take_first(const Dependent& one);
  void follow();
  /// The number of the `follow` in which its score changed, or after which it was taken, last.
  std::size_t last_change(std::size_t i) const { return changed_[i]; }
  /// Of the residuals r = score + t: r, and r (score - t), clipped.
  const MatrixXd& residuals() const { return sums_; }
  const MatrixXd& squares() const { return squares_; }

  /// How far the scores in t are from linear ones: for each parameter the share of the variance
  /// that is not linear, on the tested half, above what does no harm; and their sum. Of a normal it
  /// is 0, wherever its particles are.
  double excess() const;

  /// All that was taken, fitted on all rows.
  Bend bend();

private:
  Index first(Part part) const { return part == Part::tested ? half_ : 0; }
  Index count(Part part) const {
    return part == Part::all ? n_ : part == Part::fitted ? half_ : n_ - half_;
  }
  Values part_of(const MatrixXd& of, std::size_t i, Part part) const {
    return of.col(Index(i)).segment(first(part), count(part)).array();
  }
  FittedRows rows_of(const Dependent& one, Part part) const;
  Controllers controllers(const Dependent& one) const;
  /// Adds what a dependent pulls at its controllers to columns of their scores.
  template <typename ColumnOf>
  void add_pull(const Dependent& one, ColumnOf&& column_of, double sign = 1) const;
  void pull_controllers(const Dependent& one);
  MatrixXd not_linear(const MatrixXd& t, const MatrixXd& score) const;

  Index n_, half_, d_; // rows to fit on come first
  MatrixXd z_, score_;
  VectorXd centre_, scale_;
  std::vector<Bounded> seen_;    // of each z
  std::vector<Dependent> kept_;  // those who are controlled come first
  std::vector<int> place_;       // in kept_; below 0: free
  std::vector<Dependent> alone_; // each as it is where nobody controls it
  std::set<std::size_t> taken_;  // since scores and residuals were last followed
  std::size_t follows_ = 0;
  std::vector<std::size_t> changed_;
  MatrixXd pulled_; // scores in z, each with what those whom it controls add
  MatrixXd t_, score_t_, sums_, squares_;
};

} // namespace starling::bending
