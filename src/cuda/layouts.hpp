// Which sweep does a step, by dimension and batch: written once for every machine.
//
// A launcher begins sweeps:
//     threads(count, f)          f(index)
//     teams<lanes>(count, f)     f(team of so many lanes, index)
//     blocks(count, room, f)     f(block, memory of its own for `room` numbers, index)
#pragma once

#include "cuda/machine.hpp"
#include "cuda/sizes.hpp"
#include "cuda/sweep_fused_quads.hpp"
#include "cuda/sweep_logistic_few.hpp"
#include "cuda/sweep_many.hpp"
#include "cuda/sweep_products.hpp"

namespace starling::cuda {

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

template <typename Launcher>
void sweep_products(Launcher& launch, Work<float> work, const Turn<float>& now,
                    std::uint32_t shares) {
  work.products.shares = shares;
  launch.template blocks<float>(1, 0, Center{work});
  launch.teams(work.count, PackPlace{work});
  const auto by = [&](auto sweep) {
    using Sweep = decltype(sweep);
    static_assert(Sweep::rows == layout::product_rows &&
                  Sweep::rows + Sweep::others <= layout::product_places);
    static_assert(Sweep::room * sizeof(float) <= layout::most_block_bytes);
    const std::uint32_t tiles = (now.order.largest() + Sweep::rows - 1) / Sweep::rows;
    sweep.work = work;
    sweep.now = now;
    sweep.tiles = tiles;
    launch.template blocks<float>(std::size_t{now.order.pieces} * tiles * shares, Sweep::room,
                                  sweep);
  };
  if (work.products.width == 32)
    by(DriftByProducts<4>{});
  else
    by(DriftByProducts<8>{});
  launch.threads(std::size_t{work.count} * work.dim, JoinShares{work});
}

/// The order is written down on the way.
template <typename Real, typename Launcher>
void sweep_drift(Launcher& launch, const Work<Real>& work, std::uint32_t turn,
                 const Turn<Real>& now) {
  const Order& order = now.order;
  launch.threads(work.count, LayOut<Real>{work, turn});
  if (work.dim <= 2)
    return launch.threads(work.count, DriftAtPlace<Real, 2>{work, turn});
  if (work.dim <= layout::few)
    return launch.threads(work.count, DriftAtPlace<Real, layout::few>{work, turn});
  if (order.largest() < layout::large_batch)
    return launch.teams(work.count, DriftByTeam<Real>{work, turn});
  std::uint32_t shares = 0;
  if constexpr (sizeof(Real) == 4) {
    shares = product_shares(work.dim, work.pairs, order);
    if (shares > 0)
      sweep_products(launch, work, now, shares);
  }
  using Tiles = DriftInTiles<Real>; // also behind products: for whom they are not good enough
  const std::uint32_t tiles = (order.largest() + Tiles::rows - 1) / Tiles::rows;
  const std::uint32_t parts = (work.dim + Tiles::width - 1) / Tiles::width;
  launch.template blocks<Real>(std::size_t{order.pieces} * tiles * parts, Tiles::room,
                               Tiles{work, turn, tiles, parts, shares > 0});
}

template <typename Launcher>
void sweep_fused(Launcher& launch, const Work<float>& work, const Turn<float>& now) {
  using Real = float;
  const Order& order = now.order;
  const std::uint32_t many = order.pieces;
  if (order.larger() == 0 && work.dim <= 2) { // batches of one size, a thread a row
    const auto mates = [&](auto members) {
      constexpr std::uint32_t p = members();
      if (work.dim == 1)
        launch.template teams<p>(many, FusedMates<Real, p, 1>{work, now});
      else
        launch.template teams<p>(many, FusedMates<Real, p, 2>{work, now});
    };
    if (order.smaller() == 2)
      return mates(std::integral_constant<std::uint32_t, 2>());
    if (order.smaller() == 4)
      return mates(std::integral_constant<std::uint32_t, 4>());
    if (order.smaller() == 8)
      return mates(std::integral_constant<std::uint32_t, 8>());
  }
  const bool in_quads = work.dim > layout::few && work.dim % 4 == 0;
  if (order.larger() == 0 && in_quads) {
    const auto quads = [&](auto members, auto normal) {
      if (work.dim <= 32)
        launch.template teams<8>(many, FusedQuads<Real, members(), normal()>{work, now});
      else
        launch.template teams<16>(many, FusedQuads<Real, members(), normal()>{work, now});
    };
    const auto of = [&](auto members) {
      if (work.target.kind == Scoring<Real>::Kind::normal)
        quads(members, std::true_type());
      else
        quads(members, std::false_type());
    };
    if (order.smaller() == 4)
      return of(std::integral_constant<std::uint32_t, 4>());
    if (order.smaller() == 8)
      return of(std::integral_constant<std::uint32_t, 8>());
  }
  const bool pairs = order.smaller() == 2;
  const std::uint32_t odd = pairs ? order.larger() : many; // those that are no pairs come first
  if (odd > 0) {
    constexpr std::uint32_t members = layout::fused_members;
    if (work.dim <= 2)
      launch.template teams<1>(odd, FusedBatch<Real, members, 2>{work, now, 0});
    else
      launch.teams(odd, FusedBatch<Real, members, 2>{work, now, 0});
  }
  if (many == odd)
    return;
  if (work.dim == 1)
    launch.template teams<1>(many - odd, FusedBatch<Real, 2, 1>{work, now, odd});
  else if (work.dim == 2)
    launch.template teams<1>(many - odd, FusedBatch<Real, 2, 2>{work, now, odd});
  else if (work.dim <= layout::few)
    launch.template teams<1>(many - odd, FusedBatch<Real, 2, layout::few>{work, now, odd});
  else if (in_quads && work.dim <= 32)
    launch.template teams<8>(many - odd, FusedPairs<Real>{work, now, odd});
  else if (in_quads && work.dim <= 64)
    launch.template teams<16>(many - odd, FusedPairs<Real>{work, now, odd});
  else if (in_quads)
    launch.template teams<32>(many - odd, FusedPairs<Real>{work, now, odd});
  else if (work.dim <= layout::fused_dim)
    launch.teams(many - odd, FusedBatch<Real, 2, 2>{work, now, odd});
  else
    launch.teams(many - odd, FusedBatch<Real, 2, 4>{work, now, odd});
}

template <typename Real, typename Launcher>
void sweep_flow(Launcher& launch, const Work<Real>& work, std::uint32_t turn,
                const Turn<Real>& now) {
  sweep_bandwidth(launch, work, turn);
  sweep_scores(launch, work);
  sweep_drift(launch, work, turn, now);
}

template <typename Real, typename Launcher>
void sweep_advance(Launcher& launch, const Work<Real>& work, std::uint32_t turn) {
  launch.threads(std::size_t{work.count} * work.dim, Advance<Real>{work, turn});
}

template <typename Real, typename Launcher>
void sweep_step(Launcher& launch, const Work<Real>& work, std::uint32_t turn,
                const Turn<Real>& now) {
  if constexpr (sizeof(Real) == 4)
    if (is_fused(work.dim, work.pairs, now.order)) {
      sweep_bandwidth(launch, work, turn);
      if (work.target.kind != Scoring<Real>::Kind::normal)
        sweep_scores(launch, work);
      return sweep_fused(launch, work, now);
    }
  sweep_flow(launch, work, turn, now);
  sweep_advance(launch, work, turn);
}

template <typename Real, typename Launcher>
bool sweep_many_steps(Launcher& launch, const Work<Real>& work, std::uint32_t begin,
                      std::uint32_t end, const Order& order) {
  using Sweep = ManySteps<Real, 2>;
  // Where a place has many mates, one block would have too much to do.
  if (work.target.kind == Scoring<Real>::Kind::outside)
    return false; // each step waits for its scores
  if (work.count > Sweep::rows || work.dim > 2 || order.largest() >= layout::large_batch)
    return false;
  const Sweep sweep{work, begin, end};
  if (sweep.room() * sizeof(Real) > layout::most_block_bytes)
    return false;
  launch.template blocks<Real>(1, sweep.room(), sweep);
  return true;
}

/// Rows of whole words of four bytes.
template <typename Launcher>
void sweep_travel(Launcher& launch, void* to, const void* from, std::uint32_t rows,
                  std::size_t bytes, const Scramble& order) {
  using Word = std::uint32_t;
  const auto width = static_cast<std::uint32_t>(bytes / sizeof(Word));
  launch.threads(
      std::size_t{rows} * width,
      TravelRow<Word>{static_cast<Word*>(to), static_cast<const Word*>(from), width, order});
}
template <typename Launcher>
void sweep_travel(Launcher& launch, void* to, const void* from, std::uint32_t rows,
                  std::size_t bytes, const std::uint32_t* order) {
  using Word = std::uint32_t;
  const auto width = static_cast<std::uint32_t>(bytes / sizeof(Word));
  launch.threads(
      std::size_t{rows} * width,
      TravelByList<Word>{static_cast<Word*>(to), static_cast<const Word*>(from), width, order});
}

/// Two columns to one, or back.
template <typename Launcher>
void sweep_side_by_side(Launcher& launch, void* both, const std::array<void*, 2>& columns,
                        std::size_t rows, std::size_t bytes, bool apart) {
  const auto by = [&](auto word) {
    using Word = decltype(word);
    const auto width = static_cast<std::uint32_t>(bytes / sizeof(Word));
    launch.threads(rows * width,
                   SideBySide<Word>{static_cast<Word*>(both), static_cast<Word*>(columns[0]),
                                    static_cast<Word*>(columns[1]), width, apart});
  };
  if (bytes % 16 == 0)
    by(Numbers<std::uint32_t, 4>());
  else
    by(std::uint32_t());
}

/// The sweeps of a machine, by its launcher.
template <typename Real, typename Launcher>
class SweepsBy final : public Sweeps<Real> {
public:
  explicit SweepsBy(Launcher& launcher) : launcher_(launcher) {}

  void step(const Work<Real>& work, std::uint32_t turn, const Turn<Real>& here) override {
    sweep_step(launcher_, work, turn, here);
  }
  void flow(const Work<Real>& work, std::uint32_t turn, const Turn<Real>& here) override {
    sweep_flow(launcher_, work, turn, here);
  }
  void advance(const Work<Real>& work, std::uint32_t turn, const Turn<Real>&) override {
    sweep_advance(launcher_, work, turn);
  }
  bool many_steps(const Work<Real>& work, std::uint32_t begin, std::uint32_t end,
                  const Turn<Real>& here) override {
    return sweep_many_steps(launcher_, work, begin, end, here.order);
  }
  void gather(const Work<Real>& work, std::uint32_t rows, Real* x, Real* s, Real* g) override {
    launcher_.threads(std::size_t{rows} * work.dim, Gather<Real>{work, x, s, g});
  }

  void logistic(const LogisticWork<Real>& work) override { sweep_logistic(launcher_, work); }
  void evaluate(const ScoringWork<Real>& work) override {
    launcher_.threads(work.count, ScoreAndLogDensity<Real>{work});
  }

private:
  Launcher& launcher_;
};

} // namespace starling::cuda
