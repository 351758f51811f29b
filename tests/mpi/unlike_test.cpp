// Ranks that were told different things, or read different files; and what all of them meet alike.
#include "io/npy.hpp"
#include "mpi/mpirun.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling::cli {
namespace {

using ::testing::HasSubstr;

constexpr double soon = 60; // seconds, on a machine where others work too

/// Two ranks, each in a folder and with a command of its own.
std::vector<std::string> two_ranks(const std::pair<fs::path, std::string>& first,
                                   const std::pair<fs::path, std::string>& second) {
  std::vector<std::string> all;
  for (const auto& [folder, command] : {first, second}) {
    if (!all.empty())
      all.push_back(":");
    for (const std::string& word : {std::string("-n"), std::string("1"), std::string("-wdir"),
                                    folder.string(), std::string(STARLING_BINARY)})
      all.push_back(word);
    for (const std::string& word : words(command))
      all.push_back(word);
  }
  return all;
}

void expect_said_once(const Ended& ended, int code, const std::string& text) {
  EXPECT_EQ(ended.code, code) << ended.err;
  EXPECT_LT(ended.seconds, soon);
  EXPECT_EQ(times(ended.err, "starling: "), 1u) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr(text));
}

TEST_F(Mpirun, RefusesAnotherCommandOnOneRank) { // they would wait for each other for ever
  const std::string run = "sample banana --particles 20 --batch 4 --steps 5 --progress none";
  expect_said_once(
      start_with(two_ranks({folder_, run}, {folder_, "summary out"})).wait(), failed,
      "mpi: all ranks must have the same command; rank 1 has summary, rank 0 has sample");
  expect_said_once(
      start_with(two_ranks({folder_, "summary out"}, {folder_, run})).wait(), failed,
      "mpi: all ranks must have the same command; rank 1 has sample, rank 0 has summary");
}

TEST_F(Mpirun, RefusesOtherSettingsOnOneRank) {
  const std::string run = "sample banana --particles 20 --batch 4 --steps 5 --progress none";
  expect_said_once(start_with(two_ranks({folder_, run + " --step-size 0.25"},
                                        {folder_, run + " --step-size 0.5"}))
                       .wait(),
                   failed,
                   "rank 1: mpi: all ranks must have the same settings; rank 1 has step-size = "
                   "0.5, rank 0 has step-size = 0.25");
  expect_said_once(start_with(two_ranks({folder_, run}, {folder_, run + " --bogus"})).wait(), usage,
                   "rank 1: --bogus: is not an option of sample");
  EXPECT_EQ(start_with(two_ranks({folder_, run}, {folder_, run + " --threads 2"})).wait().code,
            0); // which may differ
}

TEST_F(Mpirun, RefusesOtherDataOnOneRank) { // of a file that each rank reads
  const std::string run =
      "sample logistic --data data.npy --particles 20 --steps 5 --progress none";
  for (const char* folder : {"here", "there"})
    fs::create_directories(folder_ / folder);
  io::write_npy(folder_ / "here" / "data.npy",
                {{6, 2}, {0.5, 1, -1, 0, 2, 1, 0.3, 0, 1, 1, -0.2, 0}});
  io::write_npy(folder_ / "there" / "data.npy",
                {{6, 2}, {0.5, 0, -1, 1, 2, 0, 0.3, 1, 1, 0, -0.2, 1}});
  expect_said_once(start_with(two_ranks({folder_ / "here", run}, {folder_ / "there", run})).wait(),
                   failed, "rank 1: mpi: all ranks must have the same data.npy; rank 1 has one of");
}

TEST_F(Mpirun, SaysOnceWhatAllRanksMeetAlike) {
  // Everyone meets everyone, so that each rank holds the whole cloud; and its scores overflow.
  const std::string run = "sample banana --particles 40 --batch all --advance constant --step-size "
                          "1e120 --bandwidth 1 --steps 50 --progress none";
  const Ended alone = start_alone(run + " --blocks 64 --out alone").wait();
  const Ended ended = start(3, run + " --out together").wait();
  expect_said_once(ended, alone.code, "the score of parameter 0 is inf");
  EXPECT_NE(alone.code, 0);
  EXPECT_EQ(fs::exists(folder_ / "together-state"), fs::exists(folder_ / "alone-state"));
}

} // namespace
} // namespace starling::cli
