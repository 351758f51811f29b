// Rows to the homes of their batches, drifts back.
#include "mpi/row_exchange.hpp"

#include "cpu/layouts.hpp"
#include "mpi/packing.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace starling::mpi {

template <typename Real>
RowExchange<Real>::RowExchange(const Blocks& blocks, Wire& wire)
    : RowExchange(blocks, wire, nullptr) {}

template <typename Real>
RowExchange<Real>::RowExchange(const Blocks& blocks, Wire& wire, SharedRows<Real>* common)
    : blocks_(blocks), wire_(wire), shared_(common), own_(blocks.rows_of(wire.rank())),
      from_(wire.size()), begin_(wire.size()), sent_(wire.size()), received_(wire.size()) {}

template <typename Real>
void RowExchange<Real>::plan(const Share& share, std::size_t population, double time,
                             std::size_t dim) {
  share_ = &share;
  begin_plan(share.largest, share.total);
  share.stretches.empty() ? sort_out(dim) : sort_out_stretches(dim);
  end_plan(population, time);
  for (std::size_t r = 0; r < from_.size(); ++r) {
    sent_[r] = out()[r].size() * dim * sizeof(Real);
    received_[r] = from_[r] * dim * sizeof(Real);
  }
}

template <typename Real>
void RowExchange<Real>::begin_plan(std::size_t largest, std::size_t total) {
  largest_ = largest;
  total_ = total;
  sent_positions_ = false;
  for (Part* part : {&local_, &mixed_})
    part->count = part->members = 0;
  std::ranges::fill(from_, 0u);
}

template <typename Real>
void RowExchange<Real>::end_plan(std::size_t population, double time) {
  guests_ = std::accumulate(from_.begin(), from_.end(), std::size_t{0});
  put_copies(local_, first_copy(local_));
  put_copies(mixed_, first_copy(mixed_));
  for (Part* part : {&local_, &mixed_}) {
    part->batches.population = population;
    part->batches.here = shared_ ? shared_->floor.count() : own_ + strangers();
    part->batches.time = time;
  }
}

/// Which batches have guests, and where each member stands: guests of a rank in the order in which
/// that rank lists them.
template <typename Real>
void RowExchange<Real>::sort_out(std::size_t dim) {
  const Share& share = *share_;
  const auto own = static_cast<std::uint32_t>(own_);
  foreign_.clear();
  const auto count = [](Part& part, std::size_t members) {
    if (part.count++ == 0)
      part.leading = members;
    part.trailing = members;
  };
  for (Part* part : {&local_, &mixed_})
    part->found.resize(std::max(part->found.size(), share.members.size()));
  std::size_t local = 0, mixed = 0;
  for (std::size_t q = 0; q < share.count(); ++q) {
    const std::span<const std::uint32_t> members = share[q];
    if (std::ranges::all_of(members, [&](std::uint32_t place) { return place - first() < own; })) {
      count(local_, members.size());
      for (const std::uint32_t place : members)
        local_.found[local++] = place - first();
      continue;
    }
    count(mixed_, members.size());
    for (const std::uint32_t place : members) {
      std::uint32_t at = place - first();
      if (at >= own) {
        const auto rank = static_cast<std::uint32_t>(blocks_.rank_of(place));
        foreign_.push_back({static_cast<std::uint32_t>(mixed), rank});
        at = from_[rank]++;
      }
      mixed_.found[mixed++] = at;
    }
  }
  std::exclusive_scan(from_.begin(), from_.end(), begin_.begin(), own);
  for (const Foreign& guest : foreign_)
    mixed_.found[guest.at] += begin_[guest.rank];
  for (const auto& [part, members] : {std::pair(&local_, local), std::pair(&mixed_, mixed)}) {
    lay_out(*part, members, dim);
    std::copy_n(part->found.begin(), members, part->order);
  }
}

/// The same of pairs that come in stretches.
template <typename Real>
void RowExchange<Real>::sort_out_stretches(std::size_t dim) {
  const auto me = static_cast<std::uint32_t>(wire_.rank());
  const auto for_stretches = [&](auto&& visit) { // visit(pairs, how many, stretch)
    std::size_t begin = 0;
    for (const Share::Stretch& stretch : share_->stretches) {
      visit(share_->members.data() + 2 * begin, stretch.end - begin, stretch);
      begin = stretch.end;
    }
  };
  const auto other = [&](const Share::Stretch& stretch) {
    return stretch.low == me ? stretch.high : stretch.low;
  };
  for_stretches([&](const std::uint32_t*, std::size_t count, const Share::Stretch& stretch) {
    (other(stretch) == me ? local_ : mixed_).count += count;
    from_[other(stretch)] += other(stretch) == me ? 0 : static_cast<std::uint32_t>(count);
  });
  std::exclusive_scan(from_.begin(), from_.end(), begin_.begin(), static_cast<std::uint32_t>(own_));
  for (Part* part : {&local_, &mixed_}) {
    part->leading = part->trailing = 2;
    lay_out(*part, 2 * part->count, dim);
  }
  std::uint32_t *local = local_.order, *mixed = mixed_.order;
  for_stretches([&](const std::uint32_t* pairs, std::size_t count, const Share::Stretch& stretch) {
    if (other(stretch) == me) {
      local = std::transform(pairs, pairs + 2 * count, local,
                             [&](std::uint32_t place) { return place - first(); });
      return;
    }
    std::uint32_t& begin = begin_[other(stretch)];
    const auto guests = static_cast<std::uint32_t>(count);
    if (stretch.low == me)
      for (std::uint32_t n = 0; n < guests; ++n) {
        mixed[2 * n] = pairs[2 * n] - first();
        mixed[2 * n + 1] = begin + guests - 1 - n;
      }
    else
      for (std::uint32_t n = 0; n < guests; ++n) {
        mixed[2 * n] = begin + n;
        mixed[2 * n + 1] = pairs[2 * n + 1] - first();
      }
    mixed += 2 * count;
    begin += guests;
  });
}

