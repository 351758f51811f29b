// A journey's state to columns and back.
#include "run/journey_columns.hpp"

#include <cstring>

namespace starling::run {

namespace {

const std::string mark = "journey ",
                  count_mark = "journey count "; // before the names of its columns

template <typename Number>
std::vector<Number> numbers(const std::string& bytes, const std::string& where) {
  std::vector<Number> values(bytes.size() / sizeof(Number));
  if (bytes.size() % sizeof(Number) != 0)
    throw io::BadData(where, "holds a state that is cut off");
  if (!values.empty())
    std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

} // namespace

void add_state(const JourneyState& state, Checkpoint& checkpoint) {
  for (const auto& [name, values] : state.columns)
    checkpoint.add(mark + name, std::span<const double>(values));
  for (const auto& [name, count] : state.counts)
    checkpoint.add(count_mark + name, std::span<const std::uint64_t>(&count, 1));
}

JourneyState state_in(const Checkpoint& checkpoint, const std::string& where) {
  JourneyState state;
  for (const auto& [name, bytes] : checkpoint.columns)
    if (name.starts_with(count_mark)) {
      const auto one = numbers<std::uint64_t>(bytes, where);
      state.counts[name.substr(count_mark.size())] = one.empty() ? 0 : one[0];
    } else if (name.starts_with(mark)) {
      state.columns[name.substr(mark.size())] = numbers<double>(bytes, where);
    }
  return state;
}

} // namespace starling::run
