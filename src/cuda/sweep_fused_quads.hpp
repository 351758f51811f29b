// Whole batches in one sweep where four divides the dimension: four coordinates of every member a
// lane.
#pragma once

#include "cuda/sweep_fused.hpp"

namespace starling::cuda {

/// The pairs of `members`, a power of two, in a row: first those of neighbours in a ring, then
/// those two apart ...
template <std::uint32_t members>
struct PairsInARing {
  static constexpr std::uint32_t count = members * (members - 1) / 2;
  static STARLING_DEVICE constexpr std::uint32_t one(std::uint32_t n) { return n % members; }
  static STARLING_DEVICE constexpr std::uint32_t other(std::uint32_t n) {
    return (n + n / members + 1) % members;
  }
  /// Where i and j are.
  static STARLING_DEVICE constexpr std::uint32_t of(std::uint32_t i, std::uint32_t j) {
    const std::uint32_t away = (j + members - i) % members, back = members - away;
    return away < back || (away == back && i < j) ? (away - 1) * members + i
                                                  : (back - 1) * members + j;
  }
};

/// Dimensions that four divides, up to four times the lanes; batches of 4 or 8 that are all of one
/// size. The lanes share the pairs out among them and show each other the weights. With y = x -
/// x_0, which is small where the batch is together,
///     phi_i = self s_i + sum_j w_ij (s_j - y_j/h) + y_i/h sum_j w_ij,
/// where the normal's scores are made of y as well. The first memory is sent for in the beginning
/// and kept aside.
template <typename Real, std::uint32_t members, bool normal>
struct FusedQuads {
  using Quad = Numbers<Real, 4>;
  using Ring = PairsInARing<members>;

  Work<Real> work;
  Turn<Real> now;

