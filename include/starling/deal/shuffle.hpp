// Batches without replacement (Algorithms 1 and 3): all particles in random order, cut into pieces.
#pragma once

#include <starling/batches.hpp>
#include <starling/deal/batch_size.hpp>
#include <starling/deal/order.hpp>
#include <starling/particles.hpp>
#include <starling/random/permute.hpp>
#include <starling/threads.hpp>

#include <span>
#include <utility>

namespace starling {

/// Every order is equally likely. When p does not divide N the batches differ in size by at most
/// one and each carries the weight of its own size, which keeps the drift unbiased.
class Shuffle {
public:
  /// What brings rows into random order: `permute`, or one that gives the same order sooner
  /// (cpu::permute).
  using Permute = void(std::span<std::uint32_t>, const Philox&, Stream, Step);

  Shuffle(std::uint64_t seed, BatchSize batch_size, Permute* by = permute)
      : philox_(seed), batch_size_(std::move(batch_size)), permute_(by) {}

  /// The same order once more, from one that shares out its work.
  using PermuteTogether = void(std::span<std::uint32_t>, const Philox&, Stream, Step, Threads&);
  Shuffle(std::uint64_t seed, BatchSize batch_size, PermuteTogether* by, Threads& threads)
      : philox_(seed), batch_size_(std::move(batch_size)), permute_together_(by),
        threads_(&threads) {}

  template <Particles P>
  const Batches& operator()(Step k, const P& particles) {
    return deal(k, particles.count(), particles.population());
  }

  /// Of n rows that are here; `population` of them in all, 0: no others.
  const Batches& deal(Step k, std::size_t n, std::size_t population = 0) {
    if (n < batch_size_.first())
      reject("batch_size", "at most the number of particles, " + std::to_string(n),
             std::to_string(batch_size_.first()));
    batches_.population = population == 0 ? n : population;
    batches_.here = n;
    batches_.time = static_cast<double>(k);
    const auto order = batches_.lay_out(n, Batches::pieces(n, batch_size_(k, n)));
    if (batches_.count() > 1) // in one batch of all, the order says nothing
      permute_together_ ? permute_together_(order, philox_, Stream::shuffle, k, *threads_)
                        : permute_(order, philox_, Stream::shuffle, k);
    return batches_;
  }

  /// The order of step k of n rows: a list of all of them, since a shuffle has no formula. A rank
  /// draws the whole list and takes its part; a card is not given lists.
  Order order(Step k, std::size_t n) {
    const Batches& dealt = deal(k, n);
    return {dealt.order().data(), n, dealt.count()};
  }

private:
  Philox philox_;
  BatchSize batch_size_;
  Permute* permute_ = permute;
  PermuteTogether* permute_together_ = nullptr;
  Threads* threads_ = nullptr;
  Batches batches_;
};

} // namespace starling
