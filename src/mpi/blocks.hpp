// Where rows live: places in blocks, blocks on ranks. Nobody but the wire knows of ranks.
#pragma once

#include <starling/error.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace starling::mpi {

/// `rows` places in `count` blocks of near-equal size, which `ranks` ranks hold in turn.
class Blocks {
public:
  Blocks(std::size_t rows, std::size_t count, std::size_t ranks);

  std::size_t rows() const { return rows_; }
  std::size_t count() const { return count_; }
  /// The first place of a block; begin(count()) is the end.
  std::size_t begin(std::size_t block) const { return block * rows_ / count_; }
  /// The first block of a rank; first_block(ranks) is the end.
  std::size_t first_block(std::size_t rank) const { return rank * count_ / (starts_.size() - 1); }
  /// The first place of a rank.
  std::size_t first(std::size_t rank) const { return starts_[rank]; }
  std::size_t rows_of(std::size_t rank) const { return starts_[rank + 1] - starts_[rank]; }

  std::size_t ranks() const { return starts_.size() - 1; }

  std::size_t rank_of(std::uint32_t place) const {
    std::size_t r = guess_[place >> shift_]; // or one of the next
    while (place >= starts_[r + 1])
      ++r;
    return r;
  }

  /// Whether every rank has a row.
  bool all_have_rows() const;
  /// Bytes of each rank's rows, of so many each.
  std::vector<std::size_t> bytes(std::size_t a_row) const;

private:
  std::size_t rows_, count_;
  std::vector<std::size_t> starts_;  // of each rank, and the end
  std::vector<std::uint32_t> guess_; // of each stretch of 2^shift places, the rank of its first
  unsigned shift_ = 0;
};

/// work(begin, end) for each block of a rank that has rows, or for all of them at once. A target
/// counts rows of what it was given.
template <typename Work>
void by_blocks(const Blocks& blocks, std::size_t rank, bool at_once, Work&& work) {
  const auto call = [&](std::size_t begin, std::size_t end) {
    try {
      if (begin < end)
        work(begin, end);
    } catch (const TargetError& error) {
      throw TargetError(error.step(), begin + error.particle(), error.cause());
    }
  };
  const std::size_t first = blocks.first_block(rank), last = blocks.first_block(rank + 1);
  if (at_once)
    return call(blocks.begin(first), blocks.begin(last));
  for (std::size_t b = first; b < last; ++b)
    call(blocks.begin(b), blocks.begin(b + 1));
}

} // namespace starling::mpi
