// Small runs of a normal, put together as a user of the library does.
#pragma once

#include <starling/advance/explicit_step.hpp>
#include <starling/advance/rules.hpp>
#include <starling/deal/draw.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/drift/pairwise.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/random/start.hpp>
#include <starling/run/fly.hpp>
#include <starling/run/seeds.hpp>
#include <starling/target/lift.hpp>

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

namespace starling::run {

using Kernel = kernel::Gaussian<double>;

/// The standard normal in two dimensions; `log_density` may be made to fail.
inline auto normal(std::function<double(double)> log_density = [](double r2) { return -r2 / 2; }) {
  return lift<double>(2, [log_density](std::span<const double> x, std::span<double> score) {
    score[0] = -x[0];
    score[1] = -x[1];
    return log_density(x[0] * x[0] + x[1] * x[1]);
  });
}

inline Settings settings(std::size_t particles, Step steps, std::uint64_t seed = 1) {
  Settings s;
  s.particles = particles;
  s.steps = steps;
  s.seed = seed;
  return s;
}

template <typename Deal>
Roles<double> roles(Deal deal, double step_size = 0.05) {
  return roles_of<double>(
      normal(), std::move(deal), PairwiseDrift<double, Kernel>(Kernel(0.35)),
      ExplicitStep<double, ConstantStep<double>>(ConstantStep<double>(step_size)));
}

inline std::function<void(Rows<double>)> drawn(std::uint64_t seed, double mean = 0, double sd = 1) {
  return [=](Rows<double> x) { start_normal(x, seed, mean, sd); };
}
inline std::function<void(Rows<double>)> from(std::vector<double> positions) {
  return [=](Rows<double> x) { std::copy(positions.begin(), positions.end(), x.begin()); };
}

} // namespace starling::run
