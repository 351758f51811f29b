// Batches inside blocks of rows, which deal each for itself; all rows travel between blocks now and
// then.
#pragma once

#include <starling/batches.hpp>
#include <starling/deal/travel.hpp>

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace starling {

/// Deals n rows out of a population at step k: what Shuffle, Moebius, Cosets and Matching call
/// `deal`.
using DealRows = std::function<const Batches&(Step k, std::size_t n, std::size_t population)>;

/// The seed of a block's own dealer.
inline std::uint64_t seed_of_block(std::uint64_t seed, std::size_t block) {
  const Block bits = Philox(seed)(Stream::blocks, 0, block);
  return std::uint64_t{bits[1]} << 32 | bits[0];
}

/// B blocks of m = N / B rows each. A row meets only those of its block until rows travel, every
/// `redeal` steps: any two rows are then equally likely to share a block, so over an epoch a drift
/// is unbiased; within one its error is the same in every step. The variance of an epoch's mean is
/// that of Lemma 1 times about 1 + K (p - 1) / (m - 1).
class InBlocks {
public:
  /// `make(seed)` answers a block's dealer, which works on one thread: blocks are dealt side by
  /// side.
  template <typename Make>
  InBlocks(std::uint64_t seed, std::size_t blocks, Step redeal, Make&& make,
           Threads& threads = Threads::alone())
      : threads_(&threads), travel_(seed, redeal, threads) {
    for (std::size_t b = 0; b < blocks; ++b)
      deal_.push_back(make(seed_of_block(seed, b)));
  }

  std::size_t blocks() const { return deal_.size(); }

  template <Particles P>
  const Batches& operator()(Step k, P& particles) {
    travel_(k, particles);
    return deal(k, particles.count());
  }

  /// All blocks of n rows. Batch q of every block comes before batch q + 1 of any: larger ones are
  /// first then.
  const Batches& deal(Step k, std::size_t n) {
    if (n % blocks() != 0)
      reject("particles", "a multiple of the blocks, " + std::to_string(blocks()),
             std::to_string(n));
    const std::size_t rows = n / blocks();
    batches_.time = static_cast<double>(k);
    batches_.population = batches_.here = n;
    own_.resize(blocks());
    threads_->for_pieces(blocks(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b)
        own_[b] = &deal_[b](k, rows, n);
    });
    const std::size_t count = own_[0]->count(); // of each block
    std::uint32_t* const order = batches_.cut(n, blocks() * count).data();
    threads_->for_pieces(count, 256, [&](std::size_t begin, std::size_t end) {
      std::uint32_t* to = order + batches_.bounds()[begin * blocks()];
      for (std::size_t q = begin; q < end; ++q)
        for (std::size_t b = 0; b < blocks(); ++b)
          for (const std::uint32_t i : (*own_[b])[q])
            *to++ = i + static_cast<std::uint32_t>(b * rows);
    });
    return batches_;
  }

  /// One block's own batches, of rows counted from its first.
  const Batches& of_block(Step k, std::size_t block, std::size_t n) {
    return deal_[block](k, n / blocks(), n);
  }

private:
  std::vector<DealRows> deal_;
  std::vector<const Batches*> own_;
  Threads* threads_;
  Travel travel_;
  Batches batches_;
};

} // namespace starling
