// What the roles move: particles as columns, of which only some rows may be here, or on a device.
#pragma once

#include <starling/rows.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>

namespace starling {

/// Any kind of particles. `count()` rows are here, numbered from 0; `population()` is N, all there
/// are, here or elsewhere. A column has a row for each particle that is here; whether the host can
/// reach into it is the column's own affair (see HostParticles). Row order means nothing: `id()`
/// says who a row is, from 0 to N - 1, wherever rows travel.
template <typename P>
concept Particles = requires(P& particles, const P& seen, std::size_t n,
                             std::span<const std::uint32_t> order) {
  typename P::Real;
  { seen.count() } -> std::convertible_to<std::size_t>;
  { seen.population() } -> std::convertible_to<std::size_t>;
  { seen.dim() } -> std::convertible_to<std::size_t>;
  { seen.memories() } -> std::convertible_to<std::size_t>;
  particles.position(); // x_i
  particles.score();    // s_i
  particles.drift();    // Phi_i
  particles.memory(n);  // of the step rule
  particles.moves();    // how often each has moved
  particles.id();
  particles.remember(n);    // makes sure there are n memory columns, zero when new
  particles.reorder(order); // row i becomes what row order[i] was, in all that outlives a step
  particles.make_room_to_travel();
};

/// A column in the host's memory: x[i][a] is a number that can be read, and written where it is not
/// const, however the numbers lie.
template <typename C, typename T>
concept HostColumn = requires(const C& x, std::size_t n) {
  { x[n][n] } -> std::same_as<T&>;
  { x[n].size() } -> std::convertible_to<std::size_t>;
  { x.count } -> std::convertible_to<std::size_t>;
  { x.dim } -> std::convertible_to<std::size_t>;
};

/// Particles that roles written for the host can move; of these numbers, where they are named.
template <typename P, typename... Real>
concept HostParticles = Particles<P> &&(std::same_as<typename P::Real, Real>&&...) &&
                        requires(P& particles, const P& seen, std::size_t n) {
  { particles.position() } -> HostColumn<typename P::Real>;
  { particles.score() } -> HostColumn<typename P::Real>;
  { particles.drift() } -> HostColumn<typename P::Real>;
  { particles.memory(n) } -> HostColumn<typename P::Real>;
  { seen.position() } -> HostColumn<const typename P::Real>;
  { seen.score() } -> HostColumn<const typename P::Real>;
  { seen.drift() } -> HostColumn<const typename P::Real>;
  { particles.moves()[n] } -> std::same_as<std::uint32_t&>;
  { seen.id()[n] } -> std::convertible_to<std::uint64_t>;
};

/// A column whose rows lie one after another, as Ensemble's do.
template <typename C, typename Real>
concept PlainColumn = std::convertible_to<C, Rows<const Real>>;

/// Writes a row's numbers to `to`; returns where the next would go.
template <typename Row, typename Real>
Real* copy_row(const Row& row, Real* to) {
  if constexpr (requires { row.data(); })
    return std::copy_n(row.data(), row.size(), to);
  else
    for (std::size_t a = 0; a < row.size(); ++a)
      *to++ = row[a];
  return to;
}

/// All rows, one after another.
template <typename C, typename Real>
void copy_rows(const C& column, Column<Real>& to) {
  to.resize(column.count * column.dim);
  Real* next = to.data();
  for (std::size_t i = 0; i < column.count; ++i)
    next = copy_row(column[i], next);
}
/// And back again.
template <typename Real, typename C>
void put_rows(const Column<Real>& from, const C& column) {
  for (std::size_t i = 0; i < column.count; ++i)
    for (std::size_t a = 0; a < column.dim; ++a)
      column[i][a] = from[i * column.dim + a];
}

/// The column with its rows one after another: itself where it lies so, else a copy in `room`.
template <typename Real, typename C>
Rows<const Real> plain_rows(const C& column, Column<Real>& room) {
  if constexpr (PlainColumn<C, Real>) {
    return column;
  } else {
    copy_rows(column, room);
    return {room.data(), column.count, column.dim};
  }
}

} // namespace starling