  template <typename Team>
  STARLING_DEVICE void operator()(const Team& team, std::uint32_t batch) const {
    constexpr std::uint32_t share = (Ring::count + Team::lanes - 1) / Team::lanes;
    const Shared<Real> shared(work, now);
    const std::uint32_t dim = work.dim;
    typename Team::template Each<std::uint32_t, 1>
        rows; // seen anew in the end: sixteen addresses would be many to hold
    typename Team::template Each<Quad, members> x, u;
    typename Team::template Aside<Quad, members> memory;
    typename Team::template Each<Quad, 1> mean;
    team.each([&](std::uint32_t lane) {
      rows.of(lane, 0) = now.order.row(batch * members + lane % members);
    });
    team.each([&](std::uint32_t lane) {
      const bool mine = 4 * lane < dim, keeps = mine && now.move.memories > 0;
      STARLING_UNROLL
      for (std::uint32_t i = 0; i < members; ++i) {
        const std::uint32_t row = team.see(rows, i, 0);
        x.of(lane, i) = mine ? numbers<4>(work.position(row) + 4 * lane) : Quad{};
        if (!normal)
          u.of(lane, i) = mine ? score_of(row, lane) : Quad{};
        if (keeps)
          memory.send_for(lane, i, work.remembered(row, 0) + 4 * lane);
        if (keeps && now.move.memories > 1)
          ask_for(work.remembered(row, 1) + 4 * lane);
      }
      mean.of(lane, 0) =
          normal && mine ? numbers<4>(const_cast<Real*>(work.target.mean) + 4 * lane) : Quad{};
    });

    typename Team::template Each<Real, share> weights;
    team.sums(weights, [&](std::uint32_t lane, std::uint32_t n) {
      Real sum = 0;
      if (n < Ring::count)
        STARLING_UNROLL
      for (std::uint32_t k = 0; k < 4; ++k) {
        const Real away = x.of(lane, Ring::one(n)).of[k] - x.of(lane, Ring::other(n)).of[k];
        sum += away * away;
      }
      return sum;
    });
    team.each([&](std::uint32_t lane) {
      STARLING_UNROLL
      for (std::uint32_t k = 0; k < share; ++k)
        weights.of(lane, k) = shared.weight(weights.of(lane, k), now.pair_smaller);
    });
    const auto weight = [&](std::uint32_t i, std::uint32_t j) {
      return team.see(weights, Ring::of(i, j) / share, Ring::of(i, j) % share);
    };

    const auto pull = [&](std::uint32_t lane, std::uint32_t i, std::uint32_t k) {
      return shared.form.pull(mean.of(lane, 0).of[k], x.of(lane, i).of[k]);
    };
    const auto away = [&](std::uint32_t lane, std::uint32_t i, std::uint32_t k) { // y
      return x.of(lane, i).of[k] - x.of(lane, 0).of[k];
    };
    typename Team::template Each<Real, 1> totals; // of the pulls of row i, in lane i
    const bool correlated = normal && shared.form.share != 0;
    if (correlated)
      team.sums(totals, [&](std::uint32_t lane, std::uint32_t i) {
        Real sum = 0;
        if (i < members && 4 * lane < dim)
          STARLING_UNROLL
        for (std::uint32_t k = 0; k < 4; ++k)
          sum += pull(lane, i, k);
        return sum;
      });
    if (!normal)
      team.each([&](std::uint32_t lane) {
        STARLING_UNROLL
        for (std::uint32_t i = 0; i < members; ++i)
          STARLING_UNROLL
        for (std::uint32_t k = 0; k < 4; ++k)
          u.of(lane, i).of[k] -= away(lane, i, k) * shared.inverse;
      });

    now.move.visit([&](const auto& step, auto memories) {
      team.each([&](std::uint32_t lane) {
        const bool mine = 4 * lane < dim;
        bool good = true;
        memory.wait();
        STARLING_UNROLL
        for (std::uint32_t i = 0; i < members; ++i) {
          const std::uint32_t row = team.see(rows, i, 0);
          Real sum[4] = {}, all = 0; // of w_ij u_j, or of w_ij y_j; of w_ij
          STARLING_UNROLL
          for (std::uint32_t j = 0; j < members; ++j)
            if (j != i) {
              const Real w = weight(i, j);
              all += w;
              STARLING_UNROLL
              for (std::uint32_t k = 0; k < 4; ++k)
                sum[k] += w * (normal ? away(lane, j, k) : u.of(lane, j).of[k]);
            }
          Real common = 0; // to all coordinates of a normal's scores
          if (correlated) {
            STARLING_UNROLL
            for (std::uint32_t j = 0; j < members; ++j)
              common += (j == i ? shared.self : weight(i, j)) * team.see(totals, j, 0);
            common *= shared.form.share;
          }
          const Quad own =
              normal || !mine ? Quad{} : score_of(row, lane); // u has lost it where h is small
          Real g[4];
          STARLING_UNROLL
          for (std::uint32_t k = 0; k < 4; ++k) {
            const Real apart = shared.inverse * away(lane, i, k);
            g[k] = normal ? shared.self * pull(lane, i, k) + all * (pull(lane, 0, k) + apart) -
                                (shared.form.precision + shared.inverse) * sum[k] - common
                          : shared.self * own.of[k] + all * apart + sum[k];
          }
          if (mine) {
            const Quad kept = memories() > 0 ? memory.of(lane, i) : Quad{};
            good &=
                advance_together<memories()>(work, row, 4 * lane, step, x.of(lane, i), g, &kept);
          }
        }
        if (!good)
          *work.bad = 1;
      });
    });
  }

private:
  STARLING_DEVICE Quad score_of(std::uint32_t row, std::uint32_t lane) const {
    return numbers<4>(work.s + std::size_t{row} * work.dim + 4 * lane);
  }
};

/// Drift and move of a pair, four coordinates a lane: dimensions that four divides and that the
/// lanes hold.
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
    team.tell(row, [&](std::uint32_t i) { return now.order.row(begin + i); });

    typename Team::template Each<Quad, 2> x, s,
        memory; // the first memory, asked for before it is needed
    team.each([&](std::uint32_t lane) {
      const bool mine = 4 * lane < dim;
      STARLING_UNROLL
      for (std::uint32_t i = 0; i < 2; ++i) {
        x.of(lane, i) = mine ? numbers<4>(work.position(row[i]) + 4 * lane) : Quad{};
        memory.of(lane, i) = mine && now.move.memories > 0
                                 ? numbers<4>(work.remembered(row[i], 0) + 4 * lane)
                                 : Quad{};
      }
      const Quad mean = shared.normal && mine
                            ? numbers<4>(const_cast<Real*>(work.target.mean) + 4 * lane)
                            : Quad{};
      STARLING_UNROLL
      for (std::uint32_t i = 0; i < 2; ++i) {
        if (!shared.normal)
          s.of(lane, i) = mine ? numbers<4>(work.s + std::size_t{row[i]} * dim + 4 * lane) : Quad{};
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
    now.move.visit([&](const auto& step, auto memories) {
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
          good &= advance_together<memories()>(work, row[i], 4 * lane, step, x.of(lane, i), g,
                                               &memory.of(lane, i));
        }
        if (!good)
          *work.bad = 1;
      });
    });
  }
};

} // namespace starling::cuda
