// Who stands at a place of the order in one step, computed from the step's few random numbers: no
// sort, no list.
#pragma once

#include <starling/deal/matching.hpp>
#include <starling/device.hpp>

#include <cstdint>

namespace starling::cuda {

/// What all orders of a run share, and the rows that do not follow the rule of their step.
struct OrderTables {
  const std::uint32_t* inverse = nullptr; ///< 1/x modulo q, for Moebius maps
  const std::uint32_t* lists = nullptr;   ///< of all steps, one after another
};

/// The order that a dealer of the host lays out, place by place, and its cut into batches.
struct Order {
  enum class Kind : std::uint32_t { as_they_lie, matching, moebius, cosets };

  Kind kind = Kind::as_they_lie;
  std::uint32_t count = 0, pieces = 1; ///< places, batches
  std::uint32_t a = 0, b = 0,
                c = 0; ///< matching: round c, pair b joined by the one alone; moebius: the map
  std::uint32_t q = 0, quotient = 0; ///< moebius: the prime, and b 2^32 / q
  std::uint32_t tail = 0;            ///< where in the lists the rows of the places above q are
  std::uint32_t changed = 0,
                changes =
                    0; ///< places below that hold another row: the places, sorted, then the rows
  std::uint32_t pivots = 0; ///< cosets: the leading bits of the basis
  std::uint32_t basis[32] = {};

  STARLING_DEVICE std::uint32_t smaller() const { return count / pieces; }
  /// The first batches, so many, have one member more.
  STARLING_DEVICE std::uint32_t larger() const { return count % pieces; }
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

  STARLING_DEVICE std::uint32_t row(std::uint32_t place, const OrderTables& tables) const {
    switch (kind) {
    case Kind::matching:
      return in_matching(place);
    case Kind::moebius:
      return in_moebius(place, tables);
    case Kind::cosets:
      return in_cosets(place);
    default:
      return place;
    }
  }

private:
  // Matching::round: two runs that meet in their middles, then the last row with the one left over.
  STARLING_DEVICE std::uint32_t in_matching(std::uint32_t place) const {
    const std::uint32_t cycle = Matching::rounds(count), odd = count % 2;
    if (odd && place == 0)
      return Matching::left_over(c, count);
    std::uint32_t pair = (place - odd) / 2;
    const bool second = (place - odd) % 2 != 0;
    if (odd) // the one alone stands before pair b, which changed places with the first
      pair = pair == 0 ? b : pair == b ? 0 : pair;
    const std::uint32_t first_run = c / 2 + c % 2, second_run = (cycle - 1 - c) / 2;
    if (pair < first_run)
      return second ? c - pair : pair;
    pair -= first_run;
    if (pair < second_run)
      return second ? cycle - 1 - pair : c + 1 + pair;
    return second ? cycle : Matching::left_over(c, count);
  }

  // Moebius::order: a + b/(x + c) modulo q, but for the pole and for rows above q and where they
  // went in.
  STARLING_DEVICE std::uint32_t in_moebius(std::uint32_t place, const OrderTables& tables) const {
    if (place > q)
      return tables.lists[tail + place - q - 1];
    if (changes != 0) {
      const std::uint32_t* places = tables.lists + changed;
      std::uint32_t low = 0, high = changes; // the first that is not below the place
      while (low < high) {
        const std::uint32_t middle = (low + high) / 2;
        if (places[middle] < place)
          low = middle + 1;
        else
          high = middle;
      }
      if (low < changes && places[low] == place)
        return places[changes + low];
    }
    if (place == q)
      return c == q ? q : a;
    if (c == q)
      return times(place);
    const std::uint32_t left = q - c; // x + c passes q here
    if (place == left || (c == 0 && place == 0))
      return q;
    return times(tables.inverse[place < left ? place + c : place - left]);
  }
  STARLING_DEVICE std::uint32_t times(std::uint32_t v) const {
    const auto whole = static_cast<std::uint32_t>(std::uint64_t{quotient} * v >> 32);
    std::uint32_t r = b * v - whole * q;
    r = r - q < r ? r - q : r;
    r += a;
    return r - q < r ? r - q : r;
  }

  // Cosets::span: the bits of the batch's number where the pivots are not, xor a vector of the
  // subspace. There are as many members as subsets of the pivots.
  STARLING_DEVICE std::uint32_t in_cosets(std::uint32_t place) const {
    std::uint32_t row = place, among = 0, k = 0;
    for (std::uint32_t rest = pivots; rest != 0; rest &= rest - 1, ++k, row >>= 1)
      among ^= basis[k] & (0 - (row & 1));
    for (std::uint32_t rest = pivots; rest != 0; rest &= rest - 1)
      row += row & (0 - (rest & (0 - rest))); // all from the pivot on makes room for it
    return row ^ among;
  }
};

} // namespace starling::cuda
