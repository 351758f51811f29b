// The splitting for Riesz kernels at p = 2 (section 3.1): the singular repulsion of a pair is
// solved exactly, the rest by an Euler step.
#pragma once

#include <starling/advance/rules.hpp>
#include <starling/batches.hpp>
#include <starling/ensemble.hpp>

#include <cmath>

namespace starling {

/// Strang: half a step of repulsion, a whole one of the rest, half a step of repulsion. To be used
/// with the drift of kernel::RieszAttraction, which leaves the repulsion out.
///
/// In a pair with weight w, u = x_i - x_j has d|u|/dt = 2 w a |u|^-(a+1), so |u|^(a+2) grows by
/// 2 w a (a+2) t; direction and centre stay. When N is odd one batch has three: its pairs are
/// solved in turn, and in the opposite turn in the second half, which keeps the repulsion of second
/// order; the Euler step of the rest makes the whole of first.
template <typename Real>
class RieszSplitting {
public:
  RieszSplitting(double eta, double exponent) : eta_(checked_step_size(eta)), exponent_(exponent) {
    if (!(exponent > 0) || !std::isfinite(exponent))
      reject("exponent", "positive and finite", shown(exponent));
  }

  template <HostParticles<Real> P, typename Flow>
  void operator()(Step, P& particles, const Batches& batches, Flow&& flow) {
    const auto x = particles.position();
    copy_rows(x, start_);
    try {
      repel(x, batches, false);
      flow();
    } catch (...) {
      put_rows(start_, x);
      throw;
    }
    for (const std::uint32_t i : batches.order()) {
      for (std::size_t a = 0; a < x.dim; ++a)
        x[i][a] += static_cast<Real>(eta_) * particles.drift()[i][a];
      ++particles.moves()[i];
    }
    repel(x, batches, true);
  }

private:
  template <typename C>
  void repel(const C& x, const Batches& batches, bool backwards) const {
    for (std::size_t q = 0; q < batches.count(); ++q) {
      const auto members = batches[q];
      const double growth =
          2 * batches.pair_weight(members.size()) * exponent_ * (exponent_ + 2) * eta_ / 2;
      const std::size_t size = members.size(), pairs = size * (size - 1) / 2;
      for (std::size_t n = 0; n < pairs; ++n) {
        std::size_t i = 0, j = backwards ? pairs - 1 - n : n; // the j-th pair i < j
        while (j >= size - 1 - i)
          j -= size - 1 - i++;
        part(x[members[i]], x[members[i + 1 + j]], growth);
      }
    }
  }

  // |u|^(a+2) += growth, about the centre.
  template <typename Row>
  void part(const Row& x, const Row& y, double growth) const {
    double r2 = 0;
    for (std::size_t a = 0; a < x.size(); ++a)
      r2 += double(x[a] - y[a]) * double(x[a] - y[a]);
    const double old = std::sqrt(r2), power = exponent_ + 2;
    const double wide = std::pow(std::pow(old, power) + growth, 1 / power);
    for (std::size_t a = 0; a < x.size(); ++a) {
      const double centre = (double(x[a]) + double(y[a])) / 2;
      // Two particles in one place have no direction to part in: they take the first axis.
      const double half = old > 0 ? double(x[a] - y[a]) / 2 * (wide / old) : a == 0 ? wide / 2 : 0;
      x[a] = static_cast<Real>(centre + half);
      y[a] = static_cast<Real>(centre - half);
    }
  }

  double eta_, exponent_;
  Column<Real> start_;
};

} // namespace starling
