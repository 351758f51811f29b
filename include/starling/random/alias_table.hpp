// Draws by weight in constant time (Walker's alias method), from one block of random bits each.
#pragma once

#include <starling/error.hpp>
#include <starling/random/philox.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace starling {

/// Item r with probability weight_r / sum of weights. 12 bytes for each item.
class AliasTable {
public:
  AliasTable() = default;
  explicit AliasTable(std::span<const double> weights)
      : stays_(weights.size()), other_(weights.size()) {
    double total = 0;
    for (const double w : weights) {
      if (!(w >= 0) || !std::isfinite(w))
        reject("weights", "finite and at least 0", std::to_string(w));
      total += w;
    }
    if (!(total > 0) || weights.size() > UINT32_MAX)
      reject("weights", "some positive, and fewer than 2^32",
             std::to_string(weights.size()) + " of sum " + std::to_string(total));
    // Places hold 1 each: those with less are filled up by one with more, which is then looked at
    // again.
    const auto n = static_cast<double>(weights.size());
    std::vector<std::uint32_t> small, large;
    for (std::size_t r = 0; r < weights.size(); ++r) {
      stays_[r] = weights[r] / total * n;
      other_[r] = static_cast<std::uint32_t>(r);
      (stays_[r] < 1 ? small : large).push_back(static_cast<std::uint32_t>(r));
    }
    while (!small.empty() && !large.empty()) {
      const std::uint32_t filled = small.back(), from = large.back();
      small.pop_back();
      other_[filled] = from;
      stays_[from] -= 1 - stays_[filled];
      if (stays_[from] < 1) {
        large.pop_back();
        small.push_back(from);
      }
    }
    for (const auto* rest : {&small, &large}) // rounding left them over
      for (const std::uint32_t r : *rest)
        stays_[r] = 1;
  }

  std::size_t size() const { return stays_.size(); }

  std::uint32_t operator()(const Block& bits) const {
    const double place = uniform(bits, 0) * static_cast<double>(stays_.size());
    const auto r = static_cast<std::uint32_t>(place);
    return uniform(bits, 1) < stays_[r] ? r : other_[r];
  }

  /// The probability of an item, by adding up what the places say. Cost: one pass.
  double probability(std::uint32_t item) const {
    double sum = 0;
    for (std::size_t r = 0; r < stays_.size(); ++r)
      sum += (r == item ? stays_[r] : 0.0) + (other_[r] == item ? 1 - stays_[r] : 0.0);
    return sum / static_cast<double>(stays_.size());
  }

private:
  std::vector<double> stays_; // the share of a place that is its own item's
  std::vector<std::uint32_t> other_;
};

} // namespace starling
