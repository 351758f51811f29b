// Score, drift and move of whole batches in one sweep, for the Gaussian alone: a step is then one
// read and one write of positions and memories. The score of the normal is made on the way; that of
// other targets is in its column.
#pragma once

#include "cuda/sweep_teams.hpp"

#include <type_traits>

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

/// Numbers that lie together, read and written at once: 1, 2 or 4.
template <typename Real, std::uint32_t n>
struct alignas(n * sizeof(Real)) Numbers {
  Real of[n];
};
template <std::uint32_t n, typename Real>
STARLING_DEVICE Numbers<Real, n>& numbers(Real* at) {
  return *reinterpret_cast<Numbers<Real, n>*>(at);
}

/// Lets the memory know that this will be read.
template <typename Real>
STARLING_DEVICE void ask_for([[maybe_unused]] const Real* at) {
#ifdef __CUDA_ARCH__
  asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
#endif
}

/// Moves numbers that lie together, by a step that has `memories` of them each; says whether all are numbers still.
template <std::uint32_t memories, typename Real, std::uint32_t n, typename Step>
STARLING_DEVICE bool advance_together(const Work<Real>& work, const Step& step, std::size_t at, Numbers<Real, n> x,
                                      const Real* g, const Numbers<Real, n>* asked = nullptr) {
  Numbers<Real, n> kept[2] = {};
  STARLING_UNROLL
  for (std::uint32_t c = 0; c < memories; ++c)
    kept[c] = c == 0 && asked ? *asked : numbers<n>(work.memory[c] + at);
  bool good = true;
  STARLING_UNROLL
  for (std::uint32_t k = 0; k < n; ++k) {
    Real own[2] = {kept[0].of[k], kept[1].of[k]};
    x.of[k] += step(g[k], own);
    kept[0].of[k] = own[0];
    kept[1].of[k] = own[1];
    good &= x.of[k] * 0 == 0;
  }
  numbers<n>(work.x + at) = x;
  STARLING_UNROLL
  for (std::uint32_t c = 0; c < memories; ++c)
    numbers<n>(work.memory[c] + at) = kept[c];
  return good;
}

/// Calls f(step, number of memories) for the rule of this turn: asked once, and not for every number.
template <typename Real, typename F>
STARLING_DEVICE void by_rule(const Move<Real>& move, const F& f) {
  if (move.memories == 0)
    f(move.proportional, std::integral_constant<std::uint32_t, 0>());
  else if (move.memories == 1)
    f(move.scaled, std::integral_constant<std::uint32_t, 1>());
  else
    f(move.corrected, std::integral_constant<std::uint32_t, 2>());
}

/// A thread a row, the members of a batch side by side: one or two dimensions, batches of 2, 4, 8 that are all of one size.
/// Everyone finds its own row, and sees the others where they are.
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
      const Numbers<Real, dim> here = numbers<dim>(work.x + at.of(lane, 0));
      const Numbers<Real, dim> score = shared.normal ? Numbers<Real, dim>{} : numbers<dim>(work.s + at.of(lane, 0));
      Real total = 0;
      STARLING_UNROLL
      for (std::uint32_t a = 0; a < dim; ++a) {
        x.of(lane, a) = here.of[a];
        s.of(lane, a) = shared.normal ? shared.form.pull(work.target.mean[a], here.of[a]) : score.of[a];
        total += s.of(lane, a);
      }
      STARLING_UNROLL
      for (std::uint32_t a = 0; a < dim; ++a) {
        if (shared.normal && shared.form.share != 0)
          s.of(lane, a) = shared.form.shared(s.of(lane, a), total);
        g.of(lane, a) = shared.self * s.of(lane, a);
      }
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
    by_rule(now.move, [&](const auto& step, auto memories) {
      team.each([&](std::uint32_t lane) {
        Numbers<Real, dim> here;
        Real drift[dim];
        STARLING_UNROLL
        for (std::uint32_t a = 0; a < dim; ++a) {
          here.of[a] = x.of(lane, a);
          drift[a] = g.of(lane, a);
        }
        if (!advance_together<memories()>(work, step, at.of(lane, 0), here, drift))
          *work.bad = 1;
      });
    });
  }
};

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
      all.of(lane, 0) = shared.self;
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
        u.of(lane, n) -= (x.of(lane, n) - team.see(x, lane % 4, n)) * shared.inverse;
        g.of(lane, n) = shared.self * u.of(lane, n);
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
