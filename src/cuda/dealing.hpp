// What is drawn for each step on the host, few numbers, so that a device can deal by itself.
#pragma once

#include "cuda/order.hpp"

#include <starling/deal/batch_size.hpp>
#include <starling/random/scramble.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace starling::cuda {

/// Deals the very batches that Whole, Matching, Moebius and Cosets deal for the same seed.
class Dealing {
public:
  enum class By { everyone, matching, moebius, cosets };

  /// `batch` is empty for everyone.
  Dealing(By by, std::uint64_t seed, std::optional<BatchSize> batch, std::size_t particles);

  /// The table that every order needs; may be empty.
  std::span<const std::uint32_t> inverse() const { return inverse_; }
  /// The order of step k. The rows that it must list are put behind `lists`.
  Order at(Step k, std::vector<std::uint32_t>& lists) const;

  /// Whether rows travel before step k, and how: by a list for a matching of few, else each by
  /// itself.
  bool travels(Step k) const;
  bool travels_by_list() const;
  Scramble scramble(Step k) const { return {count_, philox_, Stream::reshuffle, k}; }
  std::vector<std::uint32_t> list(Step k) const;

private:
  void matching(Step k, Order& order) const;
  void moebius(Step k, Order& order, std::vector<std::uint32_t>& lists) const;
  void cosets(Step k, Order& order) const;

  By by_;
  Philox philox_;
  std::optional<BatchSize> batch_;
  std::uint32_t count_, q_ = 0;
  std::vector<std::uint32_t> inverse_;
};

} // namespace starling::cuda
