// Score, drift and move of whole batches in one sweep, for the Gaussian alone: a step is then one
// read and one write of positions and memories. The score of the normal is made on the way; that of
// other targets is in its column.
#pragma once

#include "cuda/sweep_teams.hpp"

namespace starling::cuda {

/// What every batch of a step shares.
template <typename Real>
struct Shared {
  bool normal;
  EvenNormalForm<Real> form;
  kernel::Gaussian<Real> gaussian;
  Real inverse, height, self;

  STARLING_DEVICE Shared(const Work<Real>& work, const Turn<Real>& now)
      : normal(work.target.kind == Scoring<Real>::Kind::normal), form(work.target.normal),
        gaussian(work.pairs.terms[0].gaussian), inverse(*work.inverse),
        height(work.pairs.terms[0].weight *
               (work.pairs.terms[0].sinks ? std::sqrt(inverse) : Real(1))),
        self(now.self * height * gaussian.at_distance(Real(0)).weight) {}

  /// The weight of a pair, times c; its repulsion is `inverse` times that.
  STARLING_DEVICE Real weight(Real r2, Real c) const {
    return c * height * gaussian.at_distance(r2 * inverse).weight;
  }
  /// Both.
  STARLING_DEVICE PairWeights<Real> at(Real r2, Real c) const {
    const PairWeights<Real> w = gaussian.at_distance(r2 * inverse);
    return {c * height * w.weight, c * height * w.repulsion * inverse, Real(0)};
  }
};

/// A thread a row, the members of a batch side by side: few dimensions, batches of 2, 4, 8 ... that
/// are all of one size. Everyone finds its own row, and sees the others where they are.
template <typename Real, std::uint32_t members, std::uint32_t dim>
struct FusedMates {
  Work<Real> work;
  Turn<Real> now;

  template <typename Team>
  STARLING_DEVICE void operator()(const Team& team, std::uint32_t batch) const {
    static_assert(Team::lanes == members);
    const Shared<Real> shared(work, now);
    typename Team::template Each<Real, dim> x, s, g;
    typename Team::template Each<std::size_t, 1> at;
    team.each([&](std::uint32_t lane) {
      at.of(lane, 0) = std::size_t{now.order.row(batch * members + lane, work.tables)} * dim;
      Real total = 0;
      STARLING_UNROLL
      for (std::uint32_t a = 0; a < dim; ++a) {
        x.of(lane, a) = work.x[at.of(lane, 0) + a];
        s.of(lane, a) = shared.normal ? shared.form.pull(work.target.mean[a], x.of(lane, a))
                                      : work.s[at.of(lane, 0) + a];
        total += s.of(lane, a);
      }
      if (shared.normal && shared.form.share != 0)
        STARLING_UNROLL
      for (std::uint32_t a = 0; a < dim; ++a)
        s.of(lane, a) = shared.form.shared(s.of(lane, a), total);
      STARLING_UNROLL
      for (std::uint32_t a = 0; a < dim; ++a)
        g.of(lane, a) = shared.self * s.of(lane, a);
    });
    STARLING_UNROLL
    for (std::uint32_t step = 1; step < members; ++step)
      team.each([&](std::uint32_t lane) {
        const std::uint32_t other = lane ^ step;
        Real away[dim], r2 = 0;
        STARLING_UNROLL
        for (std::uint32_t a = 0; a < dim; ++a) {
          away[a] = x.of(lane, a) - team.see(x, other, a);
          r2 += away[a] * away[a];
        }
        const PairWeights<Real> w = shared.at(r2, now.pair_smaller);
        STARLING_UNROLL
        for (std::uint32_t a = 0; a < dim; ++a)
          g.of(lane, a) += w.weight * team.see(s, other, a) + w.repulsion * away[a];
      });
    team.each([&](std::uint32_t lane) {
      STARLING_UNROLL
      for (std::uint32_t a = 0; a < dim; ++a)
        advance_number(work, now.move, at.of(lane, 0) + a, x.of(lane, a), g.of(lane, a));
    });
  }
};

/// Four numbers that lie together, read and written at once.
template <typename Real>
struct alignas(4 * sizeof(Real)) Quad {
  Real of[4];
};
template <typename Real>
STARLING_DEVICE Quad<Real>& quad(Real* at) {
  return *reinterpret_cast<Quad<Real>*>(at);
}

/// Drift and move of a batch of at most `members`, four coordinates a lane: dimensions that four
/// divides and that the lanes hold. With y = x - x_0, which is small where the batch is together,
/// and u = s - y/h,
///     phi_i = self s_i + sum_j w_ij u_j + y_i/h sum_j w_ij,
/// so that a pair costs one sum and two products a coordinate.
template <typename Real, std::uint32_t members>
struct FusedQuads {
  static constexpr std::uint32_t pairs = members * (members - 1) / 2;
  static constexpr bool asks_early = members == 2; ///< for memories, before they are needed

