// Output folders that exist or cannot be written: exit code 73, and what was there stays.
#include "command.hpp"

namespace starling::cli {
namespace {

constexpr int cannot_write = 73;
const std::string small = "sample mixture --particles 16 --steps 3 --quiet --out ";

TEST(BadOutput, NeverReplacesAResultWithoutForce) {
  const Place place;
  succeed(place, small + "out/m");
  expect_refused(place, small + "out/m --seed 2", cannot_write,
                 "out/m: exists; choose another --out or add --force");
  expect_refused(place, small + "out/m/ --seed 2", cannot_write,
                 "out/m/: exists; choose another --out or add --force");
}

TEST(BadOutput, ForceReplacesAResultAndLeavesNothingBeside) {
  const Place place;
  succeed(place, small + "out/m");
  const auto before = place.everything();
  place.write("out/m/stray.txt", "from before");
  succeed(place, small + "out/m --seed 2 --force");
  const auto after = place.everything();
  EXPECT_FALSE(place.has("out/m/stray.txt"));
  EXPECT_NE(after.at("out/m/draws.npz"), before.at("out/m/draws.npz"));
  ASSERT_EQ(after.size(), before.size());
  for (const auto& [name, content] : before)
    EXPECT_TRUE(after.contains(name)) << name;
}

TEST(BadOutput, RefusesAPlaceThatCannotBeWritten) {
  const Place place;
  place.write("file", "precious");
  expect_refused(place, small + "file/m", cannot_write,
                 "file/m: cannot write: a part of the path is not a folder");
  expect_refused(place, small + "file", cannot_write,
                 "file: exists; choose another --out or add --force");
  expect_refused(place, small + "file --force", cannot_write,
                 "file: exists and is not a folder; choose another --out");
  expect_refused(place, small + "/proc/m", cannot_write, "/proc/m: cannot write: no such folder");
  expect_refused(place, small + ". --force", cannot_write,
                 ".: holds the working folder; choose another --out");
}

TEST(BadOutput, IsFoundBeforeTheRunAndNotAfterIt) {
  const Place place;
  place.write("file", "");
  const Ended ended = place.run("sample mixture --steps 100000000 --out file/m");
  EXPECT_EQ(ended.code, cannot_write);
  EXPECT_LT(ended.seconds, 20);
}

TEST(BadOutput, TellsWhenWhatItPrintsIsLost) {
  if (!fs::exists("/dev/full"))
    GTEST_SKIP() << "no /dev/full here";
  const Place place;
  fs::create_symlink("/dev/full", place.path("../streams/stdout"));
  Running running = place.start("info");
  EXPECT_EQ(running.wait_for_code(), cannot_write); // the stream itself reads as zeros without end
  EXPECT_EQ(running.err_so_far(), "starling: stdout: cannot write\n");
}

TEST(BadOutput, DemoReplacesOnlyItsOwnFolder) {
  const Place place;
  place.write("mine/notes.txt", "precious");
  expect_refused(place, "demo --out mine", cannot_write,
                 "mine: exists; choose another --out or add --force");
}

} // namespace
} // namespace starling::cli
