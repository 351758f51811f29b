// Output folders that exist or cannot be written: exit code 73, and what was there stays.
#include "command.hpp"

namespace starling::cli {
namespace {

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
  succeed(place, small + "out/m --seed 2 --force");
  const auto after = place.everything();
  EXPECT_NE(after.at("out/m/draws.npz"), before.at("out/m/draws.npz"));
  ASSERT_EQ(after.size(), before.size());
  for (const auto& [name, content] : before)
    EXPECT_TRUE(after.contains(name)) << name;
}

TEST(BadOutput, ForceTakesNothingThatNoRunWrote) {
  const Place place;
  place.write("mine/notes.txt", "precious");
  expect_refused(place, small + "mine --force", cannot_write,
                 "mine: is not the folder of a run (no .starling); delete it yourself or choose "
                 "another --out");
  succeed(place, small + "out/m");
  place.write("out/m/notes.txt", "precious");
  expect_refused(
      place, small + "out/m --force", cannot_write,
      "out/m: holds notes.txt, which no run wrote; move it away or choose another --out");
  fs::remove(place.path("out/m/notes.txt"));
  fs::create_directory_symlink(place.path("mine"), place.path("out/m/linked"));
  expect_refused(place, small + "out/m --force", cannot_write,
                 "out/m: holds linked, which no run wrote; move it away or choose another --out");
  fs::remove(place.path("out/m/linked"));
  succeed(place, small + "out/m --force");
  EXPECT_EQ(place.read("mine/notes.txt"), "precious");
}

TEST(BadOutput, ForceDoesNotFollowALink) {
  const Place place;
  succeed(place, small + "real");
  fs::create_directory_symlink("real", place.path("link"));
  for (const std::string name : {"link", "link/"})
    expect_refused(place, small + name + " --force", cannot_write,
                   name + ": is a link, which --force does not follow; choose another --out");
  fs::create_directory_symlink("nowhere", place.path("dangling"));
  for (const std::string name : {"dangling", "dangling --force"})
    expect_refused(place, small + name, cannot_write,
                   "dangling: is a link to a file that does not exist; choose another --out");
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
  EXPECT_LT(ended.seconds, 200);
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

TEST(BadOutput, OfMessagesLosesNoResult) {
  // Warnings, progress and the complaint itself: nowhere, to a full disk, to a reader that is gone.
  for (const std::string to : {"2>&-", "2>/dev/full", "2> >(exit)"}) {
    const Place place;
    const std::string line = "exec " STARLING_BINARY
                             " sample mixture --particles 5000 --steps 20000 --batch 2 "
                             "--bandwidth 1 --progress bar --out out/m " +
                             to;
    Running running("/bin/bash", {"-c", line}, place.path(""), place.path("..") / "streams", {});
    EXPECT_EQ(running.wait_for_code(), ok) << to;
    EXPECT_TRUE(place.has("out/m/draws.npz")) << to;
    Running refused("/bin/bash", {"-c", "exec " STARLING_BINARY " sample nothing " + to},
                    place.path(""), place.path("..") / "streams", {});
    EXPECT_EQ(refused.wait_for_code(), usage) << to;
  }
}

TEST(BadOutput, DemoReplacesOnlyItsOwnFolder) {
  const Place place;
  place.write("mine/notes.txt", "precious");
  expect_refused(place, "demo --out mine", cannot_write,
                 "mine: exists; choose another --out or add --force");
}

} // namespace
} // namespace starling::cli
