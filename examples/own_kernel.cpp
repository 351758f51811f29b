// A kernel of your own in 20 lines: Wendland's, which is zero beyond a radius.
#include <starling/starling.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace starling;

/// K = (1 - z)^4 (4 z + 1) for z = r/radius < 1, else 0. Positive definite in up to 3 dimensions.
class Wendland {
public:
  explicit Wendland(double radius) : inverse_(1 / radius) {
    if (!(radius > 0))
      reject("radius", "positive", std::to_string(radius));
  }

  /// All that a drift asks: K, and -2 dK/d(r2) = -(1/r) dK/dr. The third is for kernels of x.y.
  PairWeights<double> at_distance(double r2) const {
    const double z = std::sqrt(r2) * inverse_, left = std::max(0.0, 1 - z);
    const double cube = left * left * left;
    return {cube * left * (4 * z + 1), 20 * inverse_ * inverse_ * cube, 0};
  }

private:
  double inverse_;
};
static_assert(RadialKernel<Wendland, double>);

int main() {
  // The gradient against a difference: a slip here is the usual mistake.
  const Wendland kernel(6);
  for (const double r : {0.3, 1.0, 2.5, 5.9}) {
    const double e = 1e-5, up = kernel.at_distance((r + e) * (r + e)).weight,
                 down = kernel.at_distance((r - e) * (r - e)).weight;
    if (std::abs(kernel.at_distance(r * r).repulsion + (up - down) / (2 * e * r)) > 1e-8)
      return 1;
  }

  Normal<double> target(Eigen::Vector2d(1, -1), Eigen::Matrix2d{{1, 0.6}, {0.6, 1}});
  Ensemble<double> particles(400, 2);
  start_normal(particles.position(), 1, 0, 2);
  Moments moments;
  rbm_svgd(particles, Span{0, 3000}, Shuffle(1, 16), score_of<double>(target),
           PairwiseDrift<double, Wendland>(kernel),
           ExplicitStep<double, DecayingStep<double>>(DecayingStep<double>(0.5, 100, 0.6)),
           moments);
  std::printf("mean %.3f %.3f (exact 1 -1), variance %.3f %.3f (exact 1 1)\n", moments.mean()[0],
              moments.mean()[1], moments.variance()[0], moments.variance()[1]);
  return std::abs(moments.mean()[0] - 1) > 0.1 || std::abs(moments.mean()[1] + 1) > 0.1 ||
         std::abs(moments.variance()[0] - 1) > 0.15 || std::abs(moments.variance()[1] - 1) > 0.15;
}
