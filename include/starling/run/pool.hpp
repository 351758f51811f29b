// Several runs with the same settings taken together.
#pragma once

#include <starling/run/flight.hpp>

#include <optional>
#include <span>

namespace starling::run {

/// All their draws as one cloud, with R-hat between the runs for each parameter and the worst of
/// their verdicts; of one run, itself. The runs are complete.
Outcome pool(std::span<const Outcome> runs);

/// The same to read, without a copy of a run that is the only one: it must outlive this.
class Pooled {
public:
  explicit Pooled(std::span<const Outcome> runs) : only_(&runs.front()) {
    if (runs.size() > 1)
      made_.emplace(pool(runs));
  }
  const Outcome& operator*() const { return made_ ? *made_ : *only_; }
  const Outcome* operator->() const { return &**this; }

private:
  const Outcome* only_;
  std::optional<Outcome> made_;
};

} // namespace starling::run
