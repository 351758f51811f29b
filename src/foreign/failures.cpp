// Counting failures.
#include "foreign/failures.hpp"

#include <algorithm>

namespace starling::foreign {

void Failures::note(std::size_t row, std::string reason) {
  const std::lock_guard lock(door_);
  noted_.emplace_back(row, std::move(reason));
}

void Failures::settle() {
  std::sort(noted_.begin(), noted_.end());
  for (auto& noted : noted_) {
    std::string& reason = noted.second;
    const auto known = std::find_if(counts_.begin(), counts_.end(),
                                    [&](const auto& count) { return count.first == reason; });
    if (known != counts_.end())
      ++known->second;
    else if (counts_.size() < most)
      counts_.emplace_back(std::move(reason), 1);
    else
      ++others_;
  }
  noted_.clear();
}

std::vector<std::string> Failures::lines() const {
  const auto times = [](std::size_t n) {
    return n == 1 ? std::string("once") : std::to_string(n) + " times";
  };
  std::vector<std::string> lines;
  for (const auto& [reason, count] : counts_)
    lines.push_back(what_ + " failed " + times(count) + ", " + then_ + ": " + reason);
  if (others_ > 0)
    lines.push_back(what_ + " failed " + times(others_) + " for other reasons, " + then_);
  return lines;
}

} // namespace starling::foreign
