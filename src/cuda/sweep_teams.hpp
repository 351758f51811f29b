// Sweeps by teams of threads, lanes along the coordinates: more dimensions, and whole batches at once.
//
// A team is
//     Team::lanes                      how many
//     Team::Each<T, n>                 n values of each lane, as of(lane, k)
//     team.each(f)                     f(lane) for every lane
//     team.sum(f)                      the sum of f(lane) over all of them, known to all
// On a device a lane is a thread; on the host one thread is all lanes in turn (teams_on_host.hpp).
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
    const auto pull = [&](std::uint32_t a) { return normal.pull(work.target.mean[a], work.x[at + a]); };
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

/// The drift of the one at a place: coordinates `kept` a lane at a time, in as many passes as they need.
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

/// Drift and move of a whole batch at once, for the Gaussian alone: a step is then a read and a write of positions
/// and memories. A batch of at most `members`, at most `kept` coordinates a lane. The score of the normal
/// is made on the way; that of other targets is in its column.
template <typename Real, std::uint32_t members, std::uint32_t kept>
struct FusedBatch {
  Work<Real> work;
  std::uint32_t turn, first; ///< the first batch, which has number 0 here

  template <typename Team>
  STARLING_DEVICE void operator()(const Team& team, std::uint32_t index) const {
    const Turn<Real>& now = work.turns[turn];
    const std::uint32_t batch = first + index, begin = now.order.begin(batch), size = now.order.size(batch),
                        dim = work.dim;
    const bool normal = work.target.kind == Scoring<Real>::Kind::normal;
    const EvenNormalForm<Real>& form = work.target.normal;
    const Real pair = now.pair_weight(size), inverse = *work.inverse;
    const Real height = work.pairs.terms[0].weight * (work.pairs.terms[0].sinks ? std::sqrt(inverse) : Real(1));
    std::size_t at[members];
    STARLING_UNROLL
    for (std::uint32_t i = 0; i < members; ++i)
      at[i] = std::size_t{now.order.row(begin + (i < size ? i : 0), work.tables)} * dim;

    typename Team::template Each<Real, members * kept> x, s, g;
    team.each([&](std::uint32_t lane) {
      STARLING_UNROLL
      for (std::uint32_t k = 0; k < kept; ++k) {
        const std::uint32_t a = lane + k * Team::lanes;
        const Real mean = normal && a < dim ? work.target.mean[a] : Real(0);
        STARLING_UNROLL
        for (std::uint32_t i = 0; i < members; ++i) {
          const bool there = a < dim && i < size;
          x.of(lane, i * kept + k) = there ? work.x[at[i] + a] : Real(0);
          s.of(lane, i * kept + k) = !there   ? Real(0)
                                     : normal ? form.pull(mean, x.of(lane, i * kept + k))
                                              : work.s[at[i] + a];
        }
      }
    });
    if (normal && form.share != 0)
      STARLING_UNROLL
      for (std::uint32_t i = 0; i < members; ++i) {
        const Real total = team.sum([&](std::uint32_t lane) {
          Real sum = 0;
          STARLING_UNROLL
          for (std::uint32_t k = 0; k < kept; ++k)
            sum += s.of(lane, i * kept + k);
          return sum;
        });
        team.each([&](std::uint32_t lane) {
          STARLING_UNROLL
          for (std::uint32_t k = 0; k < kept; ++k)
            s.of(lane, i * kept + k) = form.shared(s.of(lane, i * kept + k), total);
        });
      }
    const kernel::Gaussian<Real>& gaussian = work.pairs.terms[0].gaussian;
    const Real self = now.self * height * gaussian.at_distance(Real(0)).weight;
    team.each([&](std::uint32_t lane) {
      STARLING_UNROLL
      for (std::uint32_t n = 0; n < members * kept; ++n)
        g.of(lane, n) = self * s.of(lane, n);
    });
    STARLING_UNROLL
    for (std::uint32_t i = 0; i < members; ++i)
      STARLING_UNROLL
      for (std::uint32_t j = i + 1; j < members; ++j) { // a pair once, for both
        const Real r2 = team.sum([&](std::uint32_t lane) {
          Real sum = 0;
          STARLING_UNROLL
          for (std::uint32_t k = 0; k < kept; ++k) {
            const Real away = x.of(lane, i * kept + k) - x.of(lane, j * kept + k);
            sum += away * away;
          }
          return sum;
        });
        const PairWeights<Real> w = gaussian.at_distance(r2 * inverse);
        const Real c = j < size ? pair * height : Real(0);
        const Real weight = c * w.weight, repulsion = c * w.repulsion * inverse;
        team.each([&](std::uint32_t lane) {
          STARLING_UNROLL
          for (std::uint32_t k = 0; k < kept; ++k) {
            const std::uint32_t one = i * kept + k, other = j * kept + k;
            const Real push = repulsion * (x.of(lane, one) - x.of(lane, other));
            g.of(lane, one) += weight * s.of(lane, other) + push;
            g.of(lane, other) += weight * s.of(lane, one) - push;
          }
        });
      }
    team.each([&](std::uint32_t lane) {
      STARLING_UNROLL
      for (std::uint32_t i = 0; i < members; ++i)
        STARLING_UNROLL
        for (std::uint32_t k = 0; k < kept; ++k)
          if (const std::uint32_t a = lane + k * Team::lanes; a < dim && i < size)
            advance_number(work, now.move, at[i] + a, x.of(lane, i * kept + k), g.of(lane, i * kept + k));
    });
  }
};

} // namespace starling::cuda
