// The command line under mpirun: the same files, one voice, one end.
#include "mpi/mpirun.hpp"

#include <starling/back_ends.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling::cli {
namespace {

using ::testing::HasSubstr;

const std::string raw =
    "sample banana --particles 130 --batch 4 --steps 70 --threads 1 --seed 3 --progress none";

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
  const std::string endless =
      "sample banana --particles 130 --batch 4 --threads 1 --seed 3 --progress none --steps ";
  Running running = start(4, endless + "100000000 --out four --checkpoint-every 10");
  wait_for(running, folder_ / "four-state" / "run-1.checkpoint");
  const std::vector<pid_t> ranks = ranks_in(folder_);
  ASSERT_EQ(ranks.size(), 4u);
  ::kill(ranks[2], SIGTERM);
  const Ended stopped = running.wait();
  EXPECT_EQ(stopped.code, interrupted) << stopped.err;
  EXPECT_EQ(times(stopped.err, "starling: interrupted; state after"), 1u) << stopped.err;
  const std::string steps = std::to_string(steps_saved(stopped) + 20);
  const Ended ended = start(3, "sample --resume four --progress none --steps " + steps).wait();
  ASSERT_EQ(ended.code, 0) << ended.err;
  ASSERT_EQ(start_alone(endless + steps + " --blocks 64 --out alone").wait().code, 0);
  EXPECT_EQ(draws(folder_ / "four"), draws(folder_ / "alone"));
}

TEST_F(Mpirun, SaysOnceThatNoRankHasACard) {
  if (cuda::back_end().present())
    GTEST_SKIP() << "there is one";
  std::ofstream(folder_ / "table.csv") << "a,y\n1,0\n2,1\n3,0\n4,1\n";
  const Ended ended = start(3, "sample logistic --data table.csv --particles 130 --batch 2 --deal "
                               "matching --bandwidth 1 --steps 5 --device cuda")
                          .wait();
  EXPECT_EQ(ended.code, failed) << ended.err;
  EXPECT_EQ(times(ended.err, "starling: "), 1u) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("cuda"));
  const Ended normal = start(2, "sample normal --dim 2 --particles 130 --batch 2 --deal matching "
                                "--bandwidth 1 --steps 5 --device cuda")
                           .wait();
  EXPECT_EQ(normal.code, usage) << normal.err;
  EXPECT_EQ(times(normal.err, "starling: device: several ranks cannot share the target"), 1u)
      << normal.err;
}

TEST_F(Mpirun, IsNotNeededByOneProcess) {
  const Ended ended = start_alone(raw).wait();
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
}

TEST_F(Mpirun, LetsOneRankDoWhatRanksDoNotShare) {
  const Ended info = start(3, "info").wait();
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_EQ(times(info.out, "compiler "), 1u) << info.out;
  EXPECT_THAT(info.out, HasSubstr("mpi:0 ")); // the library that it has
  EXPECT_EQ(times(info.err, "starling: only sample runs on several ranks"), 1u) << info.err;
  ASSERT_EQ(start_alone(raw + " --out sample").wait().code,
            0); // a folder of the name of the command
  const Ended summary = start(2, "summary sample").wait();
  EXPECT_EQ(summary.code, 0) << summary.err;
  EXPECT_EQ(summary.out, start_alone("summary sample").wait().out); // once
  EXPECT_EQ(times(summary.err, "starling: only sample runs on several ranks"), 1u) << summary.err;
  const Ended within =
      start_with({"-n", "2", "sh", "-c", std::string(STARLING_BINARY) + " info && true"})
          .wait(); // not by mpirun itself
  EXPECT_EQ(times(within.err, "starling: rank 1: only sample runs on several ranks"), 1u)
      << within.err;
  const Ended wrong = start(2, "summary nowhere").wait();
  EXPECT_EQ(wrong.code, input_missing) << wrong.err;
  EXPECT_EQ(times(wrong.err, "nowhere"), 1u) << wrong.err;
}

} // namespace
} // namespace starling::cli
