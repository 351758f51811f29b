// Batches of any size without a shuffle: a random Moebius map of the projective line.
#pragma once

#include <starling/batches.hpp>
#include <starling/deal/batch_size.hpp>
#include <starling/deal/order.hpp>
#include <starling/deal/travel.hpp>

#include <string>
#include <utility>

namespace starling {

/// Lemma 1 needs that any two particles meet equally often, and for its variance any three: a full
/// permutation is more than is needed. On the q + 1 points of the projective line over F_q, q
/// prime, the maps x -> A + B/(x + C) and x -> A + B x take any three points to any three others,
/// each map being one of q (q^2 - 1) that are equally likely. So place x of the order holds row A +
/// B/(x + C): a table of inverses, read as it lies, and one product modulo q. Point q is infinity.
/// The rows that are more than q + 1 go in one by one, each at a random place, whose row goes to
/// the end: that keeps triples exactly uniform.
///
/// Four points, though, keep their cross ratio, so rows travel now and then.
class Moebius {
public:
  Moebius(std::uint64_t seed, BatchSize batch_size, Threads& threads = Threads::alone(),
          Step reshuffle = Travel::usually)
      : philox_(seed), batch_size_(std::move(batch_size)), threads_(&threads),
        travel_(seed, reshuffle, threads) {}

  /// The largest number of rows: products modulo q fit into 64 bits, sums into 32.
  static constexpr std::size_t most = std::size_t{1} << 31;

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

  /// The order of step k of n rows. What it points to lasts until the next one is drawn.
  Order order(Step k, std::size_t n) {
    if (n < batch_size_.first())
      reject("batch_size", "at most the number of particles, " + std::to_string(n),
             std::to_string(batch_size_.first()));
    if (n > most)
      reject("particles", "at most 2^31 with this dealer", std::to_string(n));
    const std::size_t pieces = Batches::pieces(n, batch_size_(k, n));
    if (pieces == 1 || n < 3) // in one batch of all, the order says nothing
      return {n, pieces};
    table_.prepare(n);
    const std::uint32_t q = table_.prime();
    const MoebiusMap map{q, philox_.below(q, Stream::deal, k, 0),
                         1 + philox_.below(q - 1, Stream::deal, k, 1),
                         philox_.below(q + 1, Stream::deal, k, 2)};
    return {table_.order(map,
                         [&](std::uint32_t row) {
                           return philox_.below(row + 1, Stream::deal, k, 4 + row - q);
                         }),
            n, pieces};
  }

private:
  Philox philox_;
  BatchSize batch_size_;
  Threads* threads_;
  Travel travel_;
  Batches batches_;
  MoebiusTable table_;
};

} // namespace starling
