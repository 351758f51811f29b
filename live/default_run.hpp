// The default method on the live page: a run in stages, a unit at a time, to its verdict.
#pragma once

#include "targets.hpp"

#include <starling/run/staged.hpp>
#include <starling/target/lift.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace live {

class DefaultRun {
public:
  DefaultRun(std::uint64_t seed, std::size_t particles, std::size_t dim, const Shape& shape) {
    starling::run::Staged staged;
    staged.target = starling::run::any_target<double>(
        starling::lift<double>(dim,
                               [shape](std::span<const double> x, std::span<double> score) {
                                 return shape.everywhere(x, score);
                               }),
        names_of(dim));
    starling::run::Settings settings;
    settings.particles = particles;
    settings.seed = seed;
    flight_ = starling::run::begin(std::move(staged), settings);
    positions_ = flight_->positions();
  }

  /// A part of the scout, a step, a move of all; once it is over, nothing.
  void unit() {
    if (over())
      return;
    flight_->take(1, [] { return starling::Signal::stop; });
    ++units_;
    positions_ = flight_->positions();
    if (!over())
      return;
    const auto outcome = flight_->outcome(true);
    for (const auto& [stage, count] : outcome.stages->gradients)
      gradients_ += double(count);
    verdict_ = word(outcome.diagnosis.judgement);
    sentence_ = sentence(outcome.diagnosis.judgement);
  }

  bool over() const { return flight_->over(); }
  /// The scout has no cloud yet.
  bool has_cloud() const { return flight_->done() > 0; }
  std::string stage() const { return over() ? "verdict" : flight_->stage(); }
  std::uint64_t units() const { return units_; }
  /// Of one particle, in all; known when it is over.
  double gradients() const { return gradients_; }
  const std::vector<double>& positions() const { return positions_; }
  const std::string& verdict() const { return verdict_; }
  const std::string& said() const { return sentence_; }

private:
  std::unique_ptr<starling::run::Flight> flight_;
  std::vector<double> positions_; // particles x dimensions
  std::uint64_t units_ = 0;
  double gradients_ = 0;
  std::string verdict_, sentence_;
};

} // namespace live
