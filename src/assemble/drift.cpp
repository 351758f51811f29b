// Kernels, bandwidths and domains, by name: every combination becomes a drift of its own type.
#include "assemble/roles.hpp"
#include "plan/spec.hpp"

#include <starling/cpu/pairwise_drift.hpp>
#include <starling/drift/adaptive.hpp>
#include <starling/drift/bilinear.hpp>
#include <starling/drift/pairwise.hpp>
#include <starling/kernel/bandwidth.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/kernel/inverse_multiquadric.hpp>
#include <starling/kernel/matern.hpp>
#include <starling/kernel/polynomial.hpp>
#include <starling/kernel/riesz.hpp>
#include <starling/kernel/sinc.hpp>
#include <starling/kernel/smooth_riesz.hpp>

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <variant>

namespace starling::assemble {

namespace {

template <typename Real>
using AnyKernel = std::variant<kernel::Gaussian<Real>, kernel::InverseMultiquadric<Real>,
                               kernel::Matern32<Real>, kernel::Matern52<Real>,
                               kernel::Polynomial<Real>, kernel::Sinc<Real>, kernel::Riesz<Real>,
                               kernel::SmoothRiesz<Real>>;

template <typename Real>
AnyKernel<Real> make_kernel(const plan::KernelTerm& term, std::size_t dim) {
  const auto setting = [&](const char* key) {
    const double value = term.settings.at(key);
    if (!(value > 0))
      reject("kernel " + term.name, std::string("given a positive ") + key,
             fmt::format("{}", value));
    return static_cast<Real>(value);
  };
  const auto below_dim = [&](Real a) {
    if (!(a < Real(dim)))
      reject("kernel " + term.name, "given a below the dimension " + std::to_string(dim),
             fmt::format("{}", a));
    return a;
  };
  if (term.name == "gaussian")
    return kernel::Gaussian<Real>(1);
  if (term.name == "gaussian-paper")
    return kernel::Gaussian<Real>(1, kernel::Height::paper);
  if (term.name == "imq")
    return kernel::InverseMultiquadric<Real>(1);
  if (term.name == "matern32")
    return kernel::Matern32<Real>(1);
  if (term.name == "matern52")
    return kernel::Matern52<Real>(1);
  if (term.name == "polynomial") {
    const double m = term.settings.at("m");
    if (!(m >= 1 && m <= 64) || m != std::floor(m))
      reject("kernel polynomial", "given a whole m from 1 to 64", fmt::format("{}", m));
    return kernel::Polynomial<Real>(setting("a"), static_cast<int>(m));
  }
  if (term.name == "sinc") {
    if (dim != 1)
      reject("kernel sinc", "used in one dimension", std::to_string(dim) + " dimensions");
    return kernel::Sinc<Real>(setting("a"));
  }
  if (term.name == "riesz")
    return kernel::Riesz<Real>(below_dim(setting("a")));
  return kernel::SmoothRiesz<Real>(below_dim(setting("a")), setting("s"), dim);
}

/// A sum put together at run time. It asks each term through a variant for every pair: a sum
/// written in C++ with kernel::Sum is faster.
template <typename Real>
class ComposedKernel {
public:
  ComposedKernel(const std::vector<plan::KernelTerm>& terms, std::size_t dim) {
    for (const plan::KernelTerm& term : terms)
      terms_.emplace_back(static_cast<Real>(term.weight), make_kernel<Real>(term, dim));
  }

