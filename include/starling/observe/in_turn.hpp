// Several observers in turn, and an observer that looks only now and then.
#pragma once

#include <starling/concepts.hpp>

#include <tuple>
#include <utility>

namespace starling {

/// Every observer looks at every step; one that says stop is enough, after all have looked.
template <typename... Observers>
class InTurn {
public:
  explicit InTurn(Observers... observers) : observers_(std::forward<Observers>(observers)...) {}

  template <Particles P>
  Signal operator()(Step k, const P& particles, const Batches& batches) {
    Signal answer = Signal::go_on;
    std::apply(
        [&](auto&... observe) {
          ((answer = observe(k, particles, batches) == Signal::stop ? Signal::stop : answer), ...);
        },
        observers_);
    return answer;
  }

private:
  std::tuple<Observers...> observers_; // an observer given as an lvalue is kept by reference
};
template <typename... Observers>
InTurn(Observers&&...) -> InTurn<Observers...>;

/// Lets `observe` look at steps 0, every, 2 every, ...
template <typename Observe>
class Every {
public:
  Every(Step every, Observe observe) : every_(every), observe_(std::forward<Observe>(observe)) {
    if (every == 0)
      reject("every", "at least 1", "0");
  }

  template <Particles P>
  Signal operator()(Step k, const P& particles, const Batches& batches) {
    return k % every_ == 0 ? observe_(k, particles, batches) : Signal::go_on;
  }

private:
  Step every_;
  Observe observe_;
};
template <typename Observe>
Every(Step, Observe&&) -> Every<Observe>;

/// Looks at nothing.
struct NoObserver {
  template <Particles P>
  Signal operator()(Step, const P&, const Batches&) const {
    return Signal::go_on;
  }
};

} // namespace starling
