// The crew of threads: every piece once, the lowest failure reported, and fit for work afterwards.
#include <starling/threads.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace starling {
namespace {

constexpr std::size_t crews[] = {1, 2, 7};

/// What for_pieces throws when these pieces of a hundred fail, the lowest of them slowly.
std::string failure(Threads& threads, const std::vector<std::size_t>& failing) {
  const std::size_t lowest =
      failing.empty() ? 0 : *std::min_element(failing.begin(), failing.end());
  try {
    threads.for_pieces(1000, 10, [&](std::size_t begin, std::size_t) {
      const std::size_t piece = begin / 10;
      if (std::find(failing.begin(), failing.end(), piece) == failing.end())
        return;
      if (piece == lowest)
        std::this_thread::sleep_for(std::chrono::microseconds(300));
      throw std::runtime_error(std::to_string(piece));
    });
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(Threads, DoesEveryPieceExactlyOnce) {
  for (const std::size_t count : crews) {
    Threads threads(count);
    EXPECT_EQ(threads.count(), count);
    for (const std::size_t n : {0u, 1u, 9u, 10u, 11u, 100u, 1001u})
      for (const std::size_t grain : {1u, 10u, 5000u}) {
        std::vector<std::atomic<int>> seen(n);
        threads.for_pieces(n, grain, [&](std::size_t begin, std::size_t end) {
          EXPECT_EQ(begin % grain, 0u); // cut by n and grain alone
          EXPECT_EQ(end, std::min(n, begin + grain));
          for (std::size_t i = begin; i < end; ++i)
            ++seen[i];
        });
        for (const auto& times : seen)
          EXPECT_EQ(times, 1);
      }
  }
}

TEST(Threads, RethrowsTheLowestFailureWhoeverMetItFirst) {
  for (const std::size_t count : crews) {
    Threads threads(count);
    for (int repeat = 0; repeat < 20; ++repeat) {
      EXPECT_EQ(failure(threads, {50, 3, 97}), "3") << count << " threads";
      EXPECT_EQ(failure(threads, {99}), "99") << count << " threads";
      EXPECT_EQ(failure(threads, {0, 1, 2, 3, 4, 5}), "0") << count << " threads";
    }
  }
}

TEST(Threads, DoesThePiecesAfterAFailureToo) {
  for (const std::size_t count : crews) {
    Threads threads(count);
    std::atomic<int> done{0};
    EXPECT_THROW(threads.for_pieces(100, 1,
                                    [&](std::size_t begin, std::size_t) {
                                      ++done;
                                      if (begin == 0)
                                        throw std::runtime_error("first");
                                    }),
                 std::runtime_error);
    EXPECT_EQ(done, 100) << count << " threads";
  }
}

TEST(Threads, WorksOnAfterAFailure) {
  for (const std::size_t count : crews) {
    Threads threads(count);
    for (int repeat = 0; repeat < 20; ++repeat) {
      EXPECT_EQ(failure(threads, {42}), "42");
      EXPECT_EQ(failure(threads, {}), "none"); // an old failure is not reported again
    }
  }
}

TEST(Threads, LetsTheFailureOfASinglePieceThrough) {
  for (const std::size_t count : crews) {
    Threads threads(count);
    EXPECT_THROW(threads.for_pieces(
                     5, 10, [](std::size_t, std::size_t) { throw std::invalid_argument("only"); }),
                 std::invalid_argument);
  }
}

TEST(Threads, OneCrewMayWorkForAPieceOfAnother) {
  Threads outer(2);
  std::atomic<int> done{0};
  outer.for_pieces(6, 1, [&](std::size_t, std::size_t) {
    Threads inner(2);
    inner.for_pieces(10, 1, [&](std::size_t, std::size_t) { ++done; });
  });
  EXPECT_EQ(done, 60);
}

TEST(Threads, TheCrewOfOneServesSeveralCallersAtOnce) {
  // Two samplers in two threads of the user's own, neither of which asked for threads: the second
  // takes a whole sweep while the first is in the middle of one.
  const auto sweep = [](auto&& during) {
    std::vector<int> seen(64);
    Threads::alone().for_pieces(64, 1, [&](std::size_t begin, std::size_t) {
      ++seen[begin];
      if (begin == 10)
        during();
    });
    return seen;
  };
  std::vector<int> first, second;
  first = sweep([&] { std::thread([&] { second = sweep([] {}); }).join(); });
  EXPECT_EQ(first, std::vector<int>(64, 1));
  EXPECT_EQ(second, std::vector<int>(64, 1));
}

/// Runs `work` in a process that is forked off, and gives its exit code; -1: it did not end.
template <typename Work>
int in_a_child(Work&& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 99;
    try {
      code = work();
    } catch (...) {
    }
    ::_exit(code);
  }
  int status = 0;
  for (int waits = 0; ::waitpid(child, &status, WNOHANG) == 0; ++waits) {
    if (waits == 30000) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::size_t sum_of_pieces(Threads& threads) {
  std::atomic<std::size_t> sum{0};
  threads.for_pieces(100, 1, [&](std::size_t begin, std::size_t) { sum += begin; });
  return sum;
}

TEST(Threads, WorkInAProcessThatWasForkedOff) {
  Threads threads(3);
  ASSERT_EQ(sum_of_pieces(threads), 4950u);
  const auto work = [&] {
    const bool right = sum_of_pieces(threads) == 4950 && sum_of_pieces(threads) == 4950;
    return right && threads.count() == 3 ? 0 : 1;
  };
  EXPECT_EQ(in_a_child(work), 0);
  EXPECT_EQ(sum_of_pieces(threads), 4950u); // and here they still do
}

TEST(Threads, LetAProcessEndThatWasForkedOffAndNeverUsedThem) {
  auto threads = std::make_unique<Threads>(3);
  EXPECT_EQ(in_a_child([&] {
              threads.reset(); // joins nobody
              return 0;
            }),
            0);
}

/// Lets this process have that much more memory than it has.
void leave_room(rlim_t bytes) {
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  const rlim_t most = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + bytes;
  const rlimit limit{most, most};
  ::setrlimit(RLIMIT_AS, &limit);
}

TEST(Threads, ThatCannotBeStartedAreAnErrorAndNobodyIsLeftBehind) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers end a program whose memory is limited before it can refuse";
#endif
  const int code = in_a_child([] {
    leave_room(rlim_t{256} << 20); // stacks of some threads, not of 1024
    try {
      Threads threads(1024);
      return 1;
    } catch (const std::system_error& error) {
      const std::string text = error.what();
      if (text.find("threads: 1024 were requested, but the system started only ") != 0 ||
          text.find("; request fewer: ") == std::string::npos)
        return 2;
    }
    Threads few(2); // the room of those that were started is free again
    return sum_of_pieces(few) == 4950 ? 0 : 3;
  });
  EXPECT_EQ(code, 0);
}

} // namespace
} // namespace starling
