// The order of a step: which row stands at which place, and how places are cut into batches. Host,
// ranks and cards read the same value.
#pragma once

#include <starling/batches.hpp>
#include <starling/deal/cosets_order.hpp>
#include <starling/deal/matching_order.hpp>
#include <starling/deal/moebius_order.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace starling {

/// `count` places in `pieces` batches whose sizes differ by at most one, as Batches cuts them.
struct Cut {
  std::uint32_t count = 0, pieces = 1;

  STARLING_DEVICE std::uint32_t smaller() const { return count / pieces; }
  /// The first batches, so many, have one member more.
  STARLING_DEVICE std::uint32_t larger() const { return count % pieces; }
  STARLING_DEVICE std::uint32_t largest() const { return smaller() + (larger() != 0 ? 1 : 0); }
  STARLING_DEVICE std::uint32_t begin(std::uint32_t batch) const {
    return batch * smaller() + (batch < larger() ? batch : larger());
  }
  STARLING_DEVICE std::uint32_t size(std::uint32_t batch) const {
    return smaller() + (batch < larger() ? 1 : 0);
  }
  STARLING_DEVICE std::uint32_t batch_of(std::uint32_t place) const {
    const std::uint32_t in_larger = larger() * (smaller() + 1);
    return place < in_larger ? place / (smaller() + 1) : larger() + (place - in_larger) / smaller();
  }
};

/// A value that may be copied byte by byte. A dealer draws one for each step; what it points to
/// lasts until that dealer draws the next.
struct Order : Cut {
  enum class Kind : std::uint32_t { as_they_lie, matching, moebius, cosets, listed };

  Kind kind = Kind::as_they_lie;
  union {
    MatchingOrder matching;
    MoebiusOrder moebius;
    CosetsOrder cosets;
    const std::uint32_t* list; ///< of a shuffle: the rows of all places
  };

  Order(std::size_t rows = 0, std::size_t batches = 1)
      : Cut{static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(batches)}, matching{} {}
  Order(const MatchingOrder& order) : Order(order.count, order.count / 2) {
    kind = Kind::matching;
    matching = order;
  }
  Order(const MoebiusOrder& order, std::size_t rows, std::size_t batches) : Order(rows, batches) {
    kind = Kind::moebius;
    moebius = order;
  }
  Order(const CosetsOrder& order, std::size_t rows) : Order(rows, rows / order.size()) {
    kind = Kind::cosets;
    cosets = order;
  }
  Order(const std::uint32_t* rows_of_places, std::size_t rows, std::size_t batches)
      : Order(rows, batches) {
    kind = Kind::listed;
    list = rows_of_places;
  }

  STARLING_DEVICE std::uint32_t row(std::uint32_t place) const {
    switch (kind) {
    case Kind::matching:
      return matching.row(place);
    case Kind::moebius:
      return moebius.row(place);
    case Kind::cosets:
      return cosets.row(place);
    case Kind::listed:
      return list[place];
    default:
      return place;
    }
  }
  /// The inverse of `row`. A list is searched.
  STARLING_DEVICE std::uint32_t place(std::uint32_t row) const {
    std::uint32_t found = 0;
    switch (kind) {
    case Kind::matching:
      return matching.place(row);
    case Kind::moebius:
      return moebius.place(row);
    case Kind::cosets:
      return cosets.place(row);
    case Kind::listed:
      while (list[found] != row)
        ++found;
      return found;
    default:
      return row;
    }
  }

  /// The rows of batches [from, until), one after another: `row` of their places, in vectors.
  void fill(std::size_t from, std::size_t until, std::uint32_t* to) const {
    const std::size_t first = begin(static_cast<std::uint32_t>(from)),
                      last = begin(static_cast<std::uint32_t>(until));
    switch (kind) {
    case Kind::matching:
      return matching.fill(from, until, to);
    case Kind::moebius:
      return moebius.fill_rows(first, last, to);
    case Kind::cosets:
      return cosets.fill(from, until, to);
    case Kind::listed:
      std::copy(list + first, list + last, to);
      return;
    default:
      for (std::size_t place = first; place < last; ++place)
        *to++ = static_cast<std::uint32_t>(place);
    }
  }
  /// The same on all threads.
  void fill(std::size_t from, std::size_t until, std::uint32_t* to, Threads& threads) const {
    constexpr std::size_t members = 16384; // that a thread takes at a time
    const std::size_t before = begin(static_cast<std::uint32_t>(from));
    threads.for_pieces(until - from, std::max<std::size_t>(1, members / largest()),
                       [&](std::size_t one, std::size_t end) {
                         const auto place = begin(static_cast<std::uint32_t>(from + one));
                         fill(from + one, from + end, to + (place - before));
                       });
  }

  /// Everyone, batch after batch.
  void write(Batches& batches, Threads& threads) const {
    batches.population = batches.here = count;
    if (kind == Kind::as_they_lie)
      batches.lay_out(count, pieces);
    else
      fill(0, pieces, batches.cut(count, pieces).data(), threads);
  }
};
static_assert(std::is_trivially_copyable_v<Order>);

} // namespace starling
