// Batches of 2^k among 2^n rows without a shuffle: the cosets of a random subspace.
#pragma once

#include <starling/batches.hpp>
#include <starling/deal/travel.hpp>

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <vector>

namespace starling {

/// Rows are vectors of n bits, V is a subspace of dimension k, each equally likely, and the batch
/// of row i is i xor V. Two rows meet when their difference is in V, three when two differences
/// are, which are independent as soon as they differ: so any two and any three meet as often as
/// after a shuffle, and Lemma 1 holds with its variance. It costs k random numbers.
///
/// The basis is reduced, with its leading bits as pivots. Neighbouring batches are then
/// neighbouring rows, xor the same vectors: memory is read in 2^k streams. Since neighbours stay
/// together, rows travel now and then.
class Cosets {
public:
  Cosets(std::uint64_t seed, std::size_t batch_size, Threads& threads = Threads::alone(),
         Step reshuffle = Travel::usually)
      : philox_(seed), size_(batch_size), threads_(&threads), travel_(seed, reshuffle, threads) {
    if (batch_size < 2 || !std::has_single_bit(batch_size))
      reject("batch_size", "a power of two for cosets", std::to_string(batch_size));
  }

  static bool fits(std::size_t particles, std::size_t batch_size) {
    return batch_size >= 2 && std::has_single_bit(batch_size) && std::has_single_bit(particles) &&
           batch_size <= particles;
  }

  template <Particles P>
  const Batches& operator()(Step k, P& particles) {
    travel_(k, particles);
    return deal(k, particles.count(), particles.population());
  }

  /// Of n rows that are here; `population` of them in all, 0: no others.
  const Batches& deal(Step k, std::size_t n, std::size_t population = 0) {
    if (!fits(n, size_))
      reject("particles", "a power of two, and at least the batch, for cosets", std::to_string(n));
    batches_.time = static_cast<double>(k);
    basis_.clear();
    std::uint64_t drawn = 0; // one that is already in the subspace is drawn anew
    while (std::size_t{1} << basis_.size() < size_)
      join(basis_, philox_.below(static_cast<std::uint32_t>(n - 1), Stream::deal, k, drawn++) + 1);
    span(n, basis_);
    if (population != 0)
      batches_.population = population;
    return batches_;
  }

  /// Adds v to a reduced basis, unless it is in its span already: every vector then has its leading
  /// bit to itself.
  static bool join(std::vector<std::uint32_t>& basis, std::uint32_t v) {
    for (const std::uint32_t b : basis)
      v = std::min(v, v ^ b); // clears b's leading bit, if v has it
    if (v == 0)
      return false;
    const std::uint32_t leading = std::bit_floor(v);
    for (std::uint32_t& b : basis)
      if (b & leading)
        b ^= v;
    basis.push_back(v);
    return true;
  }

  /// The batches of the subspace with that reduced basis.
  const Batches& span(std::size_t n, const std::vector<std::uint32_t>& basis) {
    const std::size_t size = std::size_t{1} << basis.size();
    batches_.population = batches_.here = n;
    std::uint32_t* const rows = batches_.cut(n, n / size).data();
    vectors_.assign(1, 0);
    std::uint32_t pivots = 0;
    for (const std::uint32_t b : basis) {
      pivots |= std::bit_floor(b);
      for (std::size_t v = 0, last = vectors_.size(); v < last; ++v)
        vectors_.push_back(vectors_[v] ^ b);
    }
    threads_->for_pieces(n / size, std::max<std::size_t>(1, 16384 / size),
                         [&](std::size_t begin, std::size_t end) {
                           fill(begin, end, vectors_, pivots, rows + begin * size);
                         });
    return batches_;
  }

  /// Batches [begin, end) of the subspace that has these vectors and these leading bits, one after
  /// another.
  static void fill(std::size_t begin, std::size_t end, std::span<const std::uint32_t> vectors,
                   std::uint32_t pivots, std::uint32_t* to) {
    // Batch q has a member without pivots: the bits of q at the other places.
    const std::uint32_t least = spread(static_cast<std::uint32_t>(begin), ~pivots);
    const std::uint32_t* const v = vectors.data();
    const std::size_t size = vectors.size();
    if (size == 4)
      fill<4>(to, v, size, least, pivots, end - begin);
    else if (size == 8)
      fill<8>(to, v, size, least, pivots, end - begin);
    else
      fill<0>(to, v, size, least, pivots, end - begin);
  }

private:
  /// So many batches. Their size is a constant where given (0: at run time), and becomes vectors.
  template <std::size_t Size>
  static void fill(std::uint32_t* rows, const std::uint32_t* vectors, std::size_t size,
                   std::uint32_t least, std::uint32_t pivots, std::size_t count) {
    std::uint32_t own[Size ? Size : 1]; // a copy that the rows cannot overlap
    if constexpr (Size != 0)
      std::copy_n(vectors, Size, own);
    const std::uint32_t* const v = Size != 0 ? own : vectors;
    const std::size_t members = Size != 0 ? Size : size;
    for (std::size_t q = 0; q < count; ++q, rows += members) {
      for (std::size_t m = 0; m < members; ++m)
        rows[m] = least ^ v[m];
      least = ((least | pivots) + 1) & ~pivots;
    }
  }

  /// The bits of `number`, lowest first, at the places where `places` has ones.
  static std::uint32_t spread(std::uint32_t number, std::uint32_t places) {
    std::uint32_t to = 0;
    for (; number != 0; number >>= 1, places &= places - 1)
      if (number & 1)
        to |= places & (0 - places);
    return to;
  }

  Philox philox_;
  std::size_t size_;
  Threads* threads_;
  Travel travel_;
  Batches batches_;
  std::vector<std::uint32_t> basis_, vectors_;
};

} // namespace starling
