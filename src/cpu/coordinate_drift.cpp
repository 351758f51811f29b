// The drift of a kernel for each coordinate: how members of batches are laid side by side, so that
// vectors run along their coordinates without a break.
#include <starling/cpu/coordinate_drift.hpp>

#include <starling/drift/sweep.hpp>

#include "cpu/layouts.hpp"
#include "cpu/levels.hpp"

#include <algorithm>
#include <vector>

namespace starling::cpu {

namespace {

/// Columns of some batches, in memory that a thread keeps from step to step.
template <typename Real>
struct Room {
  std::vector<Real> numbers;
  Real *x = nullptr, *s = nullptr, *sum = nullptr, *q = nullptr;

  void make(std::size_t positions, std::size_t sums, std::size_t precisions) {
    numbers.resize(2 * positions + sums + precisions);
    x = numbers.data();
    s = x + positions;
    sum = s + positions;
    q = sum + sums;
    std::fill(sum, q, Real(0));
  }
};

template <typename Real>
void repeat(std::span<const Real> row, std::size_t times, Real* to) {
  for (std::size_t n = 0; n < times; ++n)
    to = std::copy(row.begin(), row.end(), to);
}

template <typename Real, typename K>
struct Sweep {
  const CoordinateWork<Real, K>& table;
  const K& kernel;
  Ensemble<Real>& particles;
  const Batches& batches;
  std::span<const Real> precisions;
  Part<Real> part;
  Real home; // the weight of a particle on itself

  void put(std::uint32_t row, const Real* sum, std::size_t size) const {
    const Real pair = static_cast<Real>(batches.pair_weight(size)) * part.weight;
    const Real self = static_cast<Real>(batches.self_weight()) * part.weight * home;
    const auto s = std::as_const(particles).score()[row];
    const auto phi = particles.drift()[row];
    for (std::size_t a = 0; a < phi.size(); ++a)
      part.put(phi[a], pair * sum[a] + self * s[a]);
  }

  /// Batches [first, last), all of one size: member k of all of them side by side, then every two
  /// members of all batches at once.
  void side_by_side(std::size_t first, std::size_t last) const {
    thread_local Room<Real> room;
    const std::size_t dim = precisions.size(), size = batches[first].size(), count = last - first;
    const std::size_t block = count * dim;
    room.make(size * block, size * block, block);
    for (std::size_t q = 0; q < count; ++q)
      for (std::size_t k = 0; k < size; ++k) {
        const std::uint32_t row = batches[first + q][k];
        std::ranges::copy(std::as_const(particles).position()[row], room.x + k * block + q * dim);
        std::ranges::copy(std::as_const(particles).score()[row], room.s + k * block + q * dim);
      }
    repeat(precisions, count, room.q);
    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t l = k + 1; l < size; ++l) {
        const std::size_t i = k * block, j = l * block;
        table.pairs(kernel, {room.x + i, room.x + j, room.s + i, room.s + j, room.q, room.sum + i,
                             room.sum + j, block});
      }
    for (std::size_t q = 0; q < count; ++q)
      for (std::size_t k = 0; k < size; ++k)
        put(batches[first + q][k], room.sum + k * block + q * dim, size);
  }

  /// Members [first, last) of one large batch: each meets the one m places further on, for every m.
  void round_the_batch(std::span<const std::uint32_t> members, std::size_t first,
                       std::size_t last) const {
    thread_local Room<Real> room;
    const std::size_t dim = precisions.size(), size = members.size(), own = last - first;
    room.make(size * dim, own * dim, own * dim);
    for (std::size_t k = 0; k < size; ++k) {
      std::ranges::copy(std::as_const(particles).position()[members[k]], room.x + k * dim);
      std::ranges::copy(std::as_const(particles).score()[members[k]], room.s + k * dim);
    }
    repeat(precisions, own, room.q);
    const auto meet = [&](std::size_t begin, std::size_t end, std::size_t other) {
      if (begin < end)
        table.pairs(kernel, {room.x + begin * dim, room.x + other * dim, room.s + begin * dim,
                             room.s + other * dim, room.q, room.sum + (begin - first) * dim,
                             nullptr, (end - begin) * dim});
    };
    for (std::size_t m = 1; m < size; ++m) {
      const std::size_t turn = std::clamp(size - m, first, last);
      meet(first, turn, first + m);
      meet(turn, last, turn + m - size);
    }
    for (std::size_t k = first; k < last; ++k)
      put(members[k], room.sum + (k - first) * dim, size);
  }
};

} // namespace

template <typename Real, typename K>
void sweep_coordinates(const K& kernel, Ensemble<Real>& particles, const Batches& batches,
                       std::span<const Real> precisions, Threads& threads, Part<Real> part) {
  const Sweep<Real, K> sweep{
      work_in_use<CoordinateWork<Real, K>>(), kernel, particles, batches, precisions, part,
      kernel.at_coordinate(Real(0)).weight};
  if (batches[0].size() > coordinate_most)
    return for_each_batch(threads, batches, [&](auto members, std::size_t first, std::size_t last) {
      sweep.round_the_batch(members, first, last);
    });
  const std::size_t together = std::max<std::size_t>(1, coordinate_room / particles.dim());
  threads.for_pieces(batches.count(), together, [&](std::size_t first, std::size_t last) {
    std::size_t split = first; // sizes differ by at most one, the larger ones first
    while (split < last && batches[split].size() == batches[first].size())
      ++split;
    sweep.side_by_side(first, split);
    if (split < last)
      sweep.side_by_side(split, last);
  });
}

#define STARLING_SWEEP(K)                                                                          \
  template void sweep_coordinates(const kernel::K<double>&, Ensemble<double>&, const Batches&,     \
                                  std::span<const double>, Threads&, Part<double>);                \
  template void sweep_coordinates(const kernel::K<float>&, Ensemble<float>&, const Batches&,       \
                                  std::span<const float>, Threads&, Part<float>);
STARLING_COORDINATE_KERNELS(STARLING_SWEEP)
#undef STARLING_SWEEP

} // namespace starling::cpu
