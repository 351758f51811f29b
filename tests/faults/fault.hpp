// Commands on a machine that runs out of something, and what must hold afterwards.
#pragma once

#include "cli/command.hpp"

#include <cstdlib>
#include <sstream>

namespace starling::faults {

using namespace cli;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKIP_UNDER_SANITIZERS()                                                                    \
  GTEST_SKIP() << "sanitizers bring an allocator of their own, which cannot be replaced"
#else
#define SKIP_UNDER_SANITIZERS()
#endif

/// With the library that makes things fail loaded first.
inline Running::Environment failing(const std::string& what, long at) {
  return {{"LD_PRELOAD", std::string(STARLING_TEST_LIBRARIES) + "/faults.so"},
          {what, std::to_string(at)}};
}

struct Counts {
  long allocations = 0, bytes = 0, calls = 0;
};

/// How many of each the command takes where nothing fails.
inline Counts count(const Place& place, const std::string& line) {
  auto environment = failing("COUNT", 0);
  const fs::path file = place.path("").parent_path().parent_path() / "streams" /
                        "counts"; // not among the command's files
  environment["COUNT"] = file.string();
  const Ended ended = place.run(line, environment);
  EXPECT_EQ(ended.code, ok) << ended.err;
  Counts counts;
  std::istringstream(bytes_of(file)) >> counts.allocations >> counts.bytes >> counts.calls;
  return counts;
}

/// About `tried` of the places from `first` to `last`; as many as STARLING_FAULTS says where it is
/// a number, all where it is "all".
inline std::vector<long> places(long first, long last, long tried) {
  if (const char* wanted = std::getenv("STARLING_FAULTS"))
    tried = std::string(wanted) == "all" ? last : std::max(1L, std::atol(wanted));
  const long every = std::max(1L, (last - first + 1) / tried);
  std::vector<long> at;
  for (long n = first; n <= last; n += every)
    at.push_back(n);
  return at;
}

/// Ended with a sentence and a code of its own, not by a signal.
inline void expect_calm(const Ended& ended, const std::string& when) {
  EXPECT_LT(ended.code, 126) << when << ": " << ended.err;
  if (ended.code != ok) {
    EXPECT_TRUE(ended.err.starts_with("starling: ")) << when << ": " << ended.err;
    EXPECT_LE(lines_of(ended.err).size(), 2u) << when << ": " << ended.err;
  }
}

/// The folder as it was; beside it there may be a state, but nothing hidden and nothing
/// half-written.
inline void expect_as_before(const Place& place, const std::map<std::string, std::string>& before,
                             const std::string& when) {
  std::map<std::string, std::string> rest;
  for (const auto& [name, content] : place.everything())
    if (name.find("-state") == std::string::npos)
      rest[name] = content;
  EXPECT_EQ(rest, before) << when;
}

} // namespace starling::faults
