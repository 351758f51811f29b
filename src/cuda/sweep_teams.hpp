// Sweeps by teams of threads, lanes along the coordinates: more dimensions.
//
// A team is
//     Team::lanes                      how many
//     Team::Each<T, n>                 n values of each lane, as of(lane, k)
//     Team::Aside<T, n>                n values of each lane that are sent for and not held:
//                                      send_for(lane, k, address), then wait(), then of(lane, k)
//     team.each(f)                     f(lane) for every lane
//     team.sum(f)                      the sum of f(lane) over all of them, known to all
//     team.see(values, other, k)       what another lane holds, within each(f)
//     team.tell(all, f)                all[i] = f(i) for everyone, each computed once
//     team.sums(to, f)                 to.of(i / n, i % n), of n each, is the sum of f(lane, i)
//     over
//                                      all of them: lanes share the sums out among them
// On a device a lane is a thread; on the host one thread is all lanes in turn (on_host.hpp).
#pragma once

#include "cuda/sweep_rows.hpp"

namespace starling::cuda {

/// The score of a row of the normal: two passes, the second only where there is a correlation.
template <typename Real>
struct ScoreNormalRow {
  Work<Real> work;

  template <typename Team>
  STARLING_DEVICE void operator()(const Team& team, std::uint32_t row) const {
    const std::size_t at = std::size_t{row} * work.dim;
    const EvenNormalForm<Real>& normal = work.target.normal;
    const auto pull = [&](std::uint32_t a) {
      return normal.pull(work.target.mean[a], work.x[at + a]);
    };
    Real total = 0;
    if (normal.share != 0)
      total = team.sum([&](std::uint32_t lane) {
        Real sum = 0;
        for (std::uint32_t a = lane; a < work.dim; a += Team::lanes)
          sum += pull(a);
        return sum;
      });
    team.each([&](std::uint32_t lane) {
      for (std::uint32_t a = lane; a < work.dim; a += Team::lanes)
        work.s[at + a] = normal.shared(pull(a), total);
    });
  }
};

/// The drift of the one at a place: coordinates `kept` a lane at a time, in as many passes as they
/// need.
template <typename Real>
struct DriftByTeam {
  static constexpr std::uint32_t kept = 4;
  Work<Real> work;
  std::uint32_t turn;

  template <typename Team>
  STARLING_DEVICE void operator()(const Team& team, std::uint32_t place) const {
    const Turn<Real>& now = work.turns[turn];
    const std::uint32_t batch = now.order.batch_of(place), begin = now.order.begin(batch),
                        size = now.order.size(batch), dim = work.dim;
    const Real pair = now.pair_weight(size), inverse = *work.inverse;
    const Real* x = work.x + std::size_t{work.order[place]} * dim;
    Real* phi = work.g + std::size_t{work.order[place]} * dim;
    for (std::uint32_t first = 0; first < dim; first += Team::lanes * kept) {
      typename Team::template Each<Real, kept> g;
      team.each([&](std::uint32_t lane) {
        STARLING_UNROLL
        for (std::uint32_t k = 0; k < kept; ++k)
          g.of(lane, k) = 0;
      });
      Real lift = 0;
      for (std::uint32_t m = 0; m < size; ++m) {
        const bool self = begin + m == place;
        const std::size_t other = std::size_t{work.order[begin + m]} * dim;
        const Real *y = work.x + other, *s = work.s + other;
        const Real r2 = team.sum([&](std::uint32_t lane) {
          Real sum = 0;
          for (std::uint32_t a = lane; a < dim; a += Team::lanes)
            sum += (x[a] - y[a]) * (x[a] - y[a]);
          return sum;
        });
        Real product = 0;
        if (!work.pairs.gaussian_alone())
          product = team.sum([&](std::uint32_t lane) {
            Real sum = 0;
            for (std::uint32_t a = lane; a < dim; a += Team::lanes)
              sum += x[a] * y[a];
            return sum;
          });
        const PairWeights<Real> w =
            self ? work.pairs.at_self(product, inverse) : work.pairs.at(r2, product, inverse);
        const Real c = self ? now.self : pair, weight = c * w.weight, repulsion = c * w.repulsion;
        team.each([&](std::uint32_t lane) {
          STARLING_UNROLL
          for (std::uint32_t k = 0; k < kept; ++k)
            if (const std::uint32_t a = first + lane + k * Team::lanes; a < dim)
              g.of(lane, k) += weight * s[a] + repulsion * (x[a] - y[a]);
        });
        lift += c * w.lift;
      }
      team.each([&](std::uint32_t lane) {
        STARLING_UNROLL
        for (std::uint32_t k = 0; k < kept; ++k)
          if (const std::uint32_t a = first + lane + k * Team::lanes; a < dim)
            phi[a] = g.of(lane, k) + lift * x[a];
      });
    }
  }
};

} // namespace starling::cuda
