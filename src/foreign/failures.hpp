// Failures of a foreign function that a run survives, counted by their messages.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace starling::foreign {

class Failures {
public:
  Failures(std::string what, std::string then) : what_(std::move(what)), then_(std::move(then)) {}

  /// At this row, for this reason. From any thread.
  void note(std::size_t row, std::string reason);

  /// After a sweep, from one thread: counts what was noted in the order of the rows, so that it
  /// does not matter which thread was first.
  void settle();

  /// "WHAT failed 3 times, THEN: REASON" for each of the first ten reasons met, and a line for the
  /// rest.
  std::vector<std::string> lines() const;

private:
  static constexpr std::size_t most = 10; // a reason may have numbers in it, and then no two agree

  std::string what_, then_;
  std::mutex door_;
  std::vector<std::pair<std::size_t, std::string>> noted_;
  std::vector<std::pair<std::string, std::size_t>> counts_;
  std::size_t others_ = 0;
};

} // namespace starling::foreign
