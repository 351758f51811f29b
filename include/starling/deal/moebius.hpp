// Batches of any size without a shuffle: a random Moebius map of the projective line.
#pragma once

#include <starling/batches.hpp>
#include <starling/deal/batch_size.hpp>
#include <starling/deal/travel.hpp>
#include <starling/device.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

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

  template <Particles P>
  const Batches& operator()(Step k, P& particles) {
    travel_(k, particles);
    return deal(k, particles.count(), particles.population());
  }

  /// Of n rows that are here; `population` of them in all, 0: no others.
  const Batches& deal(Step k, std::size_t n, std::size_t population = 0) {
    if (n < batch_size_.first())
      reject("batch_size", "at most the number of particles, " + std::to_string(n),
             std::to_string(batch_size_.first()));
    batches_.time = static_cast<double>(k);
    prepare(n);
    const Map map{q_, philox_.below(q_, Stream::deal, k, 0),
                  1 + philox_.below(q_ - 1, Stream::deal, k, 1),
                  philox_.below(q_ + 1, Stream::deal, k, 2)};
    order(n, batch_size_(k, n), map,
          [&](std::uint32_t row) { return philox_.below(row + 1, Stream::deal, k, 4 + row - q_); });
    if (population != 0)
      batches_.population = population;
    return batches_;
  }

  /// x -> a + b/(x + c), or, when c is q, x -> a + b x; a and c below q, b between 1 and q - 1.
  struct Map {
    std::uint32_t q, a, b, c;
  };

  /// The batches of one map; `place_for(row)`, at most row, says where each row above q goes in.
  template <typename PlaceFor>
  const Batches& order(std::size_t n, std::size_t p, const Map& map, PlaceFor&& place_for) {
    prepare(n);
    batches_.population = batches_.here = n;
    const std::size_t pieces = Batches::pieces(n, p);
    if (pieces == 1 || n < 3) { // in one batch of all, the order says nothing
      batches_.lay_out(n, pieces);
      return batches_;
    }
    std::uint32_t* const rows = batches_.cut(n, pieces).data();
    const std::uint32_t q = map.q;
    threads_->for_pieces(q, 16384,
                         [&](std::size_t begin, std::size_t end) { fill(map, begin, end, rows); });
    if (map.c == q) {
      rows[q] = q;
    } else {
      rows[(q - map.c) % q] = q;
      rows[q] = map.a;
    }
    for (std::uint32_t row = q + 1; row < n; ++row) {
      const std::uint32_t place = place_for(row);
      rows[row] = rows[place];
      rows[place] = row;
    }
    return batches_;
  }

  /// The largest prime below n: q. For n of at least 3.
  static std::uint32_t prime_below(std::size_t n) {
    auto q = static_cast<std::uint32_t>(n - 1);
    const auto is_prime = [](std::uint32_t m) {
      for (std::uint64_t f = 2; f * f <= m; ++f)
        if (m % f == 0)
          return false;
      return true;
    };
    while (!is_prime(q))
      --q;
    return q;
  }

private:
  void prepare(std::size_t n) {
    if (n == prepared_for_)
      return;
    if (n > most)
      reject("particles", "at most 2^31 with this dealer", std::to_string(n));
    q_ = prime_below(std::max<std::size_t>(n, 3));
    inverse_.resize(q_);
    inverse_[1] = 1; // 1/x = -(q div x) / (q mod x), modulo q
    for (std::uint32_t x = 2; x < q_; ++x)
      inverse_[x] = static_cast<std::uint32_t>(q_ - std::uint64_t{q_ / x} * inverse_[q_ % x] % q_);
    prepared_for_ = n;
  }

  /// Places [begin, end), all below q. Where x + c is 0 it writes a, and the caller knows better.
  void fill(const Map& map, std::size_t begin, std::size_t end, std::uint32_t* rows) const {
    if (map.c == map.q)
      return multiply(
          map, begin, end, [&](std::size_t x) { return static_cast<std::uint32_t>(x); }, rows);
    const std::size_t turn =
        std::clamp<std::size_t>(map.q - map.c, begin, end); // x + c passes q here
    multiply(
        map, begin, turn, [from = inverse_.data() + map.c](std::size_t x) { return from[x]; },
        rows);
    multiply(
        map, turn, end,
        [from = inverse_.data(), less = map.q - map.c](std::size_t x) { return from[x - less]; },
        rows);
  }

  /// rows[x] = a + b v(x) modulo q. The quotient by q is estimated from b / q, computed once
  /// (Shoup), and is at most one too small; the smaller of r and r - q, unsigned, is the remainder.
  template <typename Value>
  static void multiply(const Map& map, std::size_t begin, std::size_t end, Value value,
                       std::uint32_t* rows) {
    const auto [q, a, b, c] = map;
    const auto share = static_cast<std::uint32_t>((std::uint64_t{b} << 32) / q);
    for (std::size_t x = begin; x < end; ++x) {
      const std::uint32_t v = value(x);
      const auto quotient = static_cast<std::uint32_t>(std::uint64_t{share} * v >> 32);
      std::uint32_t r = b * v - quotient * q;
      r = std::min(r, r - q);
      r += a;
      rows[x] = std::min(r, r - q);
    }
  }

  Philox philox_;
  BatchSize batch_size_;
  Threads* threads_;
  Travel travel_;
  Batches batches_;
  std::uint32_t q_ = 2;
  std::size_t prepared_for_ = 0;
  std::vector<std::uint32_t> inverse_; // 1/x modulo q; at 0 it is 0
};

} // namespace starling