  Work<Real> work;
  Turn<Real> now;
  std::uint32_t first; ///< the first batch, which has number 0 here

  template <typename Team>
  STARLING_DEVICE void operator()(const Team& team, std::uint32_t index) const {
    const std::uint32_t batch = first + index, begin = now.order.begin(batch),
                        size = now.order.size(batch), dim = work.dim;
    const Shared<Real> shared(work, now);
    const Real pair = now.pair_weight(size);
    std::uint32_t row[members];
    team.tell(row, [&](std::uint32_t i) {
      return now.order.row(begin + (i < size ? i : 0), work.tables);
    });
    const auto at = [&](std::uint32_t i, std::uint32_t lane) {
      return std::size_t{row[i]} * dim + 4 * lane;
    };

    typename Team::template Each<Quad<Real>, members> x, u; // u is the score at first
    typename Team::template Each<Quad<Real>, asks_early ? members : 1> memory;
    team.each([&](std::uint32_t lane) {
      const bool mine = 4 * lane < dim;
      STARLING_UNROLL
      for (std::uint32_t i = 0; i < members; ++i)
        x.of(lane, i) = mine && i < size ? quad(work.x + at(i, lane)) : Quad<Real>{};
      if (asks_early && now.move.memories == 1)
        STARLING_UNROLL
      for (std::uint32_t i = 0; i < members; ++i)
        memory.of(lane, i) = mine ? quad(work.memory[0] + at(i, lane)) : Quad<Real>{};
      const Quad<Real> mean = shared.normal && mine
                                  ? quad(const_cast<Real*>(work.target.mean) + 4 * lane)
                                  : Quad<Real>{};
      STARLING_UNROLL
      for (std::uint32_t i = 0; i < members; ++i) {
        const bool there = mine && i < size;
        if (!shared.normal)
          u.of(lane, i) = there ? quad(work.s + at(i, lane)) : Quad<Real>{};
        else
          STARLING_UNROLL
        for (std::uint32_t k = 0; k < 4; ++k)
          u.of(lane, i).of[k] = there ? shared.form.pull(mean.of[k], x.of(lane, i).of[k]) : Real(0);
      }
    });
    if (shared.normal && shared.form.share != 0)
      STARLING_UNROLL
    for (std::uint32_t i = 0; i < members; ++i) {
      const Real total = team.sum([&](std::uint32_t lane) {
        const Quad<Real>& own = u.of(lane, i);
        return (own.of[0] + own.of[1]) + (own.of[2] + own.of[3]);
      });
      team.each([&](std::uint32_t lane) {
        STARLING_UNROLL
        for (std::uint32_t k = 0; k < 4; ++k)
          u.of(lane, i).of[k] = shared.form.shared(u.of(lane, i).of[k], total);
      });
    }

    Real weight[pairs]; // of i < j
    const auto number = [](std::uint32_t i, std::uint32_t j) {
      return i * (2 * members - i - 1) / 2 + j - i - 1;
    };
    team.tell_sums(
        weight,
        [&](std::uint32_t lane, std::uint32_t n) {
          std::uint32_t i = 0;
          STARLING_UNROLL
          for (std::uint32_t next = 1; next + 1 < members; ++next)
            if (n >= number(next, next + 1))
              i = next;
          const std::uint32_t j = n - number(i, i + 1) + i + 1;
          Real sum = 0;
          STARLING_UNROLL
          for (std::uint32_t k = 0; k < 4; ++k) {
            const Real away = x.of(lane, i).of[k] - x.of(lane, j).of[k];
            sum += away * away;
          }
          return sum;
        },
        [&](Real r2) { return shared.weight(r2, pair); });
    team.each([&](std::uint32_t lane) {
      STARLING_UNROLL
      for (std::uint32_t i = members; i-- > 0;)
        STARLING_UNROLL
      for (std::uint32_t k = 0; k < 4; ++k)
        u.of(lane, i).of[k] -= (x.of(lane, i).of[k] - x.of(lane, 0).of[k]) * shared.inverse;
    });
    team.each([&](std::uint32_t lane) {
      if (4 * lane >= dim)
        return;
      bool bad = false;
      const Quad<Real> origin = x.of(lane, 0);
      STARLING_UNROLL
      for (std::uint32_t i = 0; i < members; ++i) {
        if (i >= size)
          continue;
        Quad<Real> kept[2] = {};
        STARLING_UNROLL
        for (std::uint32_t c = 0; c < 2; ++c)
          if (c < now.move.memories)
            kept[c] = asks_early && now.move.memories == 1 ? memory.of(lane, asks_early ? i : 0)
                                                           : quad(work.memory[c] + at(i, lane));
        Quad<Real> sum{};
        Real all = shared.self;
        STARLING_UNROLL
        for (std::uint32_t j = 0; j < members; ++j) {
          const Real w = j == i      ? shared.self
                         : j >= size ? Real(0)
                                     : weight[i < j ? number(i, j) : number(j, i)];
          all += j == i ? Real(0) : w;
          STARLING_UNROLL
          for (std::uint32_t k = 0; k < 4; ++k)
            sum.of[k] += w * u.of(lane, j).of[k];
        }
        Quad<Real> here = x.of(lane, i);
        STARLING_UNROLL
        for (std::uint32_t k = 0; k < 4; ++k) {
          const Real g = sum.of[k] + (here.of[k] - origin.of[k]) * (shared.inverse * all);
          Real own[2] = {kept[0].of[k], kept[1].of[k]};
          here.of[k] += now.move(g, own);
          kept[0].of[k] = own[0];
          kept[1].of[k] = own[1];
          bad |= here.of[k] * 0 != 0;
        }
        quad(work.x + at(i, lane)) = here;
        STARLING_UNROLL
        for (std::uint32_t c = 0; c < 2; ++c)
          if (c < now.move.memories)
            quad(work.memory[c] + at(i, lane)) = kept[c];
      }
      if (bad)
        *work.bad = 1;
    });
  }
};

/// The same for any dimension: a batch of at most `members`, at most `kept` coordinates a lane.
template <typename Real, std::uint32_t members, std::uint32_t kept>
struct FusedBatch {
  Work<Real> work;
  Turn<Real> now;
  std::uint32_t first; ///< the first batch, which has number 0 here

