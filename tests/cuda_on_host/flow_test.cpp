// Scores and drifts of every kernel, in every layout, against the formula: few dimensions and many,
// small batches and large.
#include "cuda_on_host/machines.hpp"

#include <starling/drift/adaptive.hpp>
#include <starling/kernel/bandwidth.hpp>
#include <starling/target/lift.hpp>
#include <starling/target/mixture.hpp>
#include <starling/target/shapes.hpp>

#include <functional>

namespace {

using namespace cuda_tests;
using Term = cuda::Term<double>;

struct OneKernel {
  std::string name;
  std::function<void(Term&)> put;
  std::function<double(cuda::Cloud<double>&, const Ensemble<double>&, const Batches&, double)>
      apart;
};

/// How far the drift of the rows in `seen` is from the reference, in units of the bound; the drift
/// is first taken `wrong` times.
template <typename K>
double apart_from(K kernel, const Ensemble<double>& seen, const Batches& batches, double wrong) {
  Ensemble<double> slow = seen, fast = seen;
  for (double& v : fast.drift())
    v *= wrong;
  ReferenceDrift<double, K> reference(kernel);
  reference(0, slow, batches);
  return drift_tests::apart(fast, slow,
                            drift_tests::bound(seen, batches, kernel, Euclid<double>()));
}

template <typename K>
OneKernel one(std::string name, K unit, K meant) {
  return {name, [=](Term& term) { EXPECT_TRUE(term.take(unit)); },
          [=](cuda::Cloud<double>&, const Ensemble<double>& seen, const Batches& batches,
              double wrong) { return apart_from(meant, seen, batches, wrong); }};
}

/// With bandwidth h where they have one: a term holds h = 1.
std::vector<OneKernel> kernels(double h, double dim) {
  using namespace kernel;
  return {
      one("gaussian", Gaussian<double>(1), Gaussian<double>(h)),
      one("gaussian-paper", Gaussian<double>(1, Height::paper), Gaussian<double>(h, Height::paper)),
      one("imq", InverseMultiquadric<double>(1), InverseMultiquadric<double>(h)),
      one("matern32", Matern32<double>(1), Matern32<double>(h)),
      one("matern52", Matern52<double>(1), Matern52<double>(h)),
      one("polynomial", Polynomial<double>(1 / dim, 2), Polynomial<double>(1 / dim, 2)),
      one("sinc", Sinc<double>(0.7), Sinc<double>(0.7)),
      one("riesz", Riesz<double>(0.5), Riesz<double>(0.5)),
  };
}

TEST(Term, TakesNoKernelThatCardsHaveNot) {
  EXPECT_FALSE(Term().take(kernel::SmoothRiesz<double>(0.5, 1, 2)));
}

class Flow : public OnMachine {
protected:
  /// In units of the bound. Sums over lanes are added in another order than the reference adds
  /// them, r2 as well, and r2 / h is rounded once more: hence 3 and not 1.
  double apart(const OneKernel& kernel, std::size_t n, std::size_t dim, By by, std::size_t p,
               double wrong = 1) {
    auto asked = spec<double>(n, dim, by, p);
    asked.bandwidth = double(dim);
    kernel.put(asked.pairs.terms[0]);
    cuda::Cloud<double> cloud(machine, asked);
    cloud.particles().upload(start<double>(n, dim));
    std::unique_ptr<Ensemble<double>> seen;
    Batches batches;
    cloud.flow(3, n, seen, batches);
    EXPECT_EQ(seen->count(), n);
    return kernel.apart(cloud, *seen, batches, wrong);
  }
};

TEST_P(Flow, IsTheReferencesForEveryKernel) {
  for (const std::size_t dim : {1u, 2u, 3u, 7u, 8u, 9u, 31u, 33u, 56u, 64u, 65u, 67u, 130u})
    for (const OneKernel& kernel : kernels(double(dim), double(dim)))
      for (const std::size_t p : {2u, 3u, 8u, 64u})
        EXPECT_LT(apart(kernel, p == 64 ? 131 : 41, dim, By::moebius, p), 3)
            << kernel.name << " in " << dim << " dimensions, batches of " << p;
}

TEST_P(Flow, IsTheReferencesInEveryDimensionUpTo67) {
  for (std::size_t dim = 1; dim <= 67; ++dim) {
    const auto gaussian = kernels(double(dim), double(dim))[0];
    for (const std::size_t p : {2u, 5u, 17u})
      EXPECT_LT(apart(gaussian, 35, dim, By::moebius, p), 3)
          << dim << " dimensions, batches of " << p;
  }
}

TEST_P(Flow, IsTheReferencesInTilesOfEveryone) {
  for (const std::size_t dim : {2u, 9u, 56u, 65u, 130u})
    for (const std::size_t n : {65u, 97u, 129u})
      for (const OneKernel& kernel : kernels(double(dim), double(dim)))
        EXPECT_LT(apart(kernel, n, dim, By::everyone, n), 3)
            << kernel.name << ", " << n << " in " << dim;
}

TEST_P(Flow, IsTheReferencesForPairsOfAMatchingAndForCosets) {
  for (const std::size_t dim : {1u, 2u, 56u}) {
    const auto gaussian = kernels(double(dim), double(dim))[0];
    EXPECT_LT(apart(gaussian, 41, dim, By::matching, 2), 3);
    EXPECT_LT(apart(gaussian, 64, dim, By::cosets, 8), 3);
  }
}

TEST_P(Flow, ThatIsWrongIsFound) {
  for (const std::size_t dim : {2u, 56u})
    for (const OneKernel& kernel : kernels(double(dim), double(dim))) {
      EXPECT_GT(apart(kernel, 41, dim, By::moebius, 8, 1.3), 100) << kernel.name;
      EXPECT_GT(apart(kernel, 97, dim, By::everyone, 97, 1.3), 100) << kernel.name;
    }
}

TEST_P(Flow, OfASumIsThatOfItsTerms) {
  auto asked = spec<double>(41, 3, By::moebius, 8);
  asked.bandwidth = 2;
  asked.pairs.count = 2;
  asked.pairs.terms[1].take(kernel::Riesz<double>(0.5)); // whose own self term alone is dropped
  asked.pairs.terms[1].weight = 0.25;
  cuda::Cloud<double> cloud(machine, asked);
  cloud.particles().upload(start<double>(41, 3));
  std::unique_ptr<Ensemble<double>> seen;
  Batches batches;
  cloud.flow(0, 41, seen, batches);
  Ensemble<double> first = *seen, second = *seen;
  ReferenceDrift<double, kernel::Gaussian<double>>(kernel::Gaussian<double>(2))(0, first, batches);
  ReferenceDrift<double, kernel::Riesz<double>>(kernel::Riesz<double>(0.5))(0, second, batches);
  for (std::size_t n = 0; n < seen->drift().size(); ++n)
    EXPECT_NEAR(seen->drift().data[n], first.drift().data[n] + 0.25 * second.drift().data[n],
                1e-12);
}

TEST_P(Flow, TakesTheBandwidthOfTheHost) {
  for (const std::size_t n : {5u, 41u}) // all pairs, some pairs
    for (const std::size_t dim : {2u, 56u}) {
      auto asked = spec<double>(n, dim, By::everyone, n);
      asked.median_pairs = 30;
      cuda::Cloud<double> cloud(machine, asked);
      const Ensemble<double> here = start<double>(n, dim);
      cloud.particles().upload(here);
      std::unique_ptr<Ensemble<double>> seen;
      Batches batches;
      cloud.flow(7, n, seen, batches);
      kernel::SampledMedianBandwidth<double> rule(asked.seed, 30);
      const double h = rule(7, here.position());
      EXPECT_LT(apart_from(kernel::Gaussian<double>(h), *seen, batches, 1), 20)
          << n << " in " << dim;
      EXPECT_GT(apart_from(kernel::Gaussian<double>(1.001 * h), *seen, batches, 1), 100);
    }
}

/// Scores against a target of the host.
template <typename T>
void expect_scores(const std::shared_ptr<cuda::Machine>& machine,
                   const cuda::RunSpec<double>& asked, T target) {
  cuda::Cloud<double> cloud(machine, asked);
  cloud.particles().upload(start<double>(asked.particles, asked.dim));
  std::unique_ptr<Ensemble<double>> seen;
  Batches batches;
  cloud.flow(0, asked.particles, seen, batches);
  Ensemble<double> host = *seen;
  target(0, std::as_const(host).position(), host.score());
  for (std::size_t n = 0; n < host.score().size(); ++n)
    EXPECT_NEAR(seen->score().data[n], host.score().data[n],
                1e-12 * (1 + std::abs(host.score().data[n])));
}

TEST_P(Flow, ScoresAsTheHostDoes) {
  using Scoring = cuda::Scoring<double>;
  for (const std::size_t dim : {1u, 2u, 8u, 9u, 56u})
    for (const double correlation : {0.0, 0.4})
      expect_scores(machine, spec<double>(21, dim, By::moebius, 2, correlation),
                    EvenNormal<double>(dim, dim == 1 ? 0 : correlation));
  auto bent = spec<double>(21, 2, By::moebius, 2);
  bent.target.kind = Scoring::Kind::banana;
  new (&bent.target.banana) Banana<double>(0.5, 2);
  expect_scores(machine, bent, lift<double>(2, Banana<double>(0.5, 2)));
  auto neal = spec<double>(21, 9, By::moebius, 2);
  neal.target.kind = Scoring::Kind::funnel;
  new (&neal.target.funnel) Funnel<double>(9, 3);
  expect_scores(machine, neal, lift<double>(9, Funnel<double>(9, 3)));
  for (const std::size_t dim : {1u, 3u}) {
    const auto d = Eigen::Index(dim);
    std::vector<MixtureComponent> two;
    two.push_back({0.3, Eigen::VectorXd::Constant(d, -1), Eigen::MatrixXd::Identity(d, d)});
    two.push_back({0.7, Eigen::VectorXd::Constant(d, 2), Eigen::MatrixXd::Identity(d, d) * 0.5});
    const Mixture<double> mixture(two);
    auto mixed = spec<double>(21, dim, By::moebius, 2);
    mixed.target.kind = Scoring::Kind::mixture;
    mixed.target.mixture = {dim, 2, nullptr, nullptr, nullptr};
    mixed.numbers.clear();
    for (const auto part : {mixture.constants(), mixture.means(), mixture.precisions()})
      mixed.numbers.insert(mixed.numbers.end(), part.begin(), part.end());
    expect_scores(machine, mixed, lift<double>(dim, mixture));
  }
}

STARLING_ON_MACHINES(Flow);

} // namespace
