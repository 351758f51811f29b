// What the machine does not give: threads that cannot be started; and a process that must end.
#include "command.hpp"

#include <gmock/gmock.h>

#include <sys/resource.h>
#include <sys/stat.h>

#include <tuple>

namespace starling::cli {
namespace {

using testing::MatchesRegex;

// The instruments of sanitizers need more room than this limit leaves; tests/reproducible has a case
// that runs under them too.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Limits, ThreadsThatCannotBeStartedEndTheCommandWithASentence) {
  const Place place;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  const rlimit narrow{rlim_t{2000000} * 1024, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &narrow), 0); // for the command, which inherits it
  Running running = place.start("sample normal --particles 16 --steps 3 --threads 1024 --out m");
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  const Ended ended = running.wait();
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, MatchesRegex("starling: threads: asked for 1024, but the system started "
                                      "only [1-9][0-9]*; ask for fewer: [A-Za-z ]*\n"));
  EXPECT_TRUE(place.everything().empty());
}
#endif

// The first signal waits for the end of the step, which here is far away; the second, of either kind,
// waits for nothing.
TEST(Limits, ASecondSignalAlwaysEndsTheProcess) {
  for (const auto& [first, second] : {std::pair(SIGINT, SIGTERM), std::pair(SIGTERM, SIGINT)}) {
    const Place place;
    Running running = place.start("sample normal --dim 64 --particles 200000 --batch all "
                                  "--bandwidth 1 --steps 5 --checkpoint-every 1 --out out/m");
    for (int tries = 0; tries < 6000 && !place.has("out/m-state"); ++tries) // just before the first step
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    running.signal(first);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    running.signal(second);
    EXPECT_EQ(running.wait_for_code(), 128 + second);
  }
}

TEST(Limits, TheTimeLimitSavesTheStateAndTheRunGoesOnAsIfNothingHadBeen) {
  TOO_LONG_UNDER_SANITIZERS();
  const Place place;
  const std::string line = "sample normal --dim 2 --particles 4000 --batch 16 --bandwidth 1 --steps 15000 --quiet ";
  const Ended ended = place.run(line + "--time-limit 1 --out m");
  ASSERT_EQ(ended.code, over_time) << ended.err;
  EXPECT_THAT(ended.err, MatchesRegex("starling: the time limit of 1 s is over; state after [1-9][0-9]* steps saved, "
                                      "go on with --resume m-state\n"));
  EXPECT_EQ(place.run("sample --resume m-state --quiet").code, ok);
  EXPECT_EQ(place.run(line + "--time-limit 1000 --out whole").code, ok);
  EXPECT_EQ(place.read("m/draws.npz"), place.read("whole/draws.npz"));
}

// Data that never come: a pipe that nobody writes to.
TEST(Limits, BeforeTheFirstStepTheProcessEndsAtOnceAndLeavesNothing) {
  for (const auto& [more, signal, code] : {std::tuple("", SIGTERM, interrupted), std::tuple("", SIGINT, interrupted),
                                           std::tuple("--time-limit 1 ", 0, over_time)}) {
    const Place place;
    ASSERT_EQ(::mkfifo((place.path("") / "d.csv").c_str(), 0600), 0);
    Running running = place.start(std::string("sample logistic --data d.csv --label y --checkpoint-every 5 --out a/b/c ") + more);
    for (int tries = 0; tries < 6000 && !place.has("a/b") && signal; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (signal)
      running.signal(signal);
    const Ended ended = running.wait();
    EXPECT_EQ(ended.code, code);
    EXPECT_EQ(ended.err, signal ? "starling: interrupted before the first step; nothing was written\n"
                                : "starling: the time limit of 1 s is over before the first step; nothing was written\n");
    EXPECT_FALSE(place.has("a"));
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Limits, ACloudThatDoesNotFitIntoTheMemoryLimitIsRefusedInASentence) {
  const Place place;
  const std::string line = "sample normal --dim 2 --particles 3000000 --batch 2 --steps 2 --threads 1 --quiet --out m ";
  const Ended ended = place.run(line + "--memory-limit 0.2G", {{"OPENBLAS_NUM_THREADS", "1"}});
  EXPECT_EQ(ended.code, failed);
  EXPECT_THAT(ended.err, testing::HasSubstr("memory"));
  EXPECT_TRUE(place.everything().empty());
  EXPECT_EQ(place.run(line + "--memory-limit 8G").code, ok);
}
#endif

// Of the largest child so far: it must not have become larger.
long largest_child_kb() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return usage.ru_maxrss;
}

TEST(Limits, AMillionStepsTakeNoMoreMemoryThanTenThousand) {
  TOO_LONG_UNDER_SANITIZERS();
  const Place place;
  const std::string line = "sample normal --dim 2 --particles 16 --batch 4 --bandwidth 1 --threads 1 --quiet --steps ";
  for (int again = 0; again < 5; ++again) // pages of libraries that happen to be there make runs differ by some 400 kB
    ASSERT_EQ(place.run(line + "10000").code, ok);
  const long before = largest_child_kb();
  ASSERT_EQ(place.run(line + "1000000").code, ok);
  EXPECT_LE(largest_child_kb(), before + 500) << "one byte a step would be 1000 kB";
}

TEST(Limits, AreNumbersThatMakeSense) {
  const Place place;
  for (const std::string wrong : {"--time-limit 0", "--time-limit soon", "--memory-limit 0", "--memory-limit G", "--memory-limit -5M",
                                  "--memory-limit 8X"}) {
    const Ended ended = place.run("sample normal --particles 8 --steps 2 --out m " + wrong);
    EXPECT_EQ(ended.code, usage) << wrong;
    EXPECT_THAT(ended.err, testing::HasSubstr(wrong.substr(2, wrong.find(' ') - 2)));
    EXPECT_TRUE(place.everything().empty());
  }
}

} // namespace
} // namespace starling::cli
