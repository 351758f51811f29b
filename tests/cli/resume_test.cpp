// Runs that survive: killed, interrupted or out of disk, they go on as if never stopped.
#include "resume.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <random>

namespace starling::cli {
namespace {

using testing::HasSubstr;

/// Starts it with steps without end, kills it once there is a checkpoint, goes on for some more on
/// another number of threads, and compares with a run that was never stopped.
void expect_resumed(const Place& place, const std::string& what) {
  {
    Running running =
        place.start("sample " + what +
                    " --steps 100000000 --threads 1 --checkpoint-every 70 --quiet --out out/m");
    wait_for(running, place, state);
    running.signal(SIGKILL);
    EXPECT_EQ(running.wait().code, 128 + SIGKILL);
  }
  const Step done = steps_in(place, state);
  EXPECT_EQ(done % 70, 0u);
  const std::string steps = " --steps " + std::to_string(done + 91);
  succeed(place, "sample --resume out/m --quiet --threads 2" + steps);
  succeed(place, "sample " + what + " --quiet --out out/whole" + steps);
  EXPECT_EQ(draws_csv_of(place, "out/m"), draws_csv_of(place, "out/whole")) << what;
  EXPECT_EQ(place.read("out/m/draws.npz"), place.read("out/whole/draws.npz")) << what;
  EXPECT_FALSE(place.has("out/m-state")) << what;
}

TEST(Resume, EqualsAnUninterruptedRun) {
  for (const std::string what :
       {"banana --particles 64", "banana --particles 64 --precision single --advance adam",
        "normal --particles 65 --batch 2 --bandwidth 1",
        "normal --particles 64 --batch all --advance rmsprop", "mixture --particles 64 --replace",
        "mixture --particles 64 --grow-batch double:50 --advance decay",
        "normal --dim 3 --particles 64 --advance stochastic --kernel gaussian+bilinear"}) {
    const Place place;
    expect_resumed(place, what);
  }
}

TEST(Resume, EqualsAnUninterruptedRunOnBatchesOfData) {
  const Place place;
  place.write("d.csv", SmallData().text(200));
  expect_resumed(place, "logistic --data d.csv --particles 32 --data-batch 30 --start prior");
}

// A path is any bytes; the state keeps it, and the run goes on from it.
TEST(Resume, KeepsADataPathThatIsNotUtf8) {
  const Place place;
  place.write("d\xff.csv", SmallData().text(200));
  expect_resumed(place, "logistic --data d\xff.csv --particles 32 --data-batch 30");
}

// A start from the positions of a run: its own batches, and still the same when it is resumed.
TEST(Resume, EqualsAnUninterruptedRunThatStartedFromAnother) {
  const Place place;
  {
    Running running = place.start("sample banana --particles 64 --steps 100000000 "
                                  "--checkpoint-every 70 --quiet --out out/first");
    wait_for(running, place, "out/first-state/run-1.checkpoint");
    running.signal(SIGKILL);
    running.wait();
  }
  expect_resumed(place, "banana --particles 64 --start out/first-state/run-1.checkpoint");
}

TEST(Resume, GoesOnAfterCtrlCAndKeepsFinishedRuns) {
  const Place place;
  const std::string what = "plugin " + moody_plugin +
                           " --particles 64 --batch 8 --bandwidth 1 --runs 2 --steps 400 --seed 5";
  const Ended ended =
      place.run("sample " + what + " --checkpoint-every 50 --quiet --out out/m",
                {{"SIGNAL_AT_CALL", "620"}, {"SIGNAL", std::to_string(SIGINT)}}); // in the second
  EXPECT_EQ(ended.code, interrupted);
  EXPECT_THAT(ended.err, HasSubstr("saved, continue with --resume out/m-state"));
  const Step done = steps_in(place, "out/m-state/run-2.checkpoint");
  EXPECT_GT(done, 0u);
  EXPECT_LT(done, 400u);
  EXPECT_EQ(steps_in(place, state), 400u);
  succeed(place, "sample --resume out/m-state --quiet --model " + moody_plugin);
  succeed(place, "sample " + what + " --quiet --out out/whole");
  EXPECT_EQ(place.read("out/m/draws.npz"), place.read("out/whole/draws.npz"));
}

/// The number of kills: a few each time, and as many as are asked for in STARLING_KILLS.
int kills() {
  const char* asked = std::getenv("STARLING_KILLS");
  return asked ? std::atoi(asked) : 12;
}

TEST(Resume, SurvivesBeingKilledAtAnyMoment) {
  const std::string what = "sample mixture --particles 200 --batch 2 --runs 2 --steps 3000 "
                           "--threads 2 --quiet --out out/m ";
  const Place whole;
  const Ended uninterrupted = whole.run(what);
  ASSERT_EQ(uninterrupted.code, ok) << uninterrupted.err;
  std::mt19937 random(7); // of the moments only
  int killed = 0, lives = 0;
  double longest =
      0.02 + 0.6 * uninterrupted.seconds; // of a life, while the machine is as busy as it was
  while (killed < kills()) {
    const Place place;
    for (bool ended = false; !ended; ++lives) {
      const bool resumed = place.has(state);
      const Step before = resumed ? steps_in(place, state) : 0;
      Running running =
          place.start(resumed ? "sample --resume out/m --threads 2 --checkpoint-every 100 --quiet"
                              : what + "--checkpoint-every 100");
      std::this_thread::sleep_for(std::chrono::duration<double>(
          std::uniform_real_distribution<double>(0.005, longest)(random)));
      running.signal(SIGKILL);
      const Ended now = running.wait();
      ended = now.code == ok || place.has("out/m/summary.json"); // the last moment is after that
      if (!ended) {
        ASSERT_EQ(now.code, 128 + SIGKILL) << now.err;
      }
      killed += now.code != ok;
      const Step after = place.has(state) ? steps_in(place, state) : 0;
      if (place.has(state)) {
        EXPECT_GE(after, before); // nothing that was kept is lost
      }
      if (!ended && after <= before) // a busier machine: else it might never get anywhere
        longest *= 1.3;
      else if (now.code == ok) // a quieter one: else nobody might ever be killed
        longest /= 1.3;
    }
    for (const std::string run : {"1", "2"})
      EXPECT_EQ(lines_of(place.read("out/m/draws-" + run + ".csv")).size(),
                lines_of(whole.read("out/m/draws-" + run + ".csv")).size());
    EXPECT_EQ(place.read("out/m/draws.npz"), whole.read("out/m/draws.npz"));
  }
  RecordProperty("kills", killed);
  std::printf("killed %d times in %d lives\n", killed, lives);
}

TEST(Checkpoint, StopsTheRunWhenItCannotBeWrittenAndLosesNothingOlder) {
  const Place place;
  const std::string what =
      "sample normal --dim 20 --particles 400 --bandwidth 1 --steps 100000000 --quiet --out out/m ";
  {
    Running running = place.start(what + "--checkpoint-every 10");
    wait_for(running, place, state);
    running.signal(SIGKILL);
    running.wait();
  }
  const std::string older = place.read(state);
  // A file may have 64 KiB at most: the next checkpoint does not fit.
  const std::string line = "trap '' XFSZ; ulimit -f 64; exec " STARLING_BINARY
                           " sample --resume out/m --quiet --checkpoint-every 10";
  Running running("/bin/bash", {"-c", line}, place.path(""), place.path("..") / "streams", {});
  const Ended ended = running.wait();
  EXPECT_EQ(ended.code, cannot_write) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("out/m-state/run-1.checkpoint"));
  EXPECT_THAT(ended.err, HasSubstr("file too large"));
  EXPECT_EQ(place.read(state), older);
  succeed(place,
          "sample --resume out/m --quiet --steps " + std::to_string(steps_in(place, state) + 20));
  EXPECT_TRUE(place.has("out/m/draws.npz"));
}

} // namespace
} // namespace starling::cli