/// Room for the members, and for the copies before and after them.
template <typename Real>
void RowExchange<Real>::lay_out(Part& part, std::size_t members, std::size_t dim) {
  part.members = members;
  part.copies.clear();
  if (part.count == 0)
    return;
  const std::size_t largest = largest_, lead = part.leading < largest ? largest : 0;
  std::size_t batches = part.count + (lead > 0 ? 1 : 0), after = 0;
  if (cpu::fits_a_lane(largest, dim))
    while (batches < std::min(total_, 2 * cpu::widest)) {
      ++batches;
      after += part.trailing;
    }
  part.order = part.batches.cut(lead + members + after, batches).data() + lead;
  part.copies.resize(lead + after);
}

/// Behind the guests; in common, in the part that is this rank's own.
template <typename Real>
std::size_t RowExchange<Real>::first_copy(const Part& part) const {
  const std::size_t before = &part == &local_ ? 0 : local_.copies.size();
  return before + (shared_ ? shared_->first_spare(wire_.rank()) : own_ + guests_);
}

template <typename Real>
void RowExchange<Real>::put_copies(Part& part, std::size_t first) {
  const std::size_t lead =
      part.count > 0 ? static_cast<std::size_t>(part.order - part.batches.order().data()) : 0;
  for (std::size_t n = 0; n < part.copies.size(); ++n) {
    const std::size_t behind = n < lead ? 0 : part.members;
    part.copies[n] = part.order[n % part.members];
    (part.order - lead)[n + behind] = static_cast<std::uint32_t>(first + n);
  }
}

template <typename Real>
void RowExchange<Real>::send(Rows<const Real> own, Column<Real>& packed, Rows<Real> arrives) {
  if (!apart())
    return;
  const std::size_t bytes = std::accumulate(sent_.begin(), sent_.end(), std::size_t{0});
  packed.resize(
      std::max(packed.size(), bytes / sizeof(Real))); // never shorter: what grows is cleared
  Real* to = packed.data();
  for (const auto& rows : out())
    to = pack<Real>(own, rows, to);
  wire_.start(
      std::as_bytes(std::span(std::as_const(packed))).first(bytes), sent_,
      std::as_writable_bytes(std::span(arrives.data + own_ * arrives.dim, guests_ * arrives.dim)),
      received_);
}

template <typename Real>
void RowExchange<Real>::send_positions(Ensemble<Real>& here) {
  make_room(here);
  send(std::as_const(here).position(), positions_, here.position());
  sent_positions_ = true;
}

template <typename Real>
void RowExchange<Real>::give_up() {
  wire_.finish();
  sent_positions_ = false;
}

template <typename Real>
void RowExchange<Real>::send_scores(Ensemble<Real>& here) {
  send(std::as_const(here).score(), scores_, here.score());
}

template <typename Real>
void RowExchange<Real>::receive() {
  wire_.finish();
  sent_positions_ = false;
}

template <typename Real>
void RowExchange<Real>::make_copies(const Part& part, Ensemble<Real>& here) {
  const std::size_t first = first_copy(part);
  for (Rows<Real> column : {here.position(), here.score()})
    pack<Real>(column, part.copies, column.data + first * column.dim);
}

/// A guest's drift lies where its position does, behind the own ones, and is sent from there.
template <typename Real>
void RowExchange<Real>::bring_drifts(Ensemble<Real>& here) {
  if (!apart())
    return;
  const Rows<Real> drift = here.drift();
  const std::size_t bytes = std::accumulate(sent_.begin(), sent_.end(), std::size_t{0});
  wire_.exchange(std::as_bytes(std::span(drift.data + own_ * drift.dim, guests_ * drift.dim)),
                 received_, std::as_writable_bytes(std::span(positions_)).first(bytes), sent_);
  const Real* from = positions_.data();
  for (const auto& rows : out())
    from = unpack<Real>(from, rows, drift);
}

template class RowExchange<double>;
template class RowExchange<float>;

} // namespace starling::mpi
