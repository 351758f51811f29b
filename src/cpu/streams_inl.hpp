// Members of neighbouring batches whose rows lie side by side: read and written a vector at a time.
// See lanes.hpp for how it is compiled.
#pragma once

#include "cpu/lanes.hpp"
#include "cpu/pair_work.hpp"

#include <cstdint>
#include <cstring>

namespace starling::cpu::STARLING_LEVEL {

/// How the rows of one member lie in as many batches as fill a vector.
enum class Lie {
  anyhow,
  across, ///< row xor 0, 1, 2, ...: an aligned block of rows, as cosets deal them
  towards ///< pairs i, j, then i + 1, j - 1, ...: as a matching deals them
};

/// Brings together the members of batches of one size, one batch per lane, and takes their drifts
/// back. How they lie is seen from the order itself: any dealer may deal so, and none has to say
/// it. Looking costs a vector operation or two for as many members as there are 32-bit numbers in a
/// vector, and ends at the first that lies otherwise. Dim: 1, 2, or 0 for any other, whose rows are
/// taken number by number.
template <typename L, std::size_t Dim>
class Streams {
  using Real = typename L::Number;
  using Tag = typename L::Tag;
  using Words = hn::ScalableTag<std::uint32_t>;
  static constexpr std::size_t width = L::width, words = hn::MaxLanes(Words());
  static constexpr bool possible = width > 1 && Dim != 0;
  /// Rows that lie anyhow are gathered by the machine's own instruction where it has a good one.
#if HWY_TARGET == HWY_AVX3
  static constexpr bool gathers = possible && sizeof(Real) == 8;
#else
  static constexpr bool gathers = false;
#endif

public:
  explicit HWY_INLINE Streams(const BatchWork<Real>& work)
      : size_(work.size), dim_(Dim ? Dim : work.dim), looked_at_(work.size * (width - 1)),
        hopeful_(possible && work.count >= width &&
                 (work.size == 2 || (work.order[0] ^ work.order[work.size]) == 1)) {
    if (hopeful_ && work.size > 2)
      for (std::size_t lane = 0, n = 0; lane + 1 < width;
           ++lane) // from a member to the same in the next batch
        for (std::size_t k = 0; k < work.size; ++k)
          change_[n++] = static_cast<std::uint32_t>(lane ^ (lane + 1));
  }

  /// The next `batches` of them, at most L::count: x and s get [(k * dim + a) * L::count + lane] =
  /// coordinate a of member k. Lanes without a batch of their own repeat the last one.
  HWY_INLINE void bring(const BatchWork<Real>& work, const std::uint32_t* order,
                        std::size_t batches, Real* x, Real* s) {
    for (std::size_t lane = 0; lane < L::count; lane += width) {
      Lie& lie = lie_[lane / width];
      lie = hopeful_ && lane + width <= batches ? seen(order + lane * size_) : Lie::anyhow;
      if constexpr (possible)
        if (lie != Lie::anyhow) {
          load(lie, order + lane * size_, work.x, x + lane);
          load(lie, order + lane * size_, work.s, s + lane);
          continue;
        }
      if constexpr (gathers)
        if (lane + width <= batches) {
          const std::uint32_t* from = order + lane * size_;
          for (std::size_t k = 0; k < size_; ++k) {
            const auto rows = rows_of(from + k);
            for (std::size_t a = 0; a < Dim; ++a) {
              const std::size_t at = (k * Dim + a) * L::count + lane;
              hn::StoreU(hn::GatherIndex(Tag(), work.x + a, rows), Tag(), x + at);
              hn::StoreU(hn::GatherIndex(Tag(), work.s + a, rows), Tag(), s + at);
            }
          }
          continue;
        }
      for (std::size_t one = lane; one < lane + width; ++one)
        for (std::size_t k = 0; k < size_; ++k) {
          const std::size_t row = order[(one < batches ? one : batches - 1) * size_ + k] * dim_;
          for (std::size_t a = 0; a < dim_; ++a) {
            x[(k * dim_ + a) * L::count + one] = work.x[row + a];
            s[(k * dim_ + a) * L::count + one] = work.s[row + a];
          }
        }
    }
  }

  /// The drifts of those that were brought last.
  HWY_INLINE void scatter_sums(const BatchWork<Real>& work, const std::uint32_t* order,
                               std::size_t batches, const Real* sum) const {
    for (std::size_t lane = 0; lane < batches; lane += width) {
      const Lie lie = lie_[lane / width];
      if constexpr (possible)
        if (lie != Lie::anyhow) {
          store(lie, order + lane * size_, sum + lane, work.phi);
          continue;
        }
      for (std::size_t one = lane; one < lane + width && one < batches; ++one)
        for (std::size_t k = 0; k < size_; ++k) {
          const std::size_t row = order[one * size_ + k] * dim_;
          for (std::size_t a = 0; a < dim_; ++a)
            work.phi[row + a] = sum[(k * dim_ + a) * L::count + one];
        }
    }
  }

private:
  /// Where the rows of one member begin in as many batches as fill a vector, in numbers; `member`
  /// is its place in the first of them.
  HWY_INLINE auto rows_of(const std::uint32_t* member) const {
    const hn::Rebind<std::uint32_t, Tag> words_tag;
    const hn::RebindToSigned<Tag> places;
    const hn::RebindToSigned<decltype(words_tag)> steps;
    const auto apart =
        hn::Mul(hn::Iota(steps, 0), hn::Set(steps, static_cast<std::int32_t>(size_)));
    const auto rows = hn::BitCast(places, hn::PromoteTo(hn::RebindToUnsigned<Tag>(),
                                                        hn::GatherIndex(words_tag, member, apart)));
    return Dim == 2 ? hn::Add(rows, rows) : rows;
  }

