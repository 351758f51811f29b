// The classical Runge-Kutta step: four evaluations of the flow, all on the same batches.
#pragma once

#include <starling/advance/rules.hpp>
#include <starling/batches.hpp>
#include <starling/domain.hpp>
#include <starling/ensemble.hpp>

#include <algorithm>

namespace starling {

template <typename Real, typename Domain = Euclid<Real>>
class RungeKutta4 {
public:
  explicit RungeKutta4(double eta, Domain domain = {})
      : eta_(static_cast<Real>(checked_step_size(eta))), domain_(domain) {}

  /// k1 = f(x), k2 = f(x + eta/2 k1), k3 = f(x + eta/2 k2), k4 = f(x + eta k3),
  /// x += eta/6 (k1 + 2 k2 + 2 k3 + k4)
  template <HostParticles<Real> P, typename Flow>
  void operator()(Step, P& particles, const Batches& batches, Flow&& flow) {
    const auto x = particles.position();
    copy_rows(x, start_);
    sum_.assign(start_.size(), Real(0));
    try {
      stage(particles, batches, flow, 1, eta_ / 2);
      stage(particles, batches, flow, 2, eta_ / 2);
      stage(particles, batches, flow, 2, eta_);
      stage(particles, batches, flow, 1, 0);
    } catch (...) { // half a step is no place to stop
      put_rows(start_, x);
      throw;
    }
    for (const std::uint32_t i : batches.order()) {
      for (std::size_t a = 0; a < x.dim; ++a)
        x[i][a] = domain_.wrap(start_[i * x.dim + a] + eta_ / 6 * sum_[i * x.dim + a]);
      ++particles.moves()[i];
    }
  }

private:
  template <typename P, typename Flow>
  void stage(P& particles, const Batches& batches, Flow& flow, Real weight, Real reach) {
    flow();
    for (const std::uint32_t i : batches.order())
      for (std::size_t a = 0; a < particles.dim(); ++a) {
        const Real slope = particles.drift()[i][a];
        sum_[i * particles.dim() + a] += weight * slope;
        particles.position()[i][a] = start_[i * particles.dim() + a] + reach * slope;
      }
  }

  Real eta_;
  Domain domain_;
  Column<Real> start_, sum_;
};

} // namespace starling
