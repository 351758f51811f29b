// What the machine does not give: threads that cannot be started; and a process that must end.
#include "command.hpp"

#include <gmock/gmock.h>

#include <sys/resource.h>
#include <sys/stat.h>

#include <tuple>

namespace starling::cli {
namespace {

using testing::MatchesRegex;

/// A target that does in one of its calls what the environment says.
const std::string on_demand = std::string(STARLING_TEST_LIBRARIES) + "/plugin_on_demand.so";

// The instruments of sanitizers need more room than this limit leaves; tests/reproducible has a
// case that runs under them too.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Limits, ThreadsThatCannotBeStartedEndTheCommandWithASentence) {
  const Place place;
  rlimit before{}, stack{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  ASSERT_EQ(::getrlimit(RLIMIT_STACK, &stack), 0);
  const rlimit narrow{rlim_t{2000000} * 1024, before.rlim_max},
      usual{rlim_t{8} << 20, stack.rlim_max};    // of one thread
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &narrow), 0); // for the command, which inherits it
  ASSERT_EQ(::setrlimit(RLIMIT_STACK, &usual), 0);
  Running running = place.start("sample normal --particles 16 --steps 3 --threads 1024 --out m");
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  ASSERT_EQ(::setrlimit(RLIMIT_STACK, &stack), 0);
  const Ended ended = running.wait();
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, MatchesRegex("starling: threads: 1024 were requested, but the system "
                                      "started only [1-9][0-9]*; request fewer: [A-Za-z ]*\n"));
  EXPECT_TRUE(place.everything().empty());
}
#endif

/// Runs until it is in the middle of a step that does not end, then does that with it; its exit
/// code.
template <typename Act>
int while_it_hangs(Act&& act) {
  const Place place;
  place.write("flag", "");
  Running running = place.start(
      "sample plugin " + on_demand +
          " --particles 20 --batch 4 --bandwidth 1 --steps 100 --threads 1 --quiet --out m",
      {{"PUT_AT_CALL", "21"}, {"PUT", "flag"}, {"PUT_AT", "hangs"}, {"HANG_AT_CALL", "21"}});
  running.until("it hangs", [&] { return place.has("hangs"); });
  act(running);
  return running.wait_for_code();
}

// The first signal waits for the end of the step, which here never comes; the second, of either
// kind, waits for nothing.
TEST(Limits, ASecondSignalAlwaysEndsTheProcess) {
  for (const auto& [first, second] : {std::array{SIGINT, SIGTERM}, std::array{SIGTERM, SIGINT}}) {
    const int code = while_it_hangs([first = first, second = second](const Running& running) {
      running.signal(first);
      running.until("the first is heard", [&] { return !running.catches(second); });
      running.signal(second);
    });
    EXPECT_EQ(code, 128 + second);
  }
}

TEST(Limits, TwoSignalsThatComeTogetherEndTheProcess) {
  const int code = while_it_hangs([](const Running& running) {
    for (const int signal : {SIGSTOP, SIGINT, SIGTERM, SIGCONT}) // it sleeps until both are there
      running.signal(signal);
  });
  EXPECT_THAT(code, testing::AnyOf(128 + SIGINT, 128 + SIGTERM));
}

TEST(Limits, TheTimeLimitSavesTheStateAndTheRunGoesOnAsIfNothingHadBeen) {
  const Place place;
  const std::string line =
      "sample plugin " + on_demand +
      " --particles 400 --batch 16 --bandwidth 1 --steps 300 --quiet --time-limit 1000 ";
  const Ended ended = place.run(line + "--out m", {{"ALARM_AT_CALL", "100"}});
  ASSERT_EQ(ended.code, over_time) << ended.err;
  EXPECT_EQ(ended.err, "starling: the time limit of 1000 s was reached; state after 100 steps "
                       "saved, continue with --resume m-state\n");
  EXPECT_EQ(place.run("sample --resume m-state --quiet --model " + on_demand).code, ok);
  EXPECT_EQ(place.run(line + "--out whole").code, ok);
  EXPECT_EQ(place.read("m/draws.npz"), place.read("whole/draws.npz"));
}

// Data that never come: a pipe that nobody writes to.
TEST(Limits, BeforeTheFirstStepTheProcessEndsAtOnceAndLeavesNothing) {
  for (const auto& [more, signal, code] :
       {std::tuple("", SIGTERM, interrupted), std::tuple("", SIGINT, interrupted),
        std::tuple("--time-limit 1 ", 0, over_time)}) {
    const Place place;
    ASSERT_EQ(::mkfifo((place.path("") / "d").c_str(), 0600), 0);
    Running running = place.start_with(
        "d",
        std::string("sample logistic --data - --label y --checkpoint-every 5 --out a/b/c ") + more);
    if (signal) {
      running.until("it listens", [&] { return running.catches(SIGHUP); }); // the last of the three
      EXPECT_TRUE(place.has("a/b"));
      running.signal(signal);
    }
    const Ended ended = running.wait();
    EXPECT_EQ(ended.code, code);
    EXPECT_EQ(ended.err, signal
                             ? "starling: interrupted before the first step; nothing was written\n"
                             : "starling: the time limit of 1 s was reached before the first step; "
                               "nothing was written\n");
    EXPECT_FALSE(place.has("a"));
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Limits, ACloudThatDoesNotFitIntoTheMemoryLimitIsRefusedInASentence) {
  const Place place;
  const std::string line =
      "sample normal --dim 2 --particles 3000000 --batch 2 --steps 2 --threads 1 --quiet --out m ";
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

TEST(Limits, MillionsOfStepsTakeNoMoreMemoryThanTenThousand) {
  TOO_LONG_UNDER_SANITIZERS();
  const Place place;
  const std::string line =
      "sample normal --dim 2 --particles 16 --batch 4 --bandwidth 1 --threads 1 --quiet --steps ";
  for (int again = 0; again < 5;
       ++again) // pages of libraries that happen to be there make runs differ by some 400 kB
    ASSERT_EQ(place.run(line + "10000").code, ok);
  const long before = largest_child_kb();
  ASSERT_EQ(place.run(line + "4000000").code, ok);
  EXPECT_LE(largest_child_kb(), before + 3000) << "one byte a step would be 4000 kB";
}

TEST(Limits, AreNumbersThatMakeSense) {
  const Place place;
  for (const std::string wrong : {"--time-limit 0", "--time-limit soon", "--memory-limit 0",
                                  "--memory-limit G", "--memory-limit -5M", "--memory-limit 8X"}) {
    const Ended ended = place.run("sample normal --particles 8 --steps 2 --out m " + wrong);
    EXPECT_EQ(ended.code, usage) << wrong;
    EXPECT_THAT(ended.err, testing::HasSubstr(wrong.substr(2, wrong.find(' ') - 2)));
    EXPECT_TRUE(place.everything().empty());
  }
}

} // namespace
} // namespace starling::cli
