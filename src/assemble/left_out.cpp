// Constants that the log densities of regressions leave out, for the evidence.
#include "assemble/regression.hpp"

#include <starling/target/regression.hpp>

#include <cmath>
#include <numbers>

namespace starling::assemble {

/// w ~ N(0, I/alpha) and alpha ~ Gamma(1, rate); of linear regression 1/sigma^2 = e^(-2a) ~
/// Gamma(1, rate) too, with the 2 of its Jacobian; responses N(z, sigma^2) or Poisson(e^z).
double left_out(RegressionKind kind, std::size_t dim, std::span<const double> responses) {
  const std::size_t weights =
      dim - (kind == RegressionKind::linear ? 2 : 1); // log_sigma, log_alpha
  const double of_normal = -0.5 * std::log(2 * std::numbers::pi);
  const double rate = Regression<family::Linear, double>::prior_rate;
  double sum = of_normal * double(weights) + std::log(rate);
  if (kind == RegressionKind::linear)
    sum += std::log(2 * rate) + of_normal * double(responses.size());
  if (kind == RegressionKind::poisson)
    for (const double y : responses)
      sum -= std::lgamma(y + 1);
  return sum;
}

} // namespace starling::assemble
