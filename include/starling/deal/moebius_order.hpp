// The order of a Moebius map among any number of rows: the map, and the few rows that do not follow
// it.
#pragma once

#include <starling/deal/moebius_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace starling {

/// Place x holds the row that the map takes x to. Rows above q have gone in one by one, each at a
/// place whose row then went to the end; those places and rows are listed. It points to tables that
/// a MoebiusTable owns, or to copies of them on a card.
struct MoebiusOrder {
  MoebiusMap forward, backward;
  const std::uint32_t* inverse = nullptr; ///< 1/x modulo q
  /// From places to rows, then from rows to places: the images of the points above q, the points up
  /// to q that do not follow the map, rising, and their images.
  const std::uint32_t* listed = nullptr;
  std::uint32_t above = 0, changed = 0;
  /// By the last six bits of a point, whether it may be one of the changed: places, rows.
  std::uint64_t maybe[2] = {};

  STARLING_DEVICE std::uint32_t row(std::uint32_t place) const {
    return image(forward, listed, maybe[0], place);
  }
  STARLING_DEVICE std::uint32_t place(std::uint32_t row) const {
    return image(backward, listed + one_way(), maybe[1], row);
  }
  /// How many numbers are listed.
  std::size_t list_size() const { return 2 * one_way(); }

  /// The rows of places [begin, end); the places of rows [begin, end).
  void fill_rows(std::size_t begin, std::size_t end, std::uint32_t* to) const {
    fill(forward, listed, begin, end, to);
  }
  void fill_places(std::size_t begin, std::size_t end, std::uint32_t* to) const {
    fill(backward, listed + one_way(), begin, end, to);
  }

private:
  STARLING_DEVICE std::size_t one_way() const { return std::size_t{above} + 2 * changed; }

  STARLING_DEVICE std::uint32_t image(const MoebiusMap& map, const std::uint32_t* list,
                                      std::uint64_t maybe_changed, std::uint32_t x) const {
    if (x > map.q)
      return list[x - map.q - 1];
    if (maybe_changed >> (x & 63) & 1) {
      const std::uint32_t* points = list + above;
      std::uint32_t low = 0, high = changed; // the first that is not below x
      while (low < high) {
        const std::uint32_t middle = (low + high) / 2;
        if (points[middle] < x)
          low = middle + 1;
        else
          high = middle;
      }
      if (low < changed && points[low] == x)
        return points[changed + low];
    }
    return map(x, inverse);
  }

  void fill(const MoebiusMap& map, const std::uint32_t* list, std::size_t begin, std::size_t end,
            std::uint32_t* to) const {
    const std::size_t q = map.q, finite = std::clamp(q, begin, end);
    map.fill(begin, finite, inverse, to);
    if (begin <= q && q < end)
      to[q - begin] = map(map.q, inverse);
    const std::uint32_t *points = list + above, *last = points + changed;
    for (const std::uint32_t* one = std::lower_bound(points, last, begin);
         one != last && *one < end; ++one)
      to[*one - begin] = one[changed];
    for (std::size_t x = std::max(begin, q + 1); x < end; ++x)
      to[x - begin] = list[x - q - 1];
  }
};

/// Owns what the orders of n rows point to: the inverses modulo the largest prime q below n, which
/// stay, and the rows that do not follow the map, until the next order is made.
class MoebiusTable {
public:
  void prepare(std::size_t n) {
    if (n == rows_)
      return;
    q_ = MoebiusMap::prime_below(std::max<std::size_t>(n, 3));
    MoebiusMap::put_inverses(q_, inverse_);
    const std::size_t above = n > q_ + std::size_t{1} ? n - q_ - 1 : 0;
    tail_.reserve(above); // so that no later step allocates
    changed_.reserve(above);
    listed_.reserve(6 * above);
    rows_ = n;
  }
  std::uint32_t prime() const { return q_; }

  /// `place_for(row)`, at most row, says where each row above q goes in.
  template <typename PlaceFor>
  MoebiusOrder order(const MoebiusMap& map, PlaceFor&& place_for) {
    MoebiusOrder made;
    made.forward = map;
    made.inverse = inverse_.data();
    made.backward = map.backward(made.inverse);
    tail_.clear();
    changed_.clear();
    for (std::uint32_t row = q_ + 1; row < rows_; ++row)
      insert(map, row, place_for(row));
    listed_.clear();
    list(made.maybe[0]);
    turn_round();
    list(made.maybe[1]);
    made.above = static_cast<std::uint32_t>(tail_.size());
    made.changed = static_cast<std::uint32_t>(changed_.size());
    made.listed = listed_.data();
    return made;
  }

private:
  using Point = std::pair<std::uint32_t, std::uint32_t>; // and its image

  void insert(const MoebiusMap& map, std::uint32_t row, std::uint32_t place) {
    tail_.push_back(row);
    if (place > q_)
      return std::swap(tail_.back(), tail_[place - q_ - 1]);
    const auto found = std::find_if(changed_.begin(), changed_.end(),
                                    [&](const Point& one) { return one.first == place; });
    if (found != changed_.end()) {
      tail_.back() = std::exchange(found->second, row);
      return;
    }
    tail_.back() = map(place, inverse_.data());
    changed_.emplace_back(place, row);
  }

  /// Puts the images of points above q, the changed points and their images behind the list.
  void list(std::uint64_t& maybe) {
    std::sort(changed_.begin(), changed_.end());
    listed_.insert(listed_.end(), tail_.begin(), tail_.end());
    for (const Point& one : changed_)
      listed_.push_back(one.first);
    for (const Point& one : changed_) {
      listed_.push_back(one.second);
      maybe |= std::uint64_t{1} << (one.first & 63);
    }
  }

  /// From rows to places. Rows above q are at changed places or at the end; the others at the end
  /// are the changed rows.
  void turn_round() {
    const std::size_t above = tail_.size();
    const std::uint32_t* const rows = listed_.data(); // of the end
    for (const Point& one : changed_)
      tail_[one.second - q_ - 1] = one.first;
    changed_.clear();
    for (std::size_t t = 0; t < above; ++t) {
      const auto place = static_cast<std::uint32_t>(q_ + 1 + t);
      if (rows[t] > q_)
        tail_[rows[t] - q_ - 1] = place;
      else
        changed_.emplace_back(rows[t], place);
    }
  }

  std::size_t rows_ = 0;
  std::uint32_t q_ = 2;
  std::vector<std::uint32_t> inverse_, tail_, listed_;
  std::vector<Point> changed_;
};

} // namespace starling
