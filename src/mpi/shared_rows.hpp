// All rows in memory that every rank of a machine sees: what ranks of one machine have instead of
// messages.
#pragma once

#include "cpu/layouts.hpp"
#include "mpi/blocks.hpp"
#include "mpi/wire.hpp"

#include <starling/ensemble.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace starling::mpi {

/// Positions, scores and drifts, in the order of places, then some rows for copies of each rank;
/// and for each row as much as an id takes, for rows that travel.
template <typename Real>
class SharedRows {
public:
  /// Empty where ranks have no memory in common, or batches are so large that copies would take
  /// more of it than rows.
  static std::unique_ptr<SharedRows> open(Wire& wire, const Blocks& blocks, std::size_t dim,
                                          std::size_t largest_batch) {
    if (wire.size() == 1 || largest_batch > blocks.rows() / wire.size())
      return nullptr;
    const std::size_t spare = largest_batch +
                              2 * cpu::widest * std::min(largest_batch, cpu::small_most),
                      numbers = (blocks.rows() + wire.size() * spare) * dim;
    auto memory =
        wire.shared_memory(3 * numbers * sizeof(Real) + blocks.rows() * sizeof(std::uint64_t) +
                           alignof(std::uint64_t));
    if (!memory)
      return nullptr;
    Real* const begin = reinterpret_cast<Real*>(memory.get());
    return std::unique_ptr<SharedRows>(
        new SharedRows(wire, blocks, dim, spare, std::move(memory),
                       {begin, begin + numbers, begin + 2 * numbers}));
  }

  Ensemble<Real> floor; ///< all rows, and behind them those for copies
  Ensemble<Real> all;   ///< all rows

  /// The rows of this rank, zeros.
  Ensemble<Real> here() {
    const std::size_t first = blocks_.first(wire_.rank()), dim = all.dim();
    Ensemble<Real> own(blocks_.rows_of(wire_.rank()), dim,
                       {at(all.position(), first), at(all.score(), first), at(all.drift(), first)});
    for (const Rows<Real> column : {own.position(), own.score(), own.drift()})
      std::fill(column.begin(), column.end(), Real(0));
    return own;
  }
  std::size_t first_spare(std::size_t rank) const { return blocks_.rows() + rank * spare_; }

  /// Row i here becomes what the row of place sources[i] was, in all that outlives a step. Scores
  /// and drifts are lost.
  void travel(std::span<const std::uint32_t> sources, Ensemble<Real>& here) {
    Real* const room = all.score().data;
    through(room, here.position().data, here.dim(), sources);
    for (std::size_t c = 0; c < here.memories(); ++c)
      through(room, here.memory(c).data, here.dim(), sources);
    through(reinterpret_cast<std::uint32_t*>(marks_), here.moves().data(), 1, sources);
    through(marks_, here.id().data(), 1, sources);
  }

private:
  SharedRows(Wire& wire, const Blocks& blocks, std::size_t dim, std::size_t spare,
             std::shared_ptr<std::byte> memory, typename Ensemble<Real>::Lent lent)
      : floor(Ensemble<Real>::bare(blocks.rows() + wire.size() * spare, dim, lent)),
        all(Ensemble<Real>::bare(blocks.rows(), dim, lent)), wire_(wire), blocks_(blocks),
        spare_(spare), memory_(std::move(memory)) {
    void* behind = lent.drift + floor.count() * dim;
    std::size_t room = SIZE_MAX;
    marks_ = static_cast<std::uint64_t*>(
        std::align(alignof(std::uint64_t), sizeof(std::uint64_t), behind, room));
  }
  static Real* at(Rows<Real> column, std::size_t row) { return column.data + row * column.dim; }

  /// Everyone lays out its rows, then takes those it wants.
  template <typename T>
  void through(T* room, T* mine, std::size_t width, std::span<const std::uint32_t> sources) {
    std::memcpy(room + blocks_.first(wire_.rank()) * width, mine,
                sources.size() * width * sizeof(T));
    wire_.meet();
    for (std::size_t i = 0; i < sources.size(); ++i)
      std::memcpy(mine + i * width, room + sources[i] * width, width * sizeof(T));
    wire_.meet();
  }

  Wire& wire_;
  const Blocks& blocks_;
  std::size_t spare_;
  std::shared_ptr<std::byte> memory_;
  std::uint64_t* marks_ = nullptr;
};

} // namespace starling::mpi
