// A density as the stages of a run call it: scores and log densities of many rows at a time.
#pragma once

#include <starling/rows.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
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

/// Rows where a density failed: its log density was no number, or it was one and the score was not.
/// Where the log density is -infinity the density is zero, or the target says so in place of an
/// error: counted, and held against nobody.
struct Failures {
  std::uint64_t log_density = 0, score = 0, zero = 0;

  void add_since(const Failures& before, const Failures& now) {
    log_density += now.log_density - before.log_density;
    score += now.score - before.score;
    zero += now.zero - before.zero;
  }
  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("log_density", self.log_density);
    visit("score", self.score);
    visit("zero", self.zero);
  }
};

/// A score that is not finite where the log density is.
struct FailedScore {
  std::size_t row = 0, parameter = 0; ///< of the call
  double score = 0, log_density = 0;
};

/// A DensityOfRows that counts: a gradient is a row. A row of which any number is not finite has
/// failed: its log density is then -infinity and its score zero, so that nobody has to look twice.
class CountedDensity {
public:
  explicit CountedDensity(DensityOfRows density) : density_(std::move(density)) {}

  void operator()(Rows<const double> x, Rows<double> score, std::span<double> log_density) {
    if (x.count == 0)
      return;
    density_(x, score, log_density);
    gradients_ += x.count;
    failed_score_.reset();
    for (std::size_t i = 0; i < x.count; ++i) {
      bool sound = std::isfinite(log_density[i]);
      for (const double s : score[i])
        sound = sound && std::isfinite(s);
      if (sound)
        continue;
      count_failure(i, score[i], log_density[i]);
      log_density[i] = -std::numeric_limits<double>::infinity();
      for (double& s : score[i])
        s = 0;
    }
  }

  std::uint64_t gradients() const { return gradients_; }
  const Failures& failures() const { return failures_; }
  /// Of the last call, where the log density was highest.
  const std::optional<FailedScore>& failed_score() const { return failed_score_; }

private:
  template <typename Row>
  void count_failure(std::size_t i, const Row& score, double log_density) {
    if (!std::isfinite(log_density)) {
      ++(log_density < 0 ? failures_.zero : failures_.log_density);
      return;
    }
    ++failures_.score;
    if (failed_score_ && failed_score_->log_density >= log_density)
      return;
    std::size_t a = 0;
    while (std::isfinite(score[a]))
      ++a;
    failed_score_ = {i, a, score[a], log_density};
  }

  DensityOfRows density_;
  std::uint64_t gradients_ = 0;
  Failures failures_;
  std::optional<FailedScore> failed_score_;
};

} // namespace starling
