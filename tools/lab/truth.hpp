// A cloud against exact draws of the same shape.
#pragma once

#include "shapes.hpp"

#include <starling/judge/verdict.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace starling::tool {

/// How far a cloud is from the truth: the worst column of each figure.
struct Distance {
  double mean = 0;                ///< in sds
  double sd_low = 1, sd_high = 1; ///< ratios of sds
  double ks = 0, ks_density = 0;  ///< of a marginal, of the log density
  bool improper = false;          ///< nothing to be near to

  /// A mean off by more than a fifth of an sd, an sd by more than a quarter, a marginal or the log
  /// density by more than .15 in distribution; what is not a number is wrong too.
  bool wrong() const {
    return improper ||
           !(mean <= 0.2 && sd_low >= 0.75 && sd_high <= 1.25 && ks <= 0.15 && ks_density <= 0.15);
  }
};

/// Largest difference of two distribution functions. NaN where a value is.
double kolmogorov_smirnov(std::vector<double> a, std::span<const double> sorted);

/// Exact draws of a shape, sorted by column, with their log densities.
class Truth {
public:
  explicit Truth(const Shape& shape, std::size_t draws = 20'000);

  const Shape& shape() const { return *shape_; }
  Distance of(std::span<const double> cloud) const;
  /// Whether mean and variance are within what the sentence says they are; nothing where it says
  /// none. Columns that it calls heavy, and those that are, do not count.
  std::optional<bool> bounds_hold(const judge::Judgement& judgement, std::span<const double> cloud,
                                  const std::vector<std::string>& names) const;

private:
  const Shape* shape_;
  std::vector<std::vector<double>> sorted_; ///< by column; last the log density
};

/// Ways to make a cloud wrong.
inline constexpr std::array wrong_kinds = {"scaled up",        "scaled down",       "shifted",
                                           "decorrelated",     "one group dropped", "tail cut",
                                           "polished too long"};
/// Exact draws, made wrong in this way; empty where the shape has no such wrong.
std::vector<double> wrong_cloud(const Shape& shape, const std::string& kind, std::size_t count,
                                std::uint64_t seed);

} // namespace starling::tool
