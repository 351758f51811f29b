// Whole batches in one sweep where four divides the dimension: four numbers at a time.
#pragma once

#include "cuda/sweep_fused.hpp"

namespace starling::cuda {

/// A row by four threads, the members of a batch side by side: dimensions that four divides, up to 16 `kept`; batches of 4 or 8
/// that are all of one size. With y = x - x_0, which is small where the batch is together, and u = s - y/h,
///     phi_i = self s_i + sum_j w_ij u_j + y_i/h sum_j w_ij.
template <typename Real, std::uint32_t members, std::uint32_t kept>
struct FusedRows {
  static constexpr std::uint32_t held = 4 * kept; ///< numbers of a thread: quads q, q + 4, q + 8 ... of its row

  Work<Real> work;
  Turn<Real> now;

  template <typename Team>
  STARLING_DEVICE void operator()(const Team& team, std::uint32_t batch) const {
    static_assert(Team::lanes == 4 * members);
    const Shared<Real> shared(work, now);
    typename Team::template Each<Real, held> x, u, g; // u is the score at first
    typename Team::template Each<Real, 1> part, half, whole, all;
    typename Team::template Each<std::size_t, 1> at;
    const auto column = [](std::uint32_t lane, std::uint32_t n) { return 4 * (lane % 4 + 4 * n); };
    const auto add_up = [&] { // part of four threads, to whole
      team.each([&](std::uint32_t lane) { half.of(lane, 0) = part.of(lane, 0) + team.see(part, lane ^ 1, 0); });
      team.each([&](std::uint32_t lane) { whole.of(lane, 0) = half.of(lane, 0) + team.see(half, lane ^ 2, 0); });
    };
    team.each([&](std::uint32_t lane) {
      at.of(lane, 0) = std::size_t{now.order.row(batch * members + lane / 4, work.tables)} * work.dim;
      part.of(lane, 0) = 0;
      all.of(lane, 0) = 0;
      STARLING_UNROLL
      for (std::uint32_t n = 0; n < kept; ++n) {
        const std::uint32_t a = column(lane, n);
        const bool there = a < work.dim;
        using Quad = Numbers<Real, 4>;
        STARLING_UNROLL
        for (std::uint32_t c = 0; c < 2; ++c)
          if (there && c < now.move.memories)
            ask_for(work.memory[c] + at.of(lane, 0) + a); // needed only in the end
        const Quad here = there ? numbers<4>(work.x + at.of(lane, 0) + a) : Quad{};
        const Quad mean = there && shared.normal ? numbers<4>(const_cast<Real*>(work.target.mean) + a) : Quad{};
        const Quad score = there && !shared.normal ? numbers<4>(work.s + at.of(lane, 0) + a) : Quad{};
        STARLING_UNROLL
        for (std::uint32_t k = 0; k < 4; ++k) {
          x.of(lane, 4 * n + k) = here.of[k];
          u.of(lane, 4 * n + k) = shared.normal && there ? shared.form.pull(mean.of[k], here.of[k]) : score.of[k];
          part.of(lane, 0) += u.of(lane, 4 * n + k);
        }
      }
    });
    if (shared.normal && shared.form.share != 0) {
      add_up();
      team.each([&](std::uint32_t lane) {
        STARLING_UNROLL
        for (std::uint32_t n = 0; n < held; ++n)
          u.of(lane, n) = shared.form.shared(u.of(lane, n), whole.of(lane, 0));
      });
    }
    team.each([&](std::uint32_t lane) {
      STARLING_UNROLL
      for (std::uint32_t n = 0; n < held; ++n) {
        g.of(lane, n) = shared.self * u.of(lane, n);
        u.of(lane, n) -= (x.of(lane, n) - team.see(x, lane % 4, n)) * shared.inverse;
      }
    });
    STARLING_UNROLL
    for (std::uint32_t step = 1; step < members; ++step) {
      team.each([&](std::uint32_t lane) {
        Real sum = 0;
        STARLING_UNROLL
        for (std::uint32_t n = 0; n < held; ++n) {
          const Real away = x.of(lane, n) - team.see(x, lane ^ 4 * step, n);
          sum += away * away;
        }
        part.of(lane, 0) = sum;
      });
      add_up();
      team.each([&](std::uint32_t lane) {
        const Real w = shared.weight(whole.of(lane, 0), now.pair_smaller);
        all.of(lane, 0) += w;
        STARLING_UNROLL
        for (std::uint32_t n = 0; n < held; ++n)
          g.of(lane, n) += w * team.see(u, lane ^ 4 * step, n);
      });
    }
    team.each([&](std::uint32_t lane) {
      STARLING_UNROLL
      for (std::uint32_t n = 0; n < held; ++n)
        g.of(lane, n) += (x.of(lane, n) - team.see(x, lane % 4, n)) * (shared.inverse * all.of(lane, 0));
    });
    by_rule(now.move, [&](const auto& step, auto memories) {
      team.each([&](std::uint32_t lane) {
        bool good = true;
        STARLING_UNROLL
        for (std::uint32_t n = 0; n < kept; ++n) {
          Numbers<Real, 4> here;
          Real drift[4];
          STARLING_UNROLL
          for (std::uint32_t k = 0; k < 4; ++k) {
            here.of[k] = x.of(lane, 4 * n + k);
            drift[k] = g.of(lane, 4 * n + k);
          }
          if (const std::uint32_t a = column(lane, n); a < work.dim)
            good &= advance_together<memories()>(work, step, at.of(lane, 0) + a, here, drift);
        }
        if (!good)
          *work.bad = 1;
      });
    });
  }
};

/// Drift and move of a pair, four coordinates a lane: dimensions that four divides and that the lanes hold.
template <typename Real>
struct FusedPairs {
  using Quad = Numbers<Real, 4>;

