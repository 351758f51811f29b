// SVGD on predictions: against the formula, and against plain SVGD where f is the identity.
#include "drift/twins.hpp"

#include <starling/cpu/sum_drift.hpp>
#include <starling/deal/whole.hpp>
#include <starling/drift/function_space.hpp>
#include <starling/drift/within_groups.hpp>
#include <starling/kernel/parameters.hpp>

namespace {

using namespace drift_tests;
using kernel::Parameters;

constexpr std::size_t count = 7, dim = 5, outputs = 3;

/// f(x) = A x, with the score of f_a = b_a - f_a: a linear model seen at three inputs.
struct Linear {
  double at(std::size_t a, std::size_t c) const {
    return 0.3 * double(a) - 0.7 * double(c % 3) + 0.5;
  }
  double observed(std::size_t a) const { return 0.4 * double(a) - 0.2; }

  void predict(Rows<const double> x, Rows<double> f, Rows<double> score) const {
    for (std::size_t i = 0; i < x.count; ++i)
      for (std::size_t a = 0; a < f.dim; ++a) {
        f[i][a] = 0;
        for (std::size_t c = 0; c < x.dim; ++c)
          f[i][a] += at(a, c) * x[i][c];
        score[i][a] = observed(a) - f[i][a];
      }
  }
  void pull(Rows<const double> psi, Rows<double> phi) const {
    for (std::size_t i = 0; i < phi.count; ++i)
      for (std::size_t c = 0; c < phi.dim; ++c) {
        phi[i][c] = 0;
        for (std::size_t a = 0; a < psi.dim; ++a)
          phi[i][c] += at(a, c) * psi[i][a];
      }
  }
};

template <typename Drift>
Ensemble<double> moved_by(Drift drift) {
  const Linear model;
  FunctionSpace<double, Drift> space(
      count, outputs, std::move(drift),
      [&](Step, auto x, auto f, auto score) { model.predict(x, f, score); },
      [&](Step, auto, auto psi, auto phi) { model.pull(psi, phi); });
  auto particles = drift_tests::cloud<double>(count, dim);
  Whole deal;
  const Batches& batches = deal(0, particles);
  space.score(0, particles);
  space.drift(0, particles, batches);
  return particles;
}

/// Phi_i = sum over a of A_a (1/N) sum over j of k_a (b_a - f_ja + (f_ia - f_ja) / h v_a).
std::vector<double> by_formula(double h) {
  const Linear model;
  const auto particles = drift_tests::cloud<double>(count, dim);
  Ensemble<double> f(count, outputs);
  model.predict(particles.position(), f.position(), f.score());
  std::vector<double> phi(count * dim);
  for (std::size_t a = 0; a < outputs; ++a) {
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < count; ++i)
      mean += f.position()[i][a] / double(count);
    for (std::size_t i = 0; i < count; ++i)
      variance += std::pow(f.position()[i][a] - mean, 2) / double(count);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < count; ++j) {
        const double gap = f.position()[i][a] - f.position()[j][a];
        const double k = std::exp(-gap * gap / (2 * h * variance)) / double(count);
        const double psi = k * (f.score()[j][a] + gap / (h * variance));
        for (std::size_t c = 0; c < dim; ++c)
          phi[i * dim + c] += model.at(a, c) * psi;
      }
  }
  return phi;
}

double gap_to_formula(double h_of_formula) {
  const auto fast =
      moved_by(cpu::SumDrift<double>(kernel::RuntimeSum<double>({{1.0, Parameters<double>(0.5)}})));
  const auto slow = by_formula(h_of_formula);
  double worst = 0;
  for (std::size_t n = 0; n < slow.size(); ++n)
    worst = std::max(worst, std::abs(fast.drift().data[n] - slow[n]));
  return worst;
}

TEST(FunctionSpace, MovesParticlesAsTheirPredictionsWant) {
  EXPECT_LT(gap_to_formula(0.5), 1e-12);
  EXPECT_GT(gap_to_formula(0.4), 1e-3); // the test sees a wrong kernel
}

TEST(FunctionSpace, IsTheSlowTwinsWithTheSlowDrift) {
  using Slow = ReferenceDrift<double, Parameters<double>>;
  const auto slow = moved_by(Slow(Parameters<double>(0.5)));
  const auto fast =
      moved_by(cpu::SumDrift<double>(kernel::RuntimeSum<double>({{1.0, Parameters<double>(0.5)}})));
  for (std::size_t n = 0; n < count * dim; ++n)
    EXPECT_NEAR(fast.drift().data[n], slow.drift().data[n], 1e-12);
}

TEST(FunctionSpace, OfPositionsThemselvesIsSvgd) {
  using Slow = ReferenceDrift<double, Parameters<double>>;
  auto particles = drift_tests::cloud<double>(count, dim),
       plain = drift_tests::cloud<double>(count, dim);
  FunctionSpace<double, Slow> space(
      count, dim, Slow(Parameters<double>(0.5)),
      [&](Step, Rows<const double> x, Rows<double> f, Rows<double> score) {
        std::copy(x.begin(), x.end(), f.begin());
        std::copy(plain.score().begin(), plain.score().end(), score.begin());
      },
      [](Step, auto, Rows<const double> psi, Rows<double> phi) {
        std::copy(psi.begin(), psi.end(), phi.begin());
      });
  Whole deal;
  const Batches& batches = deal(0, particles);
  Slow(Parameters<double>(0.5))(0, plain, batches);
  space.score(0, particles);
  space.drift(0, particles, batches);
  EXPECT_TRUE(std::equal(plain.drift().begin(), plain.drift().end(), particles.drift().begin()));
}

/// The drift of a cloud whose groups end at `ends`.
Ensemble<double> drifted(Ensemble<double> particles, std::vector<std::size_t> ends) {
  const cpu::SumDrift<double> drift(kernel::RuntimeSum<double>({{1.0, Parameters<double>(0.5)}}));
  WithinGroups<double, cpu::SumDrift<double>> within(std::move(ends), drift);
  Whole deal;
  within(0, particles, deal(0, particles));
  return particles;
}

TEST(WithinGroups, EachGroupIsACloudOfItsOwn) {
  const auto all = drift_tests::cloud<double>(count, dim);
  const auto grouped = drifted(all, {3, count});
  std::size_t first = 0;
  for (const std::size_t end : {std::size_t{3}, count}) {
    Ensemble<double> alone(end - first, dim);
    for (std::size_t n = 0; n < alone.count() * dim; ++n) {
      alone.position().data[n] = all.position().data[first * dim + n];
      alone.score().data[n] = all.score().data[first * dim + n];
    }
    alone = drifted(alone, {alone.count()});
    for (std::size_t n = 0; n < alone.count() * dim; ++n)
      EXPECT_EQ(grouped.drift().data[first * dim + n], std::as_const(alone).drift().data[n]);
    first = end;
  }
  const auto together = drifted(all, {count}); // the test sees who is in a group
  EXPECT_GT(std::abs(together.drift().data[0] - grouped.drift().data[0]), 1e-3);
}

} // namespace
