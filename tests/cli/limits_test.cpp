// What the machine does not give: threads that cannot be started; and a process that must end.
#include "command.hpp"

#include <gmock/gmock.h>

#include <sys/resource.h>

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
                                  "--bandwidth 1 --steps 5 --out out/m");
    for (int tries = 0; tries < 6000 && !place.has("out"); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    running.signal(first);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    running.signal(second);
    EXPECT_EQ(running.wait_for_code(), 128 + second);
  }
}

} // namespace
} // namespace starling::cli
