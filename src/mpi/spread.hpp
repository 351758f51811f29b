// Rows spread over ranks: the whole cloud from its parts, its parts from the whole, and rows that
// travel.
#pragma once

#include "mpi/blocks.hpp"
#include "mpi/wire.hpp"

#include <starling/ensemble.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace starling::mpi {

enum class To { first, everyone };

/// A column's rows of all ranks, in the order of places, to rank 0 or to everyone.
template <typename T>
void bring(Wire& wire, const Blocks& blocks, std::span<const T> mine, std::span<T> all,
           std::size_t width, To whom) {
  const std::vector<std::size_t> sizes = blocks.bytes(width * sizeof(T));
  if (whom == To::everyone)
    wire.all_gather(std::as_bytes(mine), std::as_writable_bytes(all), sizes);
  else
    wire.gather(std::as_bytes(mine), std::as_writable_bytes(all), sizes);
}

template <typename Real>
std::span<const Real> flat(Rows<const Real> rows) {
  return {rows.data, rows.size()};
}
template <typename Real>
std::span<Real> flat(Rows<Real> rows) {
  return {rows.data, rows.size()};
}

/// A column's bytes of all ranks, in the order of places, to take(bytes) on rank 0, a few at a
/// time.
template <typename Take>
void stream(Wire& wire, const Blocks& blocks, std::span<const std::byte> mine, std::size_t a_row,
            Take&& take) {
  constexpr std::size_t few = std::size_t{1} << 22;
  const std::vector<std::size_t> sizes = blocks.bytes(a_row);
  std::vector<std::byte> arrived(wire.first() ? few : 0);
  std::vector<std::size_t> sent(wire.size()), received(wire.size());
  if (wire.first())
    take(mine);
  for (std::size_t r = 1; r < wire.size(); ++r)
    for (std::size_t begin = 0, count; begin < sizes[r]; begin += count) {
      count = std::min(few, sizes[r] - begin);
      sent[0] = r == wire.rank() ? count : 0;
      received.assign(wire.size(), 0);
      received[r] = wire.first() ? count : 0;
      wire.exchange(r == wire.rank() ? mine.subspan(begin, count) : std::span<const std::byte>(),
                    sent, std::span(arrived).first(received[r]), received);
      if (wire.first())
        take(std::span<const std::byte>(arrived).first(count));
    }
}

/// Row i here becomes what the row of place sources[i] was, in all that outlives a step. Who needs
/// a row asks for it.
template <typename Real>
void travel(Wire& wire, const Blocks& blocks, std::span<const std::uint32_t> sources,
            Ensemble<Real>& here);

/// The rows of these places, in this order, to everyone, who all ask for the same.
template <typename Real>
void bring_rows(Wire& wire, const Blocks& blocks, std::span<const std::uint32_t> places,
                Rows<const Real> here, Rows<Real> rows);

/// The rows of these places, in rising order, to the same places of `all` on rank 0.
template <typename Real>
void bring_to_first(Wire& wire, const Blocks& blocks, std::span<const std::uint32_t> places,
                    Rows<const Real> here, Rows<Real> all);

} // namespace starling::mpi