  PairWeights<Real> at(Real r2, Real product) const {
    PairWeights<Real> total{};
    for (const auto& [c, any] : terms_) {
      const PairWeights<Real> w =
          std::visit([&](const auto& one) { return pair_weights(one, r2, product); }, any);
      total.weight += c * w.weight;
      total.repulsion += c * w.repulsion;
      total.lift += c * w.lift;
    }
    return total;
  }
  void set_bandwidth(Real h) {
    for (auto& [c, any] : terms_)
      std::visit(
          [&](auto& one) {
            if constexpr (HasBandwidth<std::decay_t<decltype(one)>, Real>)
              one.set_bandwidth(h);
          },
          any);
  }

private:
  std::vector<std::pair<Real, AnyKernel<Real>>> terms_;
};

/// The same where only distances count: on a torus.
template <typename Real>
class ComposedRadialKernel {
public:
  explicit ComposedRadialKernel(ComposedKernel<Real> sum) : sum_(std::move(sum)) {}
  PairWeights<Real> at_distance(Real r2) const { return sum_.at(r2, 0); }
  void set_bandwidth(Real h) { sum_.set_bandwidth(h); }

private:
  ComposedKernel<Real> sum_;
};

template <typename Real>
using BandwidthRule = std::function<Real(Step, Rows<const Real>)>;

template <typename Real>
BandwidthRule<Real> make_bandwidth(const plan::Recipe& r) {
  const plan::BandwidthSpec spec = plan::parse_bandwidth(r.bandwidth);
  switch (spec.kind) {
  case plan::BandwidthSpec::Kind::median:
    return kernel::MedianBandwidth<Real>();
  case plan::BandwidthSpec::Kind::sampled:
    return kernel::SampledMedianBandwidth<Real>(r.seed, spec.pairs);
  default:
    return kernel::FixedBandwidth<Real>(static_cast<Real>(spec.fixed));
  }
}

/// In vector instructions where the kernel has a formula in them.
template <typename Real, typename K, typename Domain>
auto pairwise(K kernel, Threads& threads, Domain domain) {
  if constexpr (cpu::Vectorised<K, Real> && !Domain::periodic)
    return cpu::PairwiseDrift<Real, K>(std::move(kernel), threads);
  else
    return PairwiseDrift<Real, K, Domain>(std::move(kernel), threads, domain);
}

template <typename Real, typename K, typename Domain>
AnyDrift<Real> drift_with(const plan::Recipe& r, K kernel, Threads& threads, Domain domain) {
  auto drift = pairwise<Real>(std::move(kernel), threads, domain);
  if constexpr (HasBandwidth<K, Real>)
    if (plan::parse_bandwidth(r.bandwidth).kind != plan::BandwidthSpec::Kind::none)
      return AdaptiveDrift<Real, decltype(drift), BandwidthRule<Real>>(std::move(drift),
                                                                       make_bandwidth<Real>(r));
  return drift;
}

/// The drift of a sum of kernels over pairs in batches; of no kernel, none.
template <typename Real>
AnyDrift<Real> in_batches(const plan::Recipe& r, const std::vector<plan::KernelTerm>& terms, std::size_t dim,
                          Threads& threads) {
  if (terms.empty())
    return [](Step, Ensemble<Real>& particles, const Batches&) { std::ranges::fill(particles.drift(), Real(0)); };
  const bool composed = terms.size() > 1 || terms[0].weight != 1;
  if (!r.domain.empty()) {
    const Torus<Real> torus(static_cast<Real>(plan::parse_number("domain", plan::parse_named(r.domain).second)));
    const ComposedRadialKernel<Real> sum(ComposedKernel<Real>(terms, dim));
    if (composed)
      return drift_with<Real>(r, sum, threads, torus);
    return std::visit(
        [&](auto one) -> AnyDrift<Real> {
          if constexpr (RadialKernel<decltype(one), Real>)
            return drift_with<Real>(r, std::move(one), threads, torus);
          else
            reject("kernel", "of the distance on a torus", r.kernel);
        },
        make_kernel<Real>(terms[0], dim));
  }
  const Euclid<Real> everywhere;
  if (composed)
    return drift_with<Real>(r, ComposedKernel<Real>(terms, dim), threads, everywhere);
  if (r.advance == "splitting") {
    make_kernel<Real>(terms[0], dim); // for its checks
    return drift_with<Real>(
        r, kernel::RieszAttraction<Real>(static_cast<Real>(terms[0].settings.at("a"))), threads,
        everywhere);
  }
  return std::visit(
      [&](auto one) { return drift_with<Real>(r, std::move(one), threads, everywhere); },
      make_kernel<Real>(terms[0], dim));
}

} // namespace

template <typename Real>
AnyDrift<Real> make_drift(const plan::Recipe& r, std::size_t dim, Threads& threads) {
  auto terms = plan::parse_kernel(r.kernel);
  double bilinear = 0; // exact over all particles, so no part of the batches' kernel
  for (const plan::KernelTerm& term : terms)
    bilinear += term.name == "bilinear" ? term.weight / static_cast<double>(dim) : 0;
  std::erase_if(terms, [](const plan::KernelTerm& term) { return term.name == "bilinear"; });
  if (bilinear > 0)
    return WithBilinear<Real, AnyDrift<Real>>(in_batches<Real>(r, terms, dim, threads),
                                              static_cast<Real>(bilinear), threads);
  return in_batches<Real>(r, terms, dim, threads);
}

template AnyDrift<double> make_drift(const plan::Recipe&, std::size_t, Threads&);
template AnyDrift<float> make_drift(const plan::Recipe&, std::size_t, Threads&);

} // namespace starling::assemble
