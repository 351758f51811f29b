// What the tests of experiments share: a quick measurement in a folder of its own, claims by words.
#pragma once

#include "experiment.hpp"

#include "io/scratch.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace starling::reproduce {

/// The quick measurement, as `starling reproduce --quick` makes it.
inline Json quick(Json (*measure)(Scope&), const std::filesystem::path& covertype = {}) {
  const io::Scratch scratch;
  Threads threads(2);
  Parts parts(scratch.path("parts"));
  Scope scope{true, threads, covertype, parts};
  return measure(scope);
}

/// The claim whose words contain that.
inline Json claim(const Json& report, const std::string& words) {
  for (const Json& one : report.at("claims"))
    if (one.at("says").get<std::string>().find(words) != std::string::npos)
      return one;
  ADD_FAILURE() << "no claim says \"" << words << '"';
  return {{"verdict", "none"}};
}

inline void expect_all_hold(const Json& report) {
  EXPECT_FALSE(report.at("claims").empty());
  for (const Json& one : report.at("claims"))
    EXPECT_EQ(one.at("verdict"), "holds") << one.dump(2);
}

} // namespace starling::reproduce
