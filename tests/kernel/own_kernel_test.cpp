// A user's own kernel, written in a few lines, goes wherever the built-in ones go.
#include "kernel/slopes.hpp"

#include <starling/deal/shuffle.hpp>
#include <starling/drift/pairwise.hpp>
#include <starling/drift/reference.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/kernel/sum.hpp>
#include <starling/random/start.hpp>

namespace {

/// Rational quadratic: K = (1 + r2 / 4h)^-2.
class RationalQuadratic {
public:
  explicit RationalQuadratic(double h) : rate_(0.25 / h) {}
  void set_bandwidth(double h) { rate_ = 0.25 / h; }

  template <typename T>
  starling::PairWeights<T> at_distance(T r2) const {
    const T base = r2 * T(rate_) + T(1), k = T(1) / (base * base);
    return {k, T(4) * T(rate_) * k / base, T(0)}; // -2 f' = 4 c (1 + c r2)^-3
  }

private:
  double rate_;
};

static_assert(starling::RadialKernel<RationalQuadratic, double>);
static_assert(starling::Kernel<RationalQuadratic, float>);
static_assert(starling::HasBandwidth<RationalQuadratic, double>);
static_assert(!starling::is_singular<RationalQuadratic>);

TEST(OwnKernel, HasTheGradientOfItsWeight) {
  for (const double r : {0.1, 1.0, 3.0})
    kernel_tests::expect_gradient<double>(RationalQuadratic(0.7), r);
}

TEST(OwnKernel, ServesInADriftAndInASum) {
  using Both = starling::kernel::Sum<double, RationalQuadratic, starling::kernel::Gaussian<double>>;
  const Both both({1.0, 0.5}, RationalQuadratic(0.7), starling::kernel::Gaussian<double>(0.4));
  starling::Ensemble<double> fast(10, 2), slow(10, 2);
  for (auto* particles : {&fast, &slow}) {
    starling::start_normal(particles->position(), 1, 0, 1);
    starling::start_normal(particles->score(), 2, 0, 1);
  }
  starling::Shuffle deal(3, 5);
  starling::PairwiseDrift<double, Both>{both}(0, fast, deal(0, fast));
  starling::ReferenceDrift<double, Both>{both}(0, slow, deal(0, slow));
  double size = 0;
  for (std::size_t n = 0; n < fast.drift().size(); ++n) {
    EXPECT_NEAR(fast.drift().data[n], slow.drift().data[n], 1e-14);
    size += std::abs(slow.drift().data[n]);
  }
  EXPECT_GT(size, 0.1);
}

} // namespace
