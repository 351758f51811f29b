// The score of a log density written as a template, by forward differentiation.
#pragma once

#include <starling/target/lift.hpp>

#include <Eigen/Core>
#include <unsupported/Eigen/AutoDiff>

#include <span>
#include <utility>
#include <vector>

namespace starling {

/// log_density is called as log_density(std::span<const T>) -> T, with T a number that carries its
/// d derivatives: costs about d times the density. For one particle; lift it to all.
template <typename Real, typename LogDensity>
class Differentiate {
public:
  explicit Differentiate(LogDensity log_density) : log_density_(std::move(log_density)) {}

  Real operator()(std::span<const Real> x, std::span<Real> score) const {
    using Number = Eigen::AutoDiffScalar<Eigen::Matrix<Real, Eigen::Dynamic, 1>>;
    const auto dim = static_cast<Eigen::Index>(x.size());
    thread_local std::vector<Number> seeded; // x, each with a unit derivative of its own
    seeded.resize(x.size());
    for (Eigen::Index a = 0; a < dim; ++a)
      seeded[static_cast<std::size_t>(a)] = Number(x[static_cast<std::size_t>(a)], dim, a);
    const Number value = log_density_(std::span<const Number>(seeded));
    for (std::size_t a = 0; a < x.size(); ++a) // a constant comes without derivatives
      score[a] = value.derivatives().size() == dim ? value.derivatives()[Eigen::Index(a)] : Real(0);
    return value.value();
  }

private:
  LogDensity log_density_;
};

template <typename Real, typename LogDensity>
auto differentiate(std::size_t dim, LogDensity log_density, Threads& threads = Threads::alone()) {
  return lift<Real>(dim, Differentiate<Real, LogDensity>(std::move(log_density)), threads);
}

} // namespace starling
