// Which sweep does a step, by dimension and batch: written once for every machine.
//
// A launcher begins sweeps:
//     threads(count, f)          f(index)
//     singles(count, f)          f(team of one lane, index)
//     teams(count, f)            f(team of 32 lanes, index)
//     blocks(count, room, f)     f(block, memory of its own for `room` numbers, index)
#pragma once

#include "cuda/machine.hpp"
#include "cuda/sweep_blocks.hpp"
#include "cuda/sweep_logistic.hpp"
#include "cuda/sweep_teams.hpp"

#include <algorithm>

namespace starling::cuda {

namespace layout {
constexpr std::uint32_t few = 8;          ///< dimensions whose numbers a thread holds
constexpr std::uint32_t large_batch = 65; ///< members from which tiles are worth it, above those dimensions
constexpr std::uint32_t fused_members = 8, fused_dim = 64;
} // namespace layout

inline std::uint32_t largest_batch(const Order& order) { return order.smaller() + (order.larger() != 0 ? 1 : 0); }

/// Whether drift and move are one sweep: the Gaussian alone, small batches, in single precision (in double they would
/// take twice the registers, and the build twice the time).
template <typename Real>
bool is_fused(const Work<Real>& work, const Order& order) {
  if (sizeof(Real) != 4 || !work.pairs.gaussian_alone() || order.smaller() < 2)
    return false;
  if (order.smaller() == 2 && (order.larger() == 0 || work.dim <= layout::fused_dim))
    return work.dim <= 2 * layout::fused_dim;
  return largest_batch(order) <= layout::fused_members &&
         (work.dim <= 2 || (work.dim > layout::few && work.dim <= layout::fused_dim));
}

template <typename Real, typename Launcher>
void sweep_bandwidth(Launcher& launch, const Work<Real>& work, std::uint32_t turn) {
  if (work.bandwidth.pairs != 0)
    launch.template blocks<Real>(1, 0, MedianOfPairs<Real>{work, turn});
}

template <typename Real, typename Launcher>
void sweep_scores(Launcher& launch, const Work<Real>& work) {
  if (work.target.kind == Scoring<Real>::Kind::outside)
    return; // they are there
  if (work.target.kind == Scoring<Real>::Kind::normal && work.dim > layout::few)
    launch.teams(work.count, ScoreNormalRow<Real>{work});
  else
    launch.threads(work.count, ScoreRow<Real>{work});
}

/// The order is written down on the way.
template <typename Real, typename Launcher>
void sweep_drift(Launcher& launch, const Work<Real>& work, std::uint32_t turn, const Order& order) {
  launch.threads(work.count, LayOut<Real>{work, turn});
  if (work.dim <= 2)
    launch.threads(work.count, DriftAtPlace<Real, 2>{work, turn});
  else if (work.dim <= layout::few)
    launch.threads(work.count, DriftAtPlace<Real, layout::few>{work, turn});
  else if (largest_batch(order) < layout::large_batch)
    launch.teams(work.count, DriftByTeam<Real>{work, turn});
  else {
    using Tiles = DriftInTiles<Real>;
    const std::uint32_t tiles = (largest_batch(order) + Tiles::rows - 1) / Tiles::rows;
    const std::uint32_t parts = (work.dim + Tiles::width - 1) / Tiles::width;
    launch.template blocks<Real>(std::size_t{order.pieces} * tiles * parts, Tiles::room,
                                 Tiles{work, turn, tiles, parts});
  }
}

template <typename Real, typename Launcher>
void sweep_fused(Launcher& launch, const Work<Real>& work, std::uint32_t turn, const Order& order) {
  const bool pairs = order.smaller() == 2;
  const std::uint32_t many = order.pieces, odd = pairs ? order.larger() : many; // those that are no pairs come first
  if (odd > 0) {
    if (work.dim <= 2)
      launch.singles(odd, FusedBatch<Real, layout::fused_members, 2>{work, turn, 0});
    else
      launch.teams(odd, FusedBatch<Real, layout::fused_members, 2>{work, turn, 0});
  }
  if (many == odd)
    return;
  if (work.dim == 1)
    launch.singles(many - odd, FusedBatch<Real, 2, 1>{work, turn, odd});
  else if (work.dim == 2)
    launch.singles(many - odd, FusedBatch<Real, 2, 2>{work, turn, odd});
  else if (work.dim <= layout::few)
    launch.singles(many - odd, FusedBatch<Real, 2, layout::few>{work, turn, odd});
  else if (work.dim <= layout::fused_dim)
    launch.teams(many - odd, FusedBatch<Real, 2, 2>{work, turn, odd});
  else
    launch.teams(many - odd, FusedBatch<Real, 2, 4>{work, turn, odd});
}

template <typename Real, typename Launcher>
void sweep_flow(Launcher& launch, const Work<Real>& work, std::uint32_t turn, const Order& order) {
  sweep_bandwidth(launch, work, turn);
  sweep_scores(launch, work);
  sweep_drift(launch, work, turn, order);
}

template <typename Real, typename Launcher>
void sweep_advance(Launcher& launch, const Work<Real>& work, std::uint32_t turn) {
  launch.threads(std::size_t{work.count} * work.dim, Advance<Real>{work, turn});
}

template <typename Real, typename Launcher>
void sweep_step(Launcher& launch, const Work<Real>& work, std::uint32_t turn, const Order& order) {
  if constexpr (sizeof(Real) == 4)
    if (is_fused(work, order)) {
      sweep_bandwidth(launch, work, turn);
      if (work.target.kind != Scoring<Real>::Kind::normal)
        sweep_scores(launch, work);
      return sweep_fused(launch, work, turn, order);
    }
  sweep_flow(launch, work, turn, order);
  sweep_advance(launch, work, turn);
}

template <typename Real, typename Launcher>
bool sweep_many_steps(Launcher& launch, const Work<Real>& work, std::uint32_t begin, std::uint32_t end,
                      const Order& order) {
  // Where a place has many mates, one block would have too much to do.
  if (work.target.kind == Scoring<Real>::Kind::outside)
    return false; // each step waits for its scores
  if (work.count > ManySteps<Real, 2>::rows || work.dim > 2 || largest_batch(order) >= layout::large_batch)
    return false;
  launch.template blocks<Real>(1, 0, ManySteps<Real, 2>{work, begin, end});
  return true;
}

/// Rows of whole words of four bytes.
template <typename Launcher>
void sweep_travel(Launcher& launch, void* to, const void* from, std::uint32_t rows, std::size_t bytes,
                  const Scramble& order) {
  using Word = std::uint32_t;
  const auto width = static_cast<std::uint32_t>(bytes / sizeof(Word));
  launch.threads(std::size_t{rows} * width,
                 TravelRow<Word>{static_cast<Word*>(to), static_cast<const Word*>(from), width, order});
}
template <typename Launcher>
void sweep_travel(Launcher& launch, void* to, const void* from, std::uint32_t rows, std::size_t bytes,
                  const std::uint32_t* order) {
  using Word = std::uint32_t;
  const auto width = static_cast<std::uint32_t>(bytes / sizeof(Word));
  launch.threads(std::size_t{rows} * width,
                 TravelByList<Word>{static_cast<Word*>(to), static_cast<const Word*>(from), width, order});
}

/// The sweeps of a machine, by its launcher.
template <typename Real, typename Launcher>
class SweepsBy final : public Sweeps<Real> {
public:
  explicit SweepsBy(Launcher& launcher) : launcher_(launcher) {}

  void step(const Work<Real>& work, std::uint32_t turn, const Turn<Real>& here) override {
    sweep_step(launcher_, work, turn, here.order);
  }
  void flow(const Work<Real>& work, std::uint32_t turn, const Turn<Real>& here) override {
    sweep_flow(launcher_, work, turn, here.order);
  }
  void advance(const Work<Real>& work, std::uint32_t turn, const Turn<Real>&) override {
    sweep_advance(launcher_, work, turn);
  }
  bool many_steps(const Work<Real>& work, std::uint32_t begin, std::uint32_t end, const Turn<Real>& here) override {
    return sweep_many_steps(launcher_, work, begin, end, here.order);
  }
  void gather(const Work<Real>& work, std::uint32_t rows, Real* x, Real* s, Real* g) override {
    launcher_.threads(std::size_t{rows} * work.dim, Gather<Real>{work, x, s, g});
  }

  void logistic(const LogisticWork<Real>& work) override { sweep_logistic(launcher_, work); }

private:
  Launcher& launcher_;
};

} // namespace starling::cuda
