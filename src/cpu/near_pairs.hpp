// Pairs that are close against their distance from the centre, where |x|^2 + |y|^2 - 2 x.y cancels:
// found in a block of large batches, and taken by their difference.
#pragma once

#include "cpu/layouts.hpp"

#include <starling/rows.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace starling::cpu {

/// The members of a batch where they lie.
template <typename Real>
struct MemberRows {
  Rows<const Real> position, score;
  std::span<const std::uint32_t> members;

  const Real* x(std::size_t i) const { return position[members[i]].data(); }
  const Real* s(std::size_t i) const { return score[members[i]].data(); }
};

/// In each coordinate the median of up to 31 members: strays do not move it, and of two modes it
/// takes one.
template <typename Real>
void median_of_some(const MemberRows<Real>& rows, std::span<Real> centre) {
  constexpr std::size_t most = 31;
  const std::size_t count = std::min(most, rows.members.size());
  for (std::size_t a = 0; a < centre.size(); ++a) {
    std::array<Real, most> some{};
    for (std::size_t n = 0; n < count; ++n)
      some[n] = rows.x(n * rows.members.size() / count)[a];
    std::nth_element(some.begin(), some.begin() + count / 2, some.begin() + count);
    centre[a] = some[count / 2];
  }
}

template <typename Real>
class NearPairs {
public:
  void clear() { places_.clear(); }

  /// Looks through the r2 of a block. Without a diagonal: that of the rows with themselves.
  void find(Rows<const Real> r2, const Real* row_square, const Real* column_square, Real wide,
            bool without_diagonal) {
    places_.reserve(r2.size());
    for (std::size_t r = 0; r < r2.count; ++r) {
      const Real* here = r2[r].data();
      const auto near = [&](std::size_t c) {
        const Real both = row_square[r] + column_square[c];
        return static_cast<int>(both > wide) & static_cast<int>(near_share * here[c] < both);
      };
      int found = 0; // counted first, without a branch
      for (std::size_t c = 0; c < r2.dim; ++c)
        found += near(c);
      for (std::size_t c = 0; found > 0 && c < r2.dim; ++c)
        if (near(c) && !(without_diagonal && r == c))
          places_.push_back({static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(c)});
    }
    columns_ = r2.dim;
  }

  /// r2 from the differences of rows i + r and j + c.
  void measure(const MemberRows<Real>& rows, std::size_t i, std::size_t j, Real* r2) const {
    for (const auto [r, c] : places_) {
      const Real *x = rows.x(i + r), *y = rows.x(j + c);
      constexpr std::size_t sums = 8; // side by side: one would wait for itself
      std::array<Real, sums> sum{};
      const std::size_t dim = rows.position.dim, body = dim / sums * sums;
      for (std::size_t a = 0; a < body; a += sums)
        for (std::size_t k = 0; k < sums; ++k)
          sum[k] += (x[a + k] - y[a + k]) * (x[a + k] - y[a + k]);
      for (std::size_t a = body; a < dim; ++a)
        sum[a - body] += (x[a] - y[a]) * (x[a] - y[a]);
      r2[r * columns_ + c] =
          ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
    }
  }

  /// Takes them out of the weights and slopes; without slopes these are ratio times the weights.
  void take_out(Real* weights, Real* slopes, Real ratio) {
    taken_.clear();
    taken_.reserve(places_.capacity());
    for (const auto [r, c] : places_) {
      const std::size_t at = r * columns_ + c;
      taken_.push_back({weights[at], slopes ? slopes[at] : ratio * weights[at]});
      weights[at] = 0;
      if (slopes)
        slopes[at] = 0;
    }
  }

  /// Adds the forces of what was taken out to the sums of rows i + r, and of j + c where these have
  /// any.
  void add(const MemberRows<Real>& rows, std::size_t i, std::size_t j, Real* sums_of_i,
           Real* sums_of_j) const {
    const std::size_t dim = rows.position.dim;
    for (std::size_t n = 0; n < places_.size(); ++n) {
      const auto [r, c] = places_[n];
      const auto [weight, push] = taken_[n];
      const Real *x = rows.x(i + r), *y = rows.x(j + c), *s = rows.s(i + r), *t = rows.s(j + c);
      Real* const own = sums_of_i + r * dim;
      for (std::size_t a = 0; a < dim; ++a)
        own[a] += weight * t[a] + push * (x[a] - y[a]);
      if (!sums_of_j)
        continue;
      Real* const other = sums_of_j + c * dim;
      for (std::size_t a = 0; a < dim; ++a)
        other[a] += weight * s[a] - push * (x[a] - y[a]);
    }
  }

private:
  struct Place {
    std::uint32_t row, column;
  };
  struct Taken {
    Real weight, push;
  };
  std::vector<Place> places_;
  std::vector<Taken> taken_; // as long as places_
  std::size_t columns_ = 0;
};

} // namespace starling::cpu
