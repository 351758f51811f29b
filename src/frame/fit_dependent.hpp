// Mean and width of one dependent, by least squares of its Fisher residual.
#pragma once

#include "frame/bend_functions.hpp"

#include <vector>

namespace starling::bending {

inline constexpr double cap = 100; // of a squared residual: some particles may be anywhere

inline double cost(const Values& residual) { return residual.square().min(cap).mean(); }

enum class Terms { all, linear };

/// The features whose sums mean and log width are; a column each.
struct Functions {
  explicit Functions(std::vector<Values> controllers, Terms terms = Terms::all);
  std::vector<Values> c;
  Eigen::MatrixXd of_mean, of_width; // of the terms that are fitted
  Terms terms;
};

/// exp(u) score + t with t = (z - mu) / exp(u): 0 at every particle, wherever it is, where the
/// conditional density is normal with that mean and width. By -t + exp(u) score it changes with u.
struct Residual {
  Values t, score, wide, sum;
  Residual(const Bend::Dependent& one, const Functions& functions, const Values& z,
           const Values& g);
};

/// The same functions, of one controller more.
Bend::Dependent with_controller(const Bend::Dependent& one, std::size_t controller);

/// Levenberg-Marquardt from where it is: a handful of numbers, whatever the dimension.
void fit(Bend::Dependent& one, const Functions& functions, const Values& z, const Values& g);

} // namespace starling::bending
