// Tells how far a run is, now and then, to whoever wants to show it. Prints nothing itself.
#pragma once

#include <starling/concepts.hpp>

#include <chrono>
#include <functional>
#include <utility>

namespace starling {

struct ProgressReport {
  Step done = 0, total = 0;
  double seconds = 0;      ///< since the first step
  double seconds_left = 0; ///< at the pace so far
};

/// Calls show(report) at most once per `pause` seconds; reads the clock once per step.
class Progress {
public:
  Progress(Step total, double pause, std::function<void(const ProgressReport&)> show)
      : total_(total), pause_(pause), show_(std::move(show)) {}

  template <Particles P>
  Signal operator()(Step k, const P&, const Batches&) {
    tell(k);
    return Signal::go_on;
  }

  /// After step k, for a caller who has the number only.
  void tell(Step k) {
    const auto now = Clock::now();
    if (!started_) {
      started_ = true;
      first_ = k;
      begin_ = last_ = now;
    } else if (std::chrono::duration<double>(now - last_).count() >= pause_) {
      last_ = now;
      const double seconds = std::chrono::duration<double>(now - begin_).count();
      const double pace = seconds / static_cast<double>(k - first_);
      show_({k + 1, total_, seconds,
             total_ > k + 1 ? pace * static_cast<double>(total_ - (k + 1)) : 0.0});
    }
  }

private:
  using Clock = std::chrono::steady_clock;
  Step total_, first_ = 0;
  double pause_;
  std::function<void(const ProgressReport&)> show_;
  bool started_ = false;
  Clock::time_point begin_, last_;
};

} // namespace starling