  template <typename Team>
  STARLING_DEVICE void operator()(const Team& team, std::uint32_t index) const {
    const std::uint32_t batch = first + index, begin = now.order.begin(batch),
                        size = now.order.size(batch), dim = work.dim;
    const Shared<Real> shared(work, now);
    const Real pair = now.pair_weight(size);
    std::uint32_t row[members];
    team.tell(row, [&](std::uint32_t i) {
      return now.order.row(begin + (i < size ? i : 0), work.tables);
    });
    const auto at = [&](std::uint32_t i) { return std::size_t{row[i]} * dim; };

    typename Team::template Each<Real, members * kept> x, s, g;
    team.each([&](std::uint32_t lane) {
      STARLING_UNROLL
      for (std::uint32_t k = 0; k < kept; ++k) {
        const std::uint32_t a = lane + k * Team::lanes;
        const Real mean = shared.normal && a < dim ? work.target.mean[a] : Real(0);
        STARLING_UNROLL
        for (std::uint32_t i = 0; i < members; ++i) {
          const bool there = a < dim && i < size;
          x.of(lane, i * kept + k) = there ? work.x[at(i) + a] : Real(0);
          s.of(lane, i * kept + k) = !there ? Real(0)
                                     : shared.normal
                                         ? shared.form.pull(mean, x.of(lane, i * kept + k))
                                         : work.s[at(i) + a];
        }
      }
    });
    if (shared.normal && shared.form.share != 0)
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
          s.of(lane, i * kept + k) = shared.form.shared(s.of(lane, i * kept + k), total);
      });
    }
    team.each([&](std::uint32_t lane) {
      STARLING_UNROLL
      for (std::uint32_t n = 0; n < members * kept; ++n)
        g.of(lane, n) = shared.self * s.of(lane, n);
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
      const PairWeights<Real> w = shared.at(r2, j < size ? pair : Real(0));
      team.each([&](std::uint32_t lane) {
        STARLING_UNROLL
        for (std::uint32_t k = 0; k < kept; ++k) {
          const std::uint32_t one = i * kept + k, other = j * kept + k;
          const Real push = w.repulsion * (x.of(lane, one) - x.of(lane, other));
          g.of(lane, one) += w.weight * s.of(lane, other) + push;
          g.of(lane, other) += w.weight * s.of(lane, one) - push;
        }
      });
    }
    team.each([&](std::uint32_t lane) {
      STARLING_UNROLL
      for (std::uint32_t i = 0; i < members; ++i)
        STARLING_UNROLL
      for (std::uint32_t k = 0; k < kept; ++k)
        if (const std::uint32_t a = lane + k * Team::lanes; a < dim && i < size)
          advance_number(work, now.move, at(i) + a, x.of(lane, i * kept + k),
                         g.of(lane, i * kept + k));
    });
  }
};

} // namespace starling::cuda
