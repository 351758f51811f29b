// The order of the cosets of a subspace of F_2^n: batches of 2^k rows among 2^n.
#pragma once

#include <starling/device.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace starling {

/// The basis is reduced: the leading bit of each vector, its pivot, is in no other. Batch q has one
/// row without pivots, which holds the bits of q at the other places; member m of a batch is that
/// row xor the vectors of the bits of m.
struct CosetsOrder {
  std::uint32_t dim = 0, pivots = 0;
  std::uint32_t basis[32] = {};

  std::uint32_t size() const { return std::uint32_t{1} << dim; }

  /// Adds v to the basis, unless it is in its span already.
  bool join(std::uint32_t v) {
    for (std::uint32_t j = 0; j < dim; ++j)
      v = std::min(v, v ^ basis[j]); // clears the pivot of basis[j], if v has it
    if (v == 0)
      return false;
    const std::uint32_t leading = std::bit_floor(v);
    for (std::uint32_t j = 0; j < dim; ++j)
      if (basis[j] & leading)
        basis[j] ^= v;
    basis[dim++] = v;
    pivots |= leading;
    return true;
  }

  STARLING_DEVICE std::uint32_t row(std::uint32_t place) const {
    std::uint32_t row = place, among = 0;
    for (std::uint32_t j = 0; j < dim; ++j, row >>= 1)
      among ^= basis[j] & (0 - (row & 1));
    for (std::uint32_t rest = pivots; rest != 0; rest &= rest - 1)
      row += row & (0 - (rest & (0 - rest))); // all from the pivot on makes room for it
    return row ^ among;
  }

  STARLING_DEVICE std::uint32_t place(std::uint32_t row) const {
    std::uint32_t member = 0, least = row;
    for (std::uint32_t j = 0; j < dim; ++j)
      if (row & basis[j] & pivots) { // the pivot of basis[j]
        member |= std::uint32_t{1} << j;
        least ^= basis[j];
      }
    for (std::uint32_t rest = pivots; rest != 0;) { // the places of pivots close again
      const std::uint32_t pivot = rest & (0 - rest);
      least = (least & (pivot - 1)) | (least >> 1 & ~(pivot - 1));
      rest = (rest & ~pivot) >> 1;
    }
    return least << dim | member;
  }

  /// Batches [begin, end), one after another.
  void fill(std::size_t begin, std::size_t end, std::uint32_t* to) const {
    if (begin >= end)
      return;
    const std::uint32_t least = row(static_cast<std::uint32_t>(begin << dim));
    *to = least; // the first batch: doubled by each vector
    for (std::uint32_t j = 0, known = 1; j < dim; ++j, known *= 2)
      for (std::uint32_t m = 0; m < known; ++m)
        to[known + m] = to[m] ^ basis[j];
    if (dim == 2)
      repeat<4>(to, least, end - begin);
    else if (dim == 3)
      repeat<8>(to, least, end - begin);
    else
      repeat(to, least, end - begin);
  }

private:
  /// The batches after the first. Their size is a constant where given, and becomes vectors.
  template <std::size_t Size>
  void repeat(std::uint32_t* rows, std::uint32_t least, std::size_t count) const {
    std::uint32_t vectors[Size]; // of the subspace: a copy that the rows cannot overlap
    for (std::size_t m = 0; m < Size; ++m)
      vectors[m] = rows[m] ^ least;
    for (std::size_t q = 0; q < count; ++q, rows += Size) {
      for (std::size_t m = 0; m < Size; ++m)
        rows[m] = least ^ vectors[m];
      least = ((least | pivots) + 1) & ~pivots;
    }
  }
  void repeat(std::uint32_t* first, std::uint32_t least, std::size_t count) const {
    const std::size_t members = size();
    std::uint32_t next = least;
    for (std::uint32_t* rows = first + members; --count > 0; rows += members) {
      next = ((next | pivots) + 1) & ~pivots;
      for (std::size_t m = 0; m < members; ++m)
        rows[m] = first[m] ^ (next ^ least);
    }
  }
};

} // namespace starling
