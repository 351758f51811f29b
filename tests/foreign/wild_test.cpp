// Targets that go wrong on the way, and limits of time and memory: the state is saved, the sentence
// says what to do.
#include "foreign/libraries.hpp"

#include "cli/results.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>

namespace starling::foreign {
namespace {

using namespace cli;
using testing::HasSubstr;
using testing::MatchesRegex;

const std::string raw = " --particles 20 --batch 4 --bandwidth 1 --steps 1000000000 ";

TEST(Wild, WhatAPluginThrowsIsAFailureOfTheTargetAndTheStateIsKept) {
  for (const auto& [name, words] :
       {std::pair("plugin_throws", "the plugin threw: the lake is frozen"),
        std::pair("plugin_throws_number",
                  "the plugin threw something that is not a std::exception")})
    for (const std::string& method : {raw, std::string(" ")}) {
      const Place place;
      const Ended ended = place.run("sample plugin " + library(name) + method + "--out p");
      EXPECT_EQ(ended.code, failed);
      EXPECT_THAT(ended.err, HasSubstr(words));
      if (method == raw) {
        EXPECT_THAT(ended.err, HasSubstr("state after 20 steps saved, start from there with "
                                         "--start p-state/run-1.checkpoint"));
        EXPECT_TRUE(place.has("p-state/run-1.checkpoint"));
      }
    }
}

TEST(Wild, ATargetThatDoesNotComeBackIsGivenUpAfterTheTimeLimit) {
  const Place place, early; // two at a time: each waits ten seconds for its step
  const std::string line = "sample plugin " + library("plugin_on_demand") + raw +
                           "--time-limit 1000 --out p --checkpoint-every ";
  const Running::Environment hangs = {{"ALARM_AT_CALL", "21"}, {"HANG_AT_CALL", "21"}};
  Running running = place.start(line + "7", hangs), unsaved = early.start(line + "70", hangs);
  const Ended ended = running.wait(), ended_early = unsaved.wait();
  const std::string words =
      "starling: the time limit was reached and the current step does not end; ";
  EXPECT_EQ(ended.code, over_time);
  EXPECT_EQ(ended.err, words + "the state of the last checkpoint is in p-state\n");
  EXPECT_TRUE(place.has("p-state/run-1.checkpoint"));
  EXPECT_EQ(ended_early.code, over_time);
  EXPECT_EQ(ended_early.err, words + "no state was saved: the first checkpoint was not reached\n");
  EXPECT_FALSE(early.has("p-state/run-1.checkpoint"));
  EXPECT_LT(ended.seconds, 200);
}

TEST(Wild, MemoryAboveTheLimitEndsTheRunWithItsState) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take more memory than the limit leaves";
#endif
  const Place place;
  const Ended ended = place.run(
      "sample plugin " + library("plugin_leaks") + raw + "--threads 1 --memory-limit 300M --out p",
      {{"OPENBLAS_NUM_THREADS", "1"}}); // its threads take memory of their own
  EXPECT_EQ(ended.code, failed);
  EXPECT_THAT(
      ended.err,
      MatchesRegex(
          "starling: target: failed at step [0-9]+, particle 0: the plugin threw: std::bad_alloc; "
          "state after [0-9]+ steps saved, .*\n"));
  EXPECT_TRUE(place.has("p-state/run-1.checkpoint"));
}

TEST(Wild, NamesAndPathsOfAnyBytesLoseNothing) {
  const Place place;
  const std::string odd = "a\xff\xfe"
                          "b";
  const Ended named = place.run("sample plugin " + library("plugin_odd_names") +
                                " --particles 20 --quiet --out " + odd);
  EXPECT_EQ(named.code, ok) << named.err;
  EXPECT_TRUE(place.has(odd + "/summary.json"));
  EXPECT_EQ(place.run("summary " + odd).code, ok);
  place.write("d\n" + odd + ".csv", "x,y\n1,0\n2,1\n0.5,0\n3,1\n"); // with a line break
  std::vector<std::string> line =
      words("sample logistic --label y --particles 20 --batch 2 --steps 5 --quiet --out m --data");
  line.push_back("d\n" + odd + ".csv");
  Running running(STARLING_BINARY, line, place.path(""), place.path(".."), {});
  const Ended ended = running.wait();
  EXPECT_EQ(ended.code, ok) << ended.err;
  EXPECT_EQ(place.run("sample --config m/config.toml --quiet --out again").code, ok);
  EXPECT_EQ(place.read("m/draws.npz"), place.read("again/draws.npz"));
}

} // namespace
} // namespace starling::foreign
