// Which rows cross the wire in a step, and what comes back.
#pragma once

#include "mpi/dealing.hpp"
#include "mpi/shared_rows.hpp"
#include "mpi/wire.hpp"

#include <starling/batches.hpp>
#include <starling/ensemble.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace starling::mpi {

/// Members of a batch that is at home elsewhere send position and score there, the home computes
/// the drift of all of them at once, and d numbers go back: 3 d (1 - 1/p) numbers a row at most.
/// Rows stay where they are; those of others are guests behind them, where they arrive as they are
/// sent. Positions are under way while scores are computed, and scores while the batches are swept
/// that have no guests.
///
/// Where all ranks see all rows, nothing is sent: each computes the drifts of its batches where the
/// rows lie.
template <typename Real>
class RowExchange {
public:
  RowExchange(const Blocks& blocks, Wire& wire);
  /// With all rows where all ranks see them, or nowhere.
  RowExchange(const Blocks& blocks, Wire& wire, SharedRows<Real>* common);

  /// For the batches of a step. The share must outlive it.
  void plan(const Share& share, std::size_t population, double time, std::size_t dim);
  /// For some of them, where all rows are in common. fill(order) puts their members.
  template <typename Fill>
  void plan(const Slice& slice, std::size_t population, double time, std::size_t dim, Fill&& fill) {
    begin_plan(slice.order.largest(), slice.order.pieces);
    local_.count = slice.end - slice.begin;
    if (local_.count > 0) {
      local_.leading = slice.size(slice.begin);
      local_.trailing = slice.size(slice.end - 1);
    }
    lay_out(local_, slice.members(), dim);
    lay_out(mixed_, 0, dim);
    fill(local_.order);
    end_plan(population, time);
  }

  /// For the guests of the step: rows may move for that, so before anybody holds on to one.
  void make_room(Ensemble<Real>& here) {
    if (!shared_ && room_ < strangers())
      here.make_room_for_guests(
          room_ = strangers() + strangers() / 8); // a step may have a few more than the last
  }

  /// Positions can go once nobody moves, before there are scores; then they stay until the drifts
  /// are there, or give_up() was called, on all ranks.
  void send_positions(Ensemble<Real>& here);
  void give_up();

  /// Calls drift(here, batches) for the batches that are at home here, and takes every drift home.
  /// All ranks have agreed on something since their scores are there.
  template <typename Drift>
  void operator()(Ensemble<Real>& here, Drift&& drift) {
    if (shared_) {
      sweep(local_, shared_->floor, drift);
      wire_.meet(); // all drifts are, and nobody needs these positions any more
      return;
    }
    if (!sent_positions_)
      send_positions(here);
    send_scores(here);
    const typename Ensemble<Real>::Guests all(here, strangers());
    sweep(local_, here, drift);
    receive();
    sweep(mixed_, here, drift);
    bring_drifts(here);
  }

private:
  /// Some batches of this rank. Sweeps lie otherwise where batches are few or small. What one
  /// process would do with all of them is done here with these: copies of rows stand for the
  /// batches elsewhere, a largest one in front and some at the end.
  struct Part {
    Batches batches;
    std::uint32_t* order = nullptr;        // of the batches, without copies
    std::size_t members = 0, trailing = 0; // there; of the last batch
    std::vector<std::uint32_t> copies;     // of which rows
    std::vector<std::uint32_t> found;      // members, while it is not yet known how many
    std::size_t count = 0, leading = 0;    // batches; members of the first
  };

  bool apart() const { return !shared_ && wire_.size() > 1; } // rows cross
  void begin_plan(std::size_t largest, std::size_t total);
  void end_plan(std::size_t population, double time);
  std::size_t strangers() const { return guests_ + local_.copies.size() + mixed_.copies.size(); }
  void sort_out(std::size_t dim);
  void sort_out_stretches(std::size_t dim);
  void lay_out(Part& part, std::size_t members, std::size_t dim);
  std::size_t first_copy(const Part& part) const;
  void put_copies(Part& part, std::size_t first);
  std::uint32_t first() const { return static_cast<std::uint32_t>(blocks_.first(wire_.rank())); }
  template <typename Drift>
  void sweep(Part& part, Ensemble<Real>& here, Drift&& drift) {
    if (part.count == 0)
      return;
    make_copies(part, here);
    drift(here, part.batches);
  }
  void make_copies(const Part& part, Ensemble<Real>& here);
  void send_scores(Ensemble<Real>& here);
  void receive();
  void bring_drifts(Ensemble<Real>& here);
  void send(Rows<const Real> own, Column<Real>& packed, Rows<Real> arrives);
  std::span<const std::vector<std::uint32_t>> out() const {
    return share_->away;
  } // rows that go to each other rank

  struct Foreign {
    std::uint32_t at, rank; // which member of mixed_, and whose it is
  };
  const Blocks& blocks_;
  Wire& wire_;
  SharedRows<Real>* shared_;
  const Share* share_ = nullptr;
  std::size_t largest_ = 0, total_ = 0; // members of the first batch of all; batches in all
  std::size_t own_, guests_ = 0; // rows; guests stand behind the own ones, in the order of ranks
  std::size_t room_ = 0;         // for guests and copies
  bool sent_positions_ = false;
  Part local_, mixed_; // without guests, and with
  std::vector<Foreign> foreign_;
  std::vector<std::uint32_t> from_, begin_; // guests from each rank; where they stand
  Column<Real> positions_, scores_;         // that leave, packed; then drifts that come back
  std::vector<std::size_t> sent_, received_;
};

} // namespace starling::mpi