  HWY_INLINE Lie seen(const std::uint32_t* order) const {
    if constexpr (possible) {
      if (size_ == 2)
        return towards(order) ? Lie::towards : Lie::anyhow;
      return across(order) ? Lie::across : Lie::anyhow;
    }
    return Lie::anyhow;
  }

  HWY_INLINE void load(Lie lie, const std::uint32_t* order, const Real* column, Real* to) const {
    for_members(lie, order,
                [&](std::size_t row, std::size_t at, const auto& turned) STARLING_INLINE {
                  if constexpr (Dim == 1) {
                    hn::StoreU(turned(hn::LoadU(Tag(), column + row)), Tag(), to + at);
                  } else {
                    typename L::Vec first, second;
                    hn::LoadInterleaved2(Tag(), column + 2 * row, first, second);
                    hn::StoreU(turned(first), Tag(), to + at);
                    hn::StoreU(turned(second), Tag(), to + at + L::count);
                  }
                });
  }

  HWY_INLINE void store(Lie lie, const std::uint32_t* order, const Real* from, Real* column) const {
    for_members(lie, order,
                [&](std::size_t row, std::size_t at, const auto& turned) STARLING_INLINE {
                  const auto first = turned(hn::LoadU(Tag(), from + at));
                  if constexpr (Dim == 1)
                    hn::StoreU(first, Tag(), column + row);
                  else
                    hn::StoreInterleaved2(first, turned(hn::LoadU(Tag(), from + at + L::count)),
                                          Tag(), column + 2 * row);
                });
  }

  /// Calls each(row, at, turned): a vector of rows from `row` on, which turned() brings into the
  /// order of lanes, and out of it; `at` is where the first coordinate of its member is kept.
  template <typename Each>
  HWY_INLINE void for_members(Lie lie, const std::uint32_t* order, const Each& each) const {
    if (lie == Lie::towards) {
      each(order[0], 0, [](const auto& v) STARLING_INLINE { return v; });
      each(order[1] - (width - 1), Dim * L::count,
           [](const auto& v) STARLING_INLINE { return hn::Reverse(Tag(), v); });
      return;
    }
    using Places = hn::RebindToUnsigned<Tag>;
    for (std::size_t k = 0; k < size_; ++k) {
      const std::size_t row = order[k], within = row % width;
      const auto places = hn::Xor(hn::Iota(Places(), 0),
                                  hn::Set(Places(), static_cast<hn::TFromD<Places>>(within)));
      const auto turn = hn::IndicesFromVec(Tag(), places);
      each(row - within, k * Dim * L::count,
           [&](const auto& v) STARLING_INLINE { return hn::TableLookupLanes(v, turn); });
    }
  }

  HWY_INLINE bool across(const std::uint32_t* order) const {
    const auto same = [&](std::size_t n) STARLING_INLINE {
      const auto change =
          hn::Xor(hn::LoadU(Words(), order + n), hn::LoadU(Words(), order + n + size_));
      return hn::AllTrue(Words(), hn::Eq(change, hn::LoadU(Words(), change_ + n)));
    };
    std::size_t n = 0;
    for (; n + words <= looked_at_; n += words)
      if (!same(n))
        return false;
    if (looked_at_ >= words)
      return n == looked_at_ || same(looked_at_ - words); // the last overlaps
    for (; n < looked_at_; ++n)
      if ((order[n] ^ order[n + size_]) != change_[n])
        return false;
    return true;
  }

  /// All pairs are the first + (0, 0), (1, -1), (2, -2), ...
  static HWY_INLINE bool towards(const std::uint32_t* order) {
    using Pairs = hn::RepartitionToWide<Words>;
    std::uint64_t pair;
    std::memcpy(&pair, order, sizeof pair);
    const auto first = hn::BitCast(Words(), hn::Set(Pairs(), pair));
    for (std::size_t n = 0; n < 2 * width; n += words) {
      const auto place = hn::Iota(Words(), static_cast<std::uint32_t>(n)),
                 one = hn::Set(Words(), 1u);
      const auto odd = hn::And(place, one), far = hn::ShiftRight<1>(place);
      const auto change =
          hn::Add(hn::Xor(far, hn::Sub(hn::Zero(Words()), odd)), odd); // -far where it is odd
      if (!hn::AllTrue(Words(), hn::Eq(hn::LoadU(Words(), order + n), hn::Add(first, change))))
        return false;
    }
    return true;
  }

  std::size_t size_, dim_, looked_at_;
  bool hopeful_; // all cosets of a subspace lie alike: where the first two do not, no other is
                 // looked at
  Lie lie_[L::count / width];
  std::uint32_t change_[possible ? small_most * width : 1];
};

} // namespace starling::cpu::STARLING_LEVEL
