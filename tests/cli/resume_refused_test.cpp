// Runs that cannot go on as they are asked to: one line that says why, and nothing is lost.
#include "resume.hpp"

namespace starling::cli {
namespace {

/// A checkpoint whose column of ids is changed; its checksum is right.
void write_with_ids(const Place& place, const std::string& file,
                    const std::vector<std::uint64_t>& ids) {
  run::Checkpoint checkpoint = run::read_checkpoint(place.path(state));
  for (auto& [name, bytes] : checkpoint.columns)
    if (name == "id")
      bytes.assign(reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(std::uint64_t));
  run::write_checkpoint(place.path(file), checkpoint);
}

TEST(Resume, RefusesIdsThatAreNone) {
  const Place place;
  {
    Running running = place.start("sample normal --particles 3 --batch all --steps 100000000 "
                                  "--checkpoint-every 10 --quiet --out out/m");
    wait_for(running, place, state);
    running.signal(SIGKILL);
    running.wait();
  }
  write_with_ids(place, "bad/run-1.checkpoint", {0, 1, 1000000000000});
  write_with_ids(place, "twice/run-1.checkpoint", {0, 1, 1});
  expect_refused(place, "sample --resume bad --quiet", bad_data,
                 "bad/run-1.checkpoint: must hold each of the ids 0 to 2 once; got 1000000000000");
  expect_refused(place, "sample --resume twice --quiet", bad_data,
                 "twice/run-1.checkpoint: must hold each of the ids 0 to 2 once; got 1 twice");
  expect_refused(place, "sample normal --particles 3 --batch all --start bad/run-1.checkpoint",
                 bad_data,
                 "bad/run-1.checkpoint: must hold each of the ids 0 to 2 once; got 1000000000000");
}

TEST(Resume, RefusesSettingsThatTheRunHasAlready) {
  const Place place;
  expect_refused(place, "sample --resume out/m --batch 4", usage,
                 "--batch: cannot be changed with --resume: a resumed run keeps its settings");
  expect_refused(place, "sample normal --resume out/m", usage,
                 "TARGET: cannot be changed with --resume: a resumed run keeps its settings");
}

TEST(Resume, NamesACheckpointThatIsMissingOrBroken) {
  const Place place;
  expect_refused(place, "sample --resume out/m", input_missing,
                 "out/m/run-1.checkpoint: no such file");
  place.write(state, "starling checkpoint 1\nrubbish");
  expect_refused(place, "sample --resume out/m", bad_data,
                 state + ": is a damaged checkpoint: its checksum is wrong");
}

TEST(Resume, RefusesFewerStepsThanAreDone) {
  const Place place;
  EXPECT_EQ(
      place
          .run("sample banana --particles 16 --steps 20 --bandwidth 1 --quiet --advance constant "
               "--step-size 10 --out out/m")
          .code,
      failed);
  expect_refused(place, "sample --resume out/m --steps 0", usage,
                 "steps: must be at least the " + std::to_string(steps_in(place, state)) +
                     " that are done; got 0");
}

TEST(Resume, RefusesOtherStepsForARunInStages) {
  const Place place;
  const Ended ended =
      place.run("sample plugin " + moody_plugin + " --particles 100 --quiet --out out/m",
                {{"SIGNAL_AT_CALL", "200"}});
  ASSERT_EQ(ended.code, interrupted) << ended.err;
  const std::string resume = "sample --resume out/m --quiet --model " + moody_plugin;
  expect_refused(place, resume + " --steps 100000", usage,
                 "--steps: cannot be changed with --resume for a run of --method auto");
  succeed(place, resume);
}

TEST(Resume, OfOneStateByTwoIsRefusedToTheSecond) {
  const Place place;
  const std::string endless_run =
      "sample banana --particles 64 --bandwidth 1 --steps 100000000 --checkpoint-every 50 --quiet ";
  Running first = place.start(endless_run + "--out out/m");
  wait_for(first, place, state);
  const Ended refused = place.run("sample --resume out/m-state --quiet --out out/other");
  EXPECT_EQ(refused.code, cannot_write);
  EXPECT_EQ(refused.err,
            "starling: out/m-state: is in use by another process, which continues this run\n");
  EXPECT_FALSE(place.has("out/other"));
  // Another run of the same results keeps its state elsewhere, from its beginning.
  Running second = place.start(endless_run + "--seed 2 --out out/m");
  wait_for(second, place, "out/m-state-2/run-1.checkpoint");
  for (Running* running : {&first, &second}) {
    running->signal(SIGINT);
    EXPECT_EQ(running->wait().code, interrupted);
  }
  EXPECT_EQ(run::saved(run::read_checkpoint(place.path(state)), "first").seed, 1u);
  EXPECT_EQ(
      run::saved(run::read_checkpoint(place.path("out/m-state-2/run-1.checkpoint")), "second").seed,
      2u);
}

TEST(Resume, LeavesNoStateOfARunThatNeverBegan) {
  const Place place;
  expect_refused(place, "sample logistic --data none.csv --checkpoint-every 5 --out m",
                 input_missing, "none.csv: no such file");
}

TEST(Resume, WritesBesideTheStateOrWhereTheUserSays) {
  const Place place;
  Running running = place.start("sample banana --particles 16 --bandwidth 1 --steps 100000000 "
                                "--checkpoint-every 50 --quiet --out out/m");
  wait_for(running, place, state);
  running.signal(SIGKILL);
  running.wait();
  const std::string steps = " --quiet --steps " + std::to_string(steps_in(place, state) + 1);
  fs::create_directories(place.path("sent"));
  fs::copy(place.path("out/m-state"), place.path("sent/run"));
  expect_refused(
      place, "sample --resume sent/run" + steps, usage,
      "--out: sent/run/run-1.checkpoint says out/m; give --out, or --trust to write where it says");
  succeed(place, "sample --resume sent/run --out mine" + steps);
  EXPECT_TRUE(place.has("mine/draws.npz"));
  EXPECT_FALSE(place.has("out/m"));
  succeed(place, "sample --resume out/m-state" + steps);
  EXPECT_TRUE(place.has("out/m/draws.npz"));
}
} // namespace
} // namespace starling::cli
