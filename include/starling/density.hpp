// A density as the stages of a run call it: scores and log densities of many rows at a time.
#pragma once

#include <starling/rows.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace starling {

/// Writes score and log density of each row of positions. A row where the density fails gets a log
/// density that is not finite; other rows are not affected.
using DensityOfRows =
    std::function<void(Rows<const double> x, Rows<double> score, std::span<double> log_density)>;

/// Places from which a climb to the mode is worth its while: of a regression, least squares. Asked
/// only by those who climb.
using ClimbFrom = std::function<std::vector<std::vector<double>>()>;

/// A DensityOfRows, counted: a gradient is a row. A row of which any number is not finite has
/// failed: its log density is then -infinity and its score zero, so that nobody has to look twice.
class CountedDensity {
public:
  explicit CountedDensity(DensityOfRows density) : density_(std::move(density)) {}

  void operator()(Rows<const double> x, Rows<double> score, std::span<double> log_density) {
    if (x.count == 0)
      return;
    density_(x, score, log_density);
    gradients_ += x.count;
    for (std::size_t i = 0; i < x.count; ++i) {
      bool sound = std::isfinite(log_density[i]);
      for (const double s : score[i])
        sound = sound && std::isfinite(s);
      if (sound)
        continue;
      log_density[i] = -std::numeric_limits<double>::infinity();
      for (double& s : score[i])
        s = 0;
    }
  }

  std::uint64_t gradients() const { return gradients_; }

private:
  DensityOfRows density_;
  std::uint64_t gradients_ = 0;
};

} // namespace starling
