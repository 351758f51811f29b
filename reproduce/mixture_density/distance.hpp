// How far particles on the line are from the paper's mixture, exactly: Wasserstein distances.
#pragma once

#include <span>
#include <vector>

namespace starling::reproduce {

/// pi = 1/3 N(-2, 1) + 2/3 N(2, 1): density, distribution function, and its inverse.
double mixture_density(double x);
double mixture_cdf(double x);
double mixture_quantile(double u);

struct Distances {
  double w1 = 0, w2 = 0;
};

/// W_1 = int |x(u) - Q(u)| du and W_2^2 = int (x(u) - Q(u))^2 du over u in (0, 1), where x(u) is
/// the quantile function of n equal particles, a staircase, and Q that of pi. On each stair the
/// integral over y = Q(u) has a closed form.
class DistanceToMixture {
public:
  explicit DistanceToMixture(std::size_t particles);
  Distances operator()(std::span<const double> x) const;

private:
  std::vector<double> bounds_; // Q(i/n)
};

} // namespace starling::reproduce
