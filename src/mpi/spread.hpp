// Rows spread over ranks: the whole cloud from its parts, its parts from the whole, and rows that travel.
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
void bring(Wire& wire, const Blocks& blocks, std::span<const T> mine, std::span<T> all, std::size_t width, To whom) {
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

/// All that outlives a step.
template <typename Real>
void bring_state(Wire& wire, const Blocks& blocks, const Ensemble<Real>& here, Ensemble<Real>& all, To whom) {
  bring<Real>(wire, blocks, flat(here.position()), flat(all.position()), here.dim(), whom);
  all.remember(here.memories());
  for (std::size_t c = 0; c < here.memories(); ++c)
    bring<Real>(wire, blocks, flat(here.memory(c)), flat(all.memory(c)), here.dim(), whom);
  bring<std::uint32_t>(wire, blocks, here.moves(), all.moves(), 1, whom);
  bring<std::uint64_t>(wire, blocks, here.id(), all.id(), 1, whom);
}

/// This rank's rows of a whole cloud.
template <typename Real>
void take_part(const Ensemble<Real>& all, std::size_t first, Ensemble<Real>& here) {
  const auto part = [&](Rows<const Real> from, Rows<Real> to) {
    std::copy_n(from.data + first * from.dim, to.size(), to.data);
  };
  part(all.position(), here.position());
  here.remember(all.memories());
  for (std::size_t c = 0; c < all.memories(); ++c)
    part(all.memory(c), here.memory(c));
  std::copy_n(all.moves().begin() + std::ptrdiff_t(first), here.count(), here.moves().begin());
  std::copy_n(all.id().begin() + std::ptrdiff_t(first), here.count(), here.id().begin());
}

/// Row i here becomes what the row of place sources[i] was, in all that outlives a step. Who needs a row asks for it.
template <typename Real>
void travel(Wire& wire, const Blocks& blocks, std::span<const std::uint32_t> sources, Ensemble<Real>& here);

/// The rows of these places, in this order, to everyone, who all ask for the same.
template <typename Real>
void bring_rows(Wire& wire, const Blocks& blocks, std::span<const std::uint32_t> places, Rows<const Real> here, Rows<Real> rows);

/// The rows of these places, in rising order, to the same places of `all` on rank 0.
template <typename Real>
void bring_to_first(Wire& wire, const Blocks& blocks, std::span<const std::uint32_t> places, Rows<const Real> here, Rows<Real> all);

} // namespace starling::mpi
