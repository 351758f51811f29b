// Plain SVGD is one batch of everyone; with a single particle it climbs to the mode. The same loop.
#include <starling/starling.hpp>

#include <cmath>
#include <cstdio>

using namespace starling;

int main() {
  // The banana: x1 ~ N(0, 1), x2 ~ N((x1^2 - 1)/2, 1). Means 0 and 0, variances 1 and 1.5.
  auto banana = lift<double>(2, Banana<double>(0.5, 1));
  using Gaussian = kernel::Gaussian<double>;
  PairwiseDrift<double, Gaussian> drift(Gaussian(0.3));
  ExplicitStep<double, FadingAdaGrad<double>> advance(FadingAdaGrad<double>(0.02));
  Moments moments;

  Ensemble<double> particles(300, 2);
  start_normal(particles.position(), 1, 0, 0.5);
  rbm_svgd(particles, Span{0, 1000}, Whole(), score_of<double>(banana), drift, advance, moments);
  std::printf("SVGD, N = 300: mean %6.3f %6.3f, variance %.3f %.3f (exact 0 0, 1 1.5)\n",
              moments.mean()[0], moments.mean()[1], moments.variance()[0], moments.variance()[1]);
  bool right = std::abs(moments.mean()[0]) < 0.1 && std::abs(moments.mean()[1]) < 0.15 &&
               std::abs(moments.variance()[0] - 1) < 0.2 &&
               std::abs(moments.variance()[1] - 1.5) < 0.4;

  // N = 1: no one repels it, so it goes to the top of the density, (0, -1/2).
  Ensemble<double> one(1, 2);
  start_normal(one.position(), 3, 1, 1);
  ExplicitStep<double, ConstantStep<double>> ascend(ConstantStep<double>(0.1));
  rbm_svgd(one, Span{0, 500}, Whole(), score_of<double>(banana), drift, ascend, moments);
  std::printf("N = 1, the mode: %.6f %.6f (exact 0 -0.5)\n", moments.mean()[0], moments.mean()[1]);
  right = right && std::abs(moments.mean()[0]) < 1e-6 && std::abs(moments.mean()[1] + 0.5) < 1e-6;
  return right ? 0 : 1;
}
