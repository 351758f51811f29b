// The command line under mpirun: the same files, one voice, one end.
#include "mpi/mpirun.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace starling::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string raw = "sample banana --particles 130 --batch 4 --steps 100 --threads 1 --seed 3 --progress none";

/// The draws of a run, without the remarks, of which some are times.
std::string draws(const fs::path& folder) {
  std::string rows;
  for (const std::string& line : lines_of(bytes_of(folder / "draws.csv")))
    if (!line.starts_with("#"))
      rows += line + "\n";
  return rows;
}

/// Waits until a file is there; the test's own limit ends a wait for nothing.
void wait_for(const fs::path& file) {
  while (!fs::exists(file))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

/// How often a text holds another.
std::size_t times(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

/// Processes of this folder's run, by their command line.
std::vector<pid_t> ranks_in(const fs::path& folder) {
  std::vector<pid_t> found;
  const fs::path own = fs::canonical(folder);
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    std::error_code gone;
    if (name.find_first_not_of("0123456789") != std::string::npos || fs::read_symlink(entry.path() / "cwd", gone) != own ||
        fs::read_symlink(entry.path() / "exe", gone) != fs::canonical(STARLING_BINARY))
      continue;
    found.push_back(std::stoi(name));
  }
  return found;
}

TEST_F(Mpirun, WritesTheFilesOfOneProcess) {
  ASSERT_EQ(start_alone(raw + " --blocks 64 --out alone").wait().code, 0);
  for (const std::size_t ranks : {1, 2, 4}) { // seven as threads, in same_bits_test.cpp
    const std::string out = "on-" + std::to_string(ranks);
    const Ended ended = start(ranks, raw + " --out " + out).wait();
    ASSERT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(times(ended.out, "130 particles in 2 dimensions"), 1u) << ended.out;
    EXPECT_EQ(draws(folder_ / out), draws(folder_ / "alone")) << ranks << " ranks";
    EXPECT_EQ(bytes_of(folder_ / out / "config.toml"), bytes_of(folder_ / "alone" / "config.toml"));
  }
}

TEST_F(Mpirun, GoesInStagesAsOneProcessDoes) {
  const std::string auto_ = "sample normal --dim 3 --particles 60 --threads 1 --progress none";
  ASSERT_EQ(start_alone(auto_ + " --blocks 64 --out alone").wait().code, 0);
  const Ended ended = start(3, auto_ + " --out three").wait();
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(draws(folder_ / "three"), draws(folder_ / "alone"));
}

TEST_F(Mpirun, StopsAllRanksWhenOneIsAskedAndGoesOnWithAnotherNumber) {
  const std::string slow = "sample banana --particles 130 --batch 4 --steps 3000 --threads 1 --seed 3 --progress none";
  ASSERT_EQ(start_alone(slow + " --blocks 64 --out alone").wait().code, 0);
  Running running = start(4, slow + " --out four --checkpoint-every 10");
  wait_for(folder_ / "four-state" / "run-1.checkpoint");
  const std::vector<pid_t> ranks = ranks_in(folder_);
  ASSERT_EQ(ranks.size(), 4u);
  ::kill(ranks[2], SIGTERM);
  const Ended stopped = running.wait();
  EXPECT_EQ(stopped.code, interrupted) << stopped.err;
  EXPECT_EQ(times(stopped.err, "starling: interrupted; state after"), 1u) << stopped.err;
  const Ended ended = start(3, "sample --resume four --progress none").wait();
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(draws(folder_ / "four"), draws(folder_ / "alone"));
}

TEST_F(Mpirun, EndsWithinSecondsWhenARankIsKilled) {
  for (const std::size_t victim : {0, 2}) {
    const std::string out = "killed-" + std::to_string(victim);
    Running running = start(3, "sample banana --particles 130 --batch 4 --steps 100000000 --threads 1 --progress none "
                               "--checkpoint-every 20 --out " + out);
    wait_for(folder_ / (out + "-state") / "run-1.checkpoint");
    const std::vector<pid_t> ranks = ranks_in(folder_);
    ASSERT_EQ(ranks.size(), 3u);
    ::kill(ranks[victim], SIGKILL);
    const Ended ended = running.wait(); // whose own limit says if it does not end
    EXPECT_NE(ended.code, 0);
    EXPECT_THAT(ended.err, HasSubstr("Killed")) << ended.err;
    for (std::size_t tries = 0; !ranks_in(folder_).empty() && tries < 2000; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_TRUE(ranks_in(folder_).empty());
    EXPECT_EQ(start(2, "sample --resume " + out + " --steps 1 --progress none").wait().code, usage); // its state is whole: more steps are done
  }
}

TEST_F(Mpirun, SaysOnceWhatIsWrongOnEveryRankAndWhoseFaultItIsOnOne) {
  const Ended all = start(3, "sample banana --particles 0").wait();
  EXPECT_EQ(all.code, usage) << all.err;
  EXPECT_EQ(times(all.err, "starling: particles: must be at least 1; got 0"), 1u) << all.err;
  const Ended few = start(3, "sample banana --blocks 2").wait();
  EXPECT_EQ(times(few.err, "starling: blocks: 2 blocks are too few for 3 ranks"), 1u) << few.err;

  fs::create_directories(folder_ / "here");
  fs::create_directories(folder_ / "there");
  std::ofstream(folder_ / "here" / "data.csv") << "a,y\n0.5,1\n-1,0\n2,1\n0.3,0\n1,1\n-0.2,0\n";
  std::vector<std::string> arguments = {"--oversubscribe", "--allow-run-as-root"};
  const auto rank_in = [&](const std::string& folder) {
    for (const std::string& word : {std::string("-n"), std::string("1"), std::string("--wdir"), (folder_ / folder).string(),
                                    std::string(STARLING_BINARY)})
      arguments.push_back(word);
    for (const std::string& word : words("sample logistic --data data.csv --particles 20 --steps 5 --progress none"))
      arguments.push_back(word);
  };
  rank_in("here");
  arguments.push_back(":");
  rank_in("there");
  const Ended one = start_with(arguments).wait();
  EXPECT_NE(one.code, 0);
  EXPECT_EQ(times(one.err, "starling: rank 1: data.csv: "), 1u) << one.err;
  EXPECT_EQ(times(one.err, "starling: "), 1u) << one.err;
}

TEST_F(Mpirun, IsNotNeededByOneProcess) {
  const Ended ended = start_alone(raw).wait();
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
}

} // namespace
} // namespace starling::cli
