// Moments of the cloud, and expectations of functions given.
#pragma once

#include <starling/concepts.hpp>

#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace starling {

/// Mean and variance of each parameter over the particles (divided by N: the cloud is the whole
/// population, not a sample of one; of those that are here), as of the last look.
class Moments {
public:
  template <HostParticles P>
  Signal operator()(Step, const P& particles, const Batches&) {
    look(particles.position());
    return Signal::go_on;
  }

  /// Of any column: rows of numbers as x[i][a].
  template <typename C>
  void look(const C& x) {
    mean_.assign(x.dim, 0);
    variance_.assign(x.dim, 0);
    const auto n = static_cast<double>(x.count);
    for (std::size_t i = 0; i < x.count; ++i)
      for (std::size_t a = 0; a < x.dim; ++a)
        mean_[a] += static_cast<double>(x[i][a]) / n;
    for (std::size_t i = 0; i < x.count; ++i)
      for (std::size_t a = 0; a < x.dim; ++a) {
        const double off = static_cast<double>(x[i][a]) - mean_[a];
        variance_[a] += off * off / n;
      }
  }

  std::span<const double> mean() const { return mean_; }
  std::span<const double> variance() const { return variance_; }

private:
  std::vector<double> mean_, variance_;
};

/// (1/N) sum_i f(X_i) for each f, as of the last look.
template <typename Real>
class Expectations {
public:
  using Function = std::function<double(std::span<const Real>)>;
  explicit Expectations(std::vector<Function> functions)
      : functions_(std::move(functions)), values_(functions_.size()) {}

  template <HostParticles<Real> P>
  Signal operator()(Step, const P& particles, const Batches&) {
    const Rows<const Real> x = plain_rows<Real>(particles.position(), room_);
    for (std::size_t f = 0; f < functions_.size(); ++f) {
      values_[f] = 0;
      for (std::size_t i = 0; i < x.count; ++i)
        values_[f] += functions_[f](x[i]);
      values_[f] /= static_cast<double>(particles.count());
    }
    return Signal::go_on;
  }

  std::span<const double> values() const { return values_; }

private:
  std::vector<Function> functions_;
  std::vector<double> values_;
  Column<Real> room_;
};

} // namespace starling