  Work<Real> work;
  Turn<Real> now;
  std::uint32_t first; ///< the first batch, which has number 0 here

  template <typename Team>
  STARLING_DEVICE void operator()(const Team& team, std::uint32_t index) const {
    const std::uint32_t begin = now.order.begin(first + index), dim = work.dim;
    const Shared<Real> shared(work, now);
    std::uint32_t row[2];
    team.tell(row, [&](std::uint32_t i) { return now.order.row(begin + i, work.tables); });
    const auto at = [&](std::uint32_t i, std::uint32_t lane) { return std::size_t{row[i]} * dim + 4 * lane; };

    typename Team::template Each<Quad, 2> x, s, memory; // the first memory, asked for before it is needed
    team.each([&](std::uint32_t lane) {
      const bool mine = 4 * lane < dim;
      STARLING_UNROLL
      for (std::uint32_t i = 0; i < 2; ++i) {
        x.of(lane, i) = mine ? numbers<4>(work.x + at(i, lane)) : Quad{};
        memory.of(lane, i) = mine && now.move.memories > 0 ? numbers<4>(work.memory[0] + at(i, lane)) : Quad{};
      }
      const Quad mean = shared.normal && mine ? numbers<4>(const_cast<Real*>(work.target.mean) + 4 * lane) : Quad{};
      STARLING_UNROLL
      for (std::uint32_t i = 0; i < 2; ++i) {
        if (!shared.normal)
          s.of(lane, i) = mine ? numbers<4>(work.s + at(i, lane)) : Quad{};
        else
          STARLING_UNROLL
          for (std::uint32_t k = 0; k < 4; ++k)
            s.of(lane, i).of[k] = mine ? shared.form.pull(mean.of[k], x.of(lane, i).of[k]) : Real(0);
      }
    });
    if (shared.normal && shared.form.share != 0)
      STARLING_UNROLL
      for (std::uint32_t i = 0; i < 2; ++i) {
        const Real total = team.sum([&](std::uint32_t lane) {
          const Quad& own = s.of(lane, i);
          return (own.of[0] + own.of[1]) + (own.of[2] + own.of[3]);
        });
        team.each([&](std::uint32_t lane) {
          STARLING_UNROLL
          for (std::uint32_t k = 0; k < 4; ++k)
            s.of(lane, i).of[k] = shared.form.shared(s.of(lane, i).of[k], total);
        });
      }
    const Real r2 = team.sum([&](std::uint32_t lane) {
      Real sum = 0;
      STARLING_UNROLL
      for (std::uint32_t k = 0; k < 4; ++k) {
        const Real away = x.of(lane, 0).of[k] - x.of(lane, 1).of[k];
        sum += away * away;
      }
      return sum;
    });
    const PairWeights<Real> w = shared.at(r2, now.pair_smaller);
    by_rule(now.move, [&](const auto& step, auto memories) {
      team.each([&](std::uint32_t lane) {
        if (4 * lane >= dim)
          return;
        bool good = true;
        STARLING_UNROLL
        for (std::uint32_t i = 0; i < 2; ++i) {
          Real g[4];
          STARLING_UNROLL
          for (std::uint32_t k = 0; k < 4; ++k)
            g[k] = shared.self * s.of(lane, i).of[k] + w.weight * s.of(lane, 1 - i).of[k] +
                   w.repulsion * (x.of(lane, i).of[k] - x.of(lane, 1 - i).of[k]);
          good &= advance_together<memories()>(work, step, at(i, lane), x.of(lane, i), g, &memory.of(lane, i));
        }
        if (!good)
          *work.bad = 1;
      });
    });
  }
};

} // namespace starling::cuda
