// Fits of a parameter with one controller more than it has, or with two, in the rounds of a search.
#pragma once

#include "frame/bent_cloud.hpp"
#include "frame/search_bend.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <tuple>

namespace starling::bending {

/// With the same controllers, but a mean that is linear and a width that does not change: that much
/// the affine part can do.
inline double cost_if_linear(Dependent one, const Halves& halves) {
  halves.fitted.fit(one, Terms::linear);
  return halves.tested.cost(one);
}

/// Each is known until its parameter changes: over most rounds.
class PairFits {
public:
  struct Fit {
    std::size_t as_of = 0; ///< the parameter's last change
    Dependent dependent;
    double now = 0, after = 0;       ///< cost on the other half; now: with the first alone
    std::optional<double> if_linear; ///< what linear functions of the same controllers cost there
  };

  PairFits(const BentCloud& cloud, Fits fits) : cloud_(cloud), fits_are_(fits) {}

  /// i with j, and with another beside j unless that is j.
  Fit& of(std::size_t i, std::size_t j, std::size_t other) {
    Fit& fit = fits_[{i, j, other}];
    if (fits_are_ == Fits::remembered && fit.as_of == cloud_.last_change(i))
      return fit;
    const Dependent now = cloud_.now(i);
    fit = {.as_of = cloud_.last_change(i), .dependent = {}, .if_linear = {}};
    if (other == j) {
      fit.dependent = with_controller(now, j);
      fit.now = cloud_.cost_of(now, Part::tested);
    } else {
      fit.dependent = with_controller(of(i, j, j).dependent, other);
    }
    const Halves halves = cloud_.halves(fit.dependent);
    halves.fitted.fit(fit.dependent, Terms::all);
    fit.after = halves.tested.cost(fit.dependent);
    return fit;
  }

  double if_linear(std::size_t i, std::size_t j, std::size_t other) {
    std::optional<double>& cost = of(i, j, other).if_linear;
    if (!cost) {
      const Dependent with_j = with_controller(cloud_.now(i), j);
      const Dependent one = other == j ? with_j : with_controller(with_j, other);
      cost = cost_if_linear(one, cloud_.halves(one));
    }
    return *cost;
  }

private:
  const BentCloud& cloud_;
  Fits fits_are_;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, Fit> fits_;
};

} // namespace starling::bending
