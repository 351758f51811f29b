// What ends one rank ends all of them, soon, with one sentence; and the last checkpoint goes on.
#include "io/npy.hpp"
#include "mpi/mpirun.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <regex>

namespace starling::cli {
namespace {

using ::testing::HasSubstr;

constexpr double soon = 200; // seconds, on a machine where others work too

const std::string long_run = "sample banana --particles 130 --batch 4 --steps 100000000 --threads "
                             "1 --seed 3 --progress none";

/// The number of kills: a few each time, and as many as are asked for in STARLING_KILLS.
int kills_of_ranks() {
  const char* asked = std::getenv("STARLING_KILLS");
  return asked ? std::atoi(asked) : 3;
}

TEST_F(Mpirun, EndsSoonWhicheverRankIsKilledAndGoesOnFromTheLastCheckpoint) {
  std::mt19937 random(5);
  const fs::path state = folder_ / "killed-state" / "run-1.checkpoint";
  fs::file_time_type last{};
  const auto goes_on = [&](const Running& running) {
    running.until("a newer checkpoint",
                  [&] { return fs::exists(state) && fs::last_write_time(state) != last; });
  };
  for (int kill = 0; kill < kills_of_ranks(); ++kill) {
    Running running =
        start(3, kill == 0 ? long_run + " --checkpoint-every 5 --out killed"
                           : "sample --resume killed --checkpoint-every 5 --progress none");
    goes_on(running);
    const std::vector<pid_t> ranks = ranks_in(folder_);
    ASSERT_EQ(ranks.size(), 3u);
    std::this_thread::sleep_for(
        std::chrono::microseconds(random() % 20000)); // anywhere in a step, or in writing
    const auto began = std::chrono::steady_clock::now();
    const auto since = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    };
    ::kill(ranks[random() % 3], SIGKILL);
    const Ended ended = running.wait();
    EXPECT_NE(ended.code, 0);
    EXPECT_TRUE(std::regex_search(ended.err, std::regex("killed", std::regex::icase))) << ended.err;
    while (!ranks_in(folder_).empty() && since() < soon)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_LT(since(), soon);
    last = fs::last_write_time(state);
  }
  Running running = start(2, "sample --resume killed --checkpoint-every 5 --progress none");
  goes_on(running);
  ::kill(ranks_in(folder_).at(0), SIGTERM);
  const Ended stopped = running.wait();
  ASSERT_EQ(stopped.code, interrupted) << stopped.err;
  ASSERT_GT(steps_saved(stopped), 0u) << stopped.err;
  const std::string as_many = " --steps " + std::to_string(steps_saved(stopped));
  const Ended ended = start(3, "sample --resume killed --progress none" + as_many).wait();
  ASSERT_EQ(ended.code, 0) << ended.err;
  ASSERT_EQ(start_alone(long_run + as_many + " --blocks 64 --out alone").wait().code, 0);
  EXPECT_EQ(draws(folder_ / "killed"), draws(folder_ / "alone"));
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
  io::write_npy(folder_ / "here" / "data.npy",
                {{6, 2}, {0.5, 1, -1, 0, 2, 1, 0.3, 0, 1, 1, -0.2, 0}});
  const auto one_lacks = [&](const std::string& file, const std::vector<std::string>& folders) {
    std::vector<std::string> arguments;
    for (const std::string& folder : folders) {
      for (const std::string& word :
           {std::string(arguments.empty() ? "" : ":"), std::string("-n"), std::string("1"),
            std::string("-wdir"), (folder_ / folder).string(), std::string(STARLING_BINARY)})
        if (!word.empty())
          arguments.push_back(word);
      for (const std::string& word :
           words("sample logistic --data " + file + " --particles 20 --steps 5 --progress none"))
        arguments.push_back(word);
    }
    const Ended one = start_with(arguments).wait();
    EXPECT_NE(one.code, 0);
    EXPECT_LT(one.seconds, soon);
    EXPECT_EQ(times(one.err, "starling: "), 1u) << one.err;
    return one.err;
  };
  EXPECT_EQ(times(one_lacks("data.npy", {"here", "there"}), "starling: rank 1: data.npy: "),
            1u); // which each rank reads
  EXPECT_EQ(times(one_lacks("data.csv", {"there", "here"}), "starling: data.csv: "),
            1u); // which the first reads for all
}

TEST_F(Mpirun, RefusesAnotherBuildOnOneRank) {
  const fs::path there = folder_ / "another";
  fs::create_directories(there);
  fs::copy_file(STARLING_BINARY, there / "starling");
  fs::copy_file(fs::path(STARLING_BINARY).replace_filename("starling_mpi.so"),
                there / "starling_mpi.so");
  std::ofstream(there / "starling", std::ios::app | std::ios::binary)
      << "another"; // runs as before
  std::vector<std::string> arguments = {"-n", "2", STARLING_BINARY};
  const auto command = words("sample banana --particles 20 --steps 5 --progress none");
  arguments.insert(arguments.end(), command.begin(), command.end());
  for (const std::string& word :
       {std::string(":"), std::string("-n"), std::string("1"), (there / "starling").string()})
    arguments.push_back(word);
  arguments.insert(arguments.end(), command.begin(), command.end());
  const Ended ended = start_with(arguments).wait();
  EXPECT_EQ(ended.code, failed) << ended.err;
  EXPECT_LT(ended.seconds, soon);
  EXPECT_EQ(
      times(ended.err, "starling: rank 2: mpi: all ranks must have the same build; rank 2 has"), 1u)
      << ended.err;
  EXPECT_EQ(times(ended.err, "starling: "), 1u) << ended.err;
}

TEST_F(Mpirun, RefusesAModuleOfAnotherBuild) {
  const fs::path there = folder_ / "mixed";
  fs::create_directories(there);
  fs::copy_file(STARLING_BINARY, there / "starling");
  std::string module = bytes_of(fs::path(STARLING_BINARY).replace_filename("starling_mpi.so"));
  std::smatch build;
  ASSERT_TRUE(std::regex_search(module, build, std::regex("[0-9a-f]{64}")));
  const std::string own = build.str(), another(own.size(), own[0] == '7' ? '8' : '7');
  for (std::size_t at = module.find(own); at != std::string::npos; at = module.find(own))
    module.replace(at, another.size(), another);
  std::ofstream(there / "starling_mpi.so", std::ios::binary) << module;
  const Ended ended = start_with({"-n", "2", (there / "starling").string(), "sample", "banana",
                                  "--particles", "20"})
                          .wait();
  EXPECT_EQ(ended.code, failed) << ended.err;
  EXPECT_LT(ended.seconds, soon);
  EXPECT_GE(times(ended.err, "starling_mpi.so is of another build of starling"), 1u) << ended.err;
}

// Something is in the way from the middle of a step on: where the results belong, or in the place
// of the folder above, which goes away.
TEST_F(Mpirun, EndsTogetherWhereNothingCanBeWritten) {
  for (const bool no_state_either : {false, true}) {
    const fs::path above = folder_ / (no_state_either ? "both" : "one"),
                   file = above.string() + ".file";
    fs::create_directories(above);
    std::ofstream(file) << "in the way";
    const Ended ended = start(3,
                              std::string("sample plugin ") + STARLING_TEST_LIBRARIES +
                                  "/plugin_on_demand.so --particles 130 --batch 4 --steps 60 "
                                  "--threads 1 --progress none --checkpoint-every 10 --out " +
                                  (above / "out").string(),
                              {{"PUT_AT_CALL", "25"},
                               {"PUT", file},
                               {"PUT_AT", no_state_either ? above : above / "out"}})
                            .wait();
    EXPECT_EQ(ended.code, cannot_write) << ended.err;
    EXPECT_EQ(times(ended.err, "starling: "), 1u) << ended.err;
    EXPECT_THAT(ended.err,
                HasSubstr(no_state_either ? "is not a folder" : "continue with --resume"));
  }
}

} // namespace
} // namespace starling::cli
