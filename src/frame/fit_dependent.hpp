// Mean and width of one dependent, by least squares of its Fisher residual.
#pragma once

#include "frame/bend_functions.hpp"

#include <vector>

namespace starling::bending {

inline constexpr double cap = 100; // of a squared residual: some particles may be anywhere

inline double cost(const Values& residual) { return residual.square().min(cap).mean(); }

enum class Terms { all, linear };

/// exp(u) score + t with t = (z - mu) / exp(u): 0 at every particle, wherever it is, where the
/// conditional density is normal with that mean and width. By -t + exp(u) score it changes with u.
/// Written from the formula; what is asked often is asked of FittedRows.
struct Residual {
  Values t, score, sum;
  Residual(const Bend::Dependent& one, const Controllers& c, const Values& z, const Values& g);
};

/// The same functions, of one controller more.
Bend::Dependent with_controller(const Bend::Dependent& one, std::size_t controller);

/// Positions and scores of a dependent, and the features whose sums mean and log width are, in
/// columns of whole vectors: for many fits of a handful of numbers each.
class FittedRows {
public:
  /// Of at least one controller.
  FittedRows(const std::vector<Eigen::Ref<const Values>>& controllers,
             const Eigen::Ref<const Values>& z, const Eigen::Ref<const Values>& g);

  /// The mean squared residual, as cost(Residual) is.
  double cost(const Bend::Dependent& one) const;
  /// Levenberg-Marquardt from where it is, along the first terms or all.
  void fit(Bend::Dependent& one, Terms terms) const;

private:
  std::size_t controllers_, means_, count_, rows_; // rows: with those that fill the last vector
  Eigen::MatrixXd numbers_;                        // features of the mean, z, score
};

} // namespace starling::bending
