// Score, drift and move of whole batches in one sweep, for the Gaussian alone: a step is then one
// read and one write of positions and memories. The score of the normal is made on the way; that of
// other targets is in its column.
#pragma once

#include "cuda/numbers.hpp"
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

  template <typename Held>
  STARLING_DEVICE Shared(const Held& work, const Turn<Real>& now)
      : normal(work.target.kind == Scoring<Real>::Kind::normal), form(work.target.normal),
        gaussian(work.pairs.terms[0].Gaussian), inverse(*work.inverse),
        height(work.pairs.terms[0].weight *
               (work.pairs.terms[0].paper_height ? std::sqrt(inverse) : Real(1))),
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

/// Lets the memory know that this will be read.
template <typename Real>
STARLING_DEVICE void ask_for([[maybe_unused]] const Real* at) {
#ifdef __CUDA_ARCH__
  asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
#endif
}

/// Moves numbers that lie together, by a step that has `memories` of them each; says whether all
/// are numbers still.
template <std::uint32_t memories, typename Real, std::uint32_t n, typename Step>
STARLING_DEVICE bool advance_together(const Work<Real>& work, std::uint32_t row, std::uint32_t a,
                                      const Step& step, Numbers<Real, n> x, const Real* g,
                                      const Numbers<Real, n>* asked = nullptr) {
  Numbers<Real, n> kept[2] = {};
  STARLING_UNROLL
  for (std::uint32_t c = 0; c < memories; ++c)
    kept[c] = c == 0 && asked ? *asked : numbers<n>(work.remembered(row, c) + a);
  Real lost = 0;
  STARLING_UNROLL
  for (std::uint32_t k = 0; k < n; ++k) {
    Real own[2] = {kept[0].of[k], kept[1].of[k]};
    x.of[k] += step(g[k], own);
    kept[0].of[k] = own[0];
    kept[1].of[k] = own[1];
    lost += x.of[k] * 0;
  }
  numbers<n>(work.position(row) + a) = x;
  STARLING_UNROLL
  for (std::uint32_t c = 0; c < memories; ++c)
    numbers<n>(work.remembered(row, c) + a) = kept[c];
  return lost == 0;
}

/// A thread a row, the members of a batch side by side: one or two dimensions, batches of 2, 4, 8
/// that are all of one size. Everyone finds its own row, and sees the others where they are.
template <typename Real, std::uint32_t members, std::uint32_t dim>
struct FusedMates {
  using Some = Numbers<Real, dim>;
  using Both = Numbers<Real, 2 * dim>; ///< position and memory, side by side

  Work<Real> work;
  Turn<Real> now;

  template <typename Team>
  STARLING_DEVICE void operator()(const Team& team, std::uint32_t batch) const {
    static_assert(Team::lanes == members);
    const Shared<Real> shared(work, now);
    typename Team::template Each<Real, dim> x, s, g;
    typename Team::template Each<Some, 1> memory; // the first, asked for before it is needed
    typename Team::template Each<std::uint32_t, 1> row;
    team.each([&](std::uint32_t lane) {
      row.of(lane, 0) = now.order.row(batch * members + lane);
      Some here;
      if (work.side_by_side()) {
        const Both both = numbers<2 * dim>(work.position(row.of(lane, 0)));
        STARLING_UNROLL
        for (std::uint32_t a = 0; a < dim; ++a) {
          here.of[a] = both.of[a];
          memory.of(lane, 0).of[a] = both.of[dim + a];
        }
      } else {
        here = numbers<dim>(work.position(row.of(lane, 0)));
        if (now.move.memories > 0)
          memory.of(lane, 0) = numbers<dim>(work.remembered(row.of(lane, 0), 0));
      }
      const Some score =
          shared.normal ? Some{} : numbers<dim>(work.s + std::size_t{row.of(lane, 0)} * dim);
      Real total = 0;
      STARLING_UNROLL
      for (std::uint32_t a = 0; a < dim; ++a) {
        x.of(lane, a) = here.of[a];
        s.of(lane, a) =
            shared.normal ? shared.form.pull(work.target.mean[a], here.of[a]) : score.of[a];
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
    now.move.visit([&](const auto& step, auto memories) {
      team.each([&](std::uint32_t lane) {
        Some here;
        Real drift[dim];
        STARLING_UNROLL
        for (std::uint32_t a = 0; a < dim; ++a) {
          here.of[a] = x.of(lane, a);
          drift[a] = g.of(lane, a);
        }
        bool good;
        if (memories() == 1 && work.side_by_side())
          good = advance_both(step, row.of(lane, 0), here, memory.of(lane, 0), drift);
        else
          good = advance_together<memories()>(work, row.of(lane, 0), 0, step, here, drift,
                                              &memory.of(lane, 0));
        if (!good)
          *work.bad = 1;
      });
    });
  }

private:
  template <typename Step>
  STARLING_DEVICE bool advance_both(const Step& step, std::uint32_t row, const Some& x,
                                    const Some& memory, const Real* g) const {
    Both both;
    Real lost = 0;
    STARLING_UNROLL
    for (std::uint32_t a = 0; a < dim; ++a) {
      Real own[2] = {memory.of[a], Real(0)};
      both.of[a] = x.of[a] + step(g[a], own);
      both.of[dim + a] = own[0];
      lost += both.of[a] * 0;
    }
    numbers<2 * dim>(work.position(row)) = both;
    return lost == 0;
  }
};

/// Who stands at a place.
template <typename Real>
STARLING_DEVICE std::uint32_t row_at(const Work<Real>&, const Order& order, std::uint32_t place) {
  return order.row(place);
}

/// Any dimension: a batch of at most `members`, at most `kept` coordinates a lane.
template <typename Real, std::uint32_t members, std::uint32_t kept, typename Held = Work<Real>,
          typename Now = Turn<Real>>
struct FusedBatch {
  Held work;
  Now now;
  std::uint32_t first; ///< the first batch, which has number 0 here

  template <typename Team>
  STARLING_DEVICE void operator()(const Team& team, std::uint32_t index) const {
    const std::uint32_t batch = first + index, begin = now.order.begin(batch),
                        size = now.order.size(batch), dim = work.dim;
    const Shared<Real> shared(work, now);
    const Real pair = now.pair_weight(size);
    std::uint32_t row[members];
    team.tell(row,
              [&](std::uint32_t i) { return row_at(work, now.order, begin + (i < size ? i : 0)); });
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
