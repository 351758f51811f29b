// Batches of 2^k among 2^n rows without a shuffle: the cosets of a random subspace.
#pragma once

#include <starling/batches.hpp>
#include <starling/deal/order.hpp>
#include <starling/deal/travel.hpp>

#include <bit>
#include <string>

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

  const TravelRule& travel() const { return travel_.rule(); }

  template <Particles P>
  const Batches& operator()(Step k, P& particles) {
    travel_(k, particles);
    return deal(k, particles.count(), particles.population());
  }

  /// Of n rows that are here; `population` of them in all, 0: no others.
  const Batches& deal(Step k, std::size_t n, std::size_t population = 0) {
    order(k, n).write(batches_, *threads_);
    batches_.time = static_cast<double>(k);
    if (population != 0)
      batches_.population = population;
    return batches_;
  }

  /// The order of step k of n rows.
  Order order(Step k, std::size_t n) const {
    if (!fits(n, size_))
      reject("particles", "a power of two, and at least the batch, for cosets", std::to_string(n));
    CosetsOrder order;
    std::uint64_t drawn = 0; // one that is already in the subspace is drawn anew
    while (order.size() < size_)
      order.join(philox_.below(static_cast<std::uint32_t>(n - 1), Stream::deal, k, drawn++) + 1);
    return {order, n};
  }

private:
  Philox philox_;
  std::size_t size_;
  Threads* threads_;
  Travel travel_;
  Batches batches_;
};

} // namespace starling
