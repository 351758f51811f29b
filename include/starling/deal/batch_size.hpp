// How many particles a batch has at step k: fixed, or growing with time (the paper's section 5).
#pragma once

#include <starling/error.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

namespace starling {

/// p as a function of the step; the dealer caps it at N. Made from a number, or by one of the
/// rules.
class BatchSize {
public:
  /// The same p at every step.
  BatchSize(std::size_t p) : first_(checked(p)), rule_([p](Step) { return double(p); }) {}

  /// p, 2p, 4p, ...: doubled after every `every` steps.
  static BatchSize doubling(std::size_t p, Step every) {
    if (every == 0)
      reject("grow_batch", "doubled after at least 1 step", "0");
    return {p, [p, every](Step k) {
              return std::ldexp(double(p), int(std::min<Step>(k / every, 64)));
            }};
  }
  /// p (1 + k)^exponent, rounded.
  static BatchSize power(std::size_t p, double exponent) {
    if (!(exponent >= 0) || !std::isfinite(exponent))
      reject("grow_batch", "a power of at least 0", shown(exponent));
    return {p, [p, exponent](Step k) {
              return std::round(double(p) * std::pow(1 + double(k), exponent));
            }};
  }

  std::size_t operator()(Step k, std::size_t population) const {
    return static_cast<std::size_t>(std::min(rule_(k), double(population)));
  }
  /// p at step 0.
  std::size_t first() const { return first_; }

private:
  BatchSize(std::size_t p, std::function<double(Step)> rule)
      : first_(checked(p)), rule_(std::move(rule)) {}

  static std::size_t checked(std::size_t p) {
    if (p < 2)
      reject("batch_size", "at least 2", std::to_string(p));
    return p;
  }

  std::size_t first_;
  std::function<double(Step)> rule_;
};

} // namespace starling
