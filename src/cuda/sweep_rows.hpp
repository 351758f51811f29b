// Sweeps whose index is a row, a place or a number, one thread each.
//
// A sweep holds its Work by value, as a launch needs it, or, inside another sweep, by reference.
#pragma once

#include "cuda/work.hpp"

#include <starling/random/scramble.hpp>

namespace starling::cuda {

/// Writes down who stands at a place.
template <typename Real, typename Held = Work<Real>>
struct LayOut {
  Held work;
  std::uint32_t turn;

  STARLING_DEVICE void operator()(std::uint32_t place) const {
    work.order[place] = work.turns[turn].order.row(place);
  }
};

/// Scores a row; its drift, which is made anew afterwards, is the room.
template <typename Real, typename Held = Work<Real>>
struct ScoreRow {
  Held work;

  STARLING_DEVICE void operator()(std::uint32_t row) const {
    const std::size_t at = std::size_t{row} * work.dim;
    work.target(work.x + at, work.s + at, work.dim, work.g + at);
  }
};

/// The drift of the one at a place, by a loop over its batch. Its own numbers are held by the
/// thread, so `most`, at least the dimension, is known when it is compiled. The order has been
/// written down.
template <typename Real, std::uint32_t most, typename Held = Work<Real>>
struct DriftAtPlace {
  Held work;
  std::uint32_t turn;

  STARLING_DEVICE void operator()(std::uint32_t place) const {
    const Turn<Real>& now = work.turns[turn];
    const std::uint32_t batch = now.order.batch_of(place), begin = now.order.begin(batch),
                        size = now.order.size(batch), dim = work.dim;
    const Real pair = now.pair_weight(size), inverse = *work.inverse;
    const std::size_t own = std::size_t{work.order[place]} * dim;
    Real x[most], g[most], lift = 0;
    STARLING_UNROLL
    for (std::uint32_t a = 0; a < most; ++a) {
      x[a] = a < dim ? work.x[own + a] : Real(0);
      g[a] = 0;
    }
    for (std::uint32_t m = 0; m < size; ++m) {
      const bool self = begin + m == place;
      const std::size_t other = std::size_t{work.order[begin + m]} * dim;
      Real away[most], r2 = 0, product = 0;
      STARLING_UNROLL
      for (std::uint32_t a = 0; a < most; ++a) {
        const Real y = a < dim ? work.x[other + a] : Real(0);
        away[a] = x[a] - y;
        r2 += away[a] * away[a];
        product += x[a] * y;
      }
      const PairWeights<Real> w =
          self ? work.pairs.at_self(product, inverse) : work.pairs.at(r2, product, inverse);
      const Real c = self ? now.self : pair, weight = c * w.weight, repulsion = c * w.repulsion;
      STARLING_UNROLL
      for (std::uint32_t a = 0; a < most; ++a)
        g[a] += weight * (a < dim ? work.s[other + a] : Real(0)) + repulsion * away[a];
      lift += c * w.lift;
    }
    STARLING_UNROLL
    for (std::uint32_t a = 0; a < most; ++a)
      if (a < dim)
        work.g[own + a] = g[a] + lift * x[a];
  }
};

/// Moves one coordinate, and says so when it is no number any more.
template <typename Real, typename Held>
STARLING_DEVICE void advance_number(const Held& work, const Move<Real>& move, std::size_t n, Real x,
                                    Real g) {
  Real memory[2] = {};
  STARLING_UNROLL
  for (std::uint32_t c = 0; c < 2; ++c)
    if (c < move.memories)
      memory[c] = work.memory[c][n];
  x += move(g, memory);
  work.x[n] = x;
  STARLING_UNROLL
  for (std::uint32_t c = 0; c < 2; ++c)
    if (c < move.memories)
      work.memory[c][n] = memory[c];
  if (x * 0 != 0) // 0 for numbers, NaN for the rest; all who write, write the same
    *work.bad = 1;
}

template <typename Real, typename Held = Work<Real>>
struct Advance {
  Held work;
  std::uint32_t turn;

  STARLING_DEVICE void operator()(std::size_t n) const {
    advance_number(work, work.turns[turn].move, n, work.x[n], work.g[n]);
  }
};

/// Rows of the first places, one after another, for a look.
template <typename Real>
struct Gather {
  Work<Real> work;
  Real *x, *s, *g;

  STARLING_DEVICE void operator()(std::size_t n) const {
    const std::size_t from = std::size_t{work.order[n / work.dim]} * work.dim + n % work.dim;
    x[n] = work.x[from];
    s[n] = work.s[from];
    g[n] = work.g[from];
  }
};

/// Rows of two columns side by side, or taken apart again, by words.
template <typename Word>
struct SideBySide {
  Word *both, *first, *second;
  std::uint32_t width;
  bool apart;

  STARLING_DEVICE void operator()(std::size_t n) const {
    const std::size_t at = n / width * width + n; // 2 width n / width, then n % width
    if (apart) {
      first[n] = both[at];
      second[n] = both[at + width];
    } else {
      both[at] = first[n];
      both[at + width] = second[n];
    }
  }
};

/// A row of a column travels: row i becomes what row scramble(i) was. `Word` divides the row's
/// bytes.
template <typename Word>
struct TravelRow {
  Word* to;
  const Word* from;
  std::uint32_t width; ///< words of a row
  Scramble order;

  STARLING_DEVICE void operator()(std::size_t n) const {
    const auto row = static_cast<std::uint32_t>(n / width);
    to[n] = from[std::size_t{order(row)} * width + n % width];
  }
};

/// The same by an order that was made on the host.
template <typename Word>
struct TravelByList {
  Word* to;
  const Word* from;
  std::uint32_t width;
  const std::uint32_t* order;

  STARLING_DEVICE void operator()(std::size_t n) const {
    to[n] = from[std::size_t{order[n / width]} * width + n % width];
  }
};

} // namespace starling::cuda
