// Time that passes in a scope, added to a sum.
#pragma once

#include <starling/run/flight.hpp>

#include <chrono>

namespace starling::run {

using Clock = std::chrono::steady_clock;

inline double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Adds the time it lives to a sum.
class Stopwatch {
public:
  explicit Stopwatch(double& sum) : sum_(sum) {}
  ~Stopwatch() { sum_ += since(begin_); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

private:
  double& sum_;
  Clock::time_point begin_ = Clock::now();
};

/// Some steps of a run: when it ends, also when a target throws, their time is in the total, and
/// what an advance called is its own no more.
class TimedSteps {
public:
  explicit TimedSteps(Timing& sums) : sums_(sums), before_(sums) {}
  ~TimedSteps() {
    sums_.total = so_far();
    sums_.advance -=
        sums_.score + sums_.drift + sums_.look - before_.score - before_.drift - before_.look;
  }
  TimedSteps(const TimedSteps&) = delete;
  TimedSteps& operator=(const TimedSteps&) = delete;

  double so_far() const { return before_.total + since(begin_); }

private:
  Timing& sums_;
  const Timing before_;
  const Clock::time_point begin_ = Clock::now();
};

} // namespace starling::run
