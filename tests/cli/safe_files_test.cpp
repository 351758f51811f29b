// Files that have no end, runs that do not fit, states that could be mistaken: refused in a
// sentence, before anything is taken.
#include "io/scratch.hpp"
#include "results.hpp"

#include <gmock/gmock.h>

#include <sys/resource.h>
#include <sys/stat.h>

namespace starling::cli {
namespace {

using testing::HasSubstr;

const std::string only = ": only regular files can be read, and stdin with -";

TEST(SafeFiles, DevicesAndPipesAreNoData) {
  const Place place;
  ASSERT_EQ(::mkfifo((place.path("") / "pipe").c_str(), 0600), 0);
  const std::string run = "sample logistic --label y --out m --time-limit 5 --data ";
  const auto refused = [&](const std::string& line, const std::string& name,
                           const std::string& what) {
    const Ended ended = place.run(line);
    EXPECT_EQ(ended.code, input_missing) << line;
    EXPECT_EQ(ended.err, "starling: " + name + ": is a " + what + only + "\n") << line;
    EXPECT_FALSE(place.has("m"));
  };
  refused(run + "/dev/zero", "/dev/zero", "device");
  refused(run + "pipe", "pipe", "pipe");
}

TEST(SafeFiles, DevicesAndPipesAreNoSummaryAndNoState) {
  const Place place;
  fs::create_directories(place.path("s"));
  ASSERT_EQ(::mkfifo((place.path("") / "s/run-1.checkpoint").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", place.path("s/summary.json"));
  for (const auto& [line, name, what] :
       {std::tuple("summary /dev/zero", "/dev/zero", "device"),
        std::tuple("summary s", "s/summary.json", "device"),
        std::tuple("convert /dev/zero a.npz", "/dev/zero", "device"),
        std::tuple("sample --resume s --time-limit 5", "s/run-1.checkpoint", "pipe"),
        std::tuple("sample normal --start s/run-1.checkpoint --particles 8 --steps 2",
                   "s/run-1.checkpoint", "pipe")}) {
    const Ended ended = place.run(line);
    EXPECT_EQ(ended.code, input_missing) << line;
    EXPECT_EQ(ended.err, std::string("starling: ") + name + ": is a " + what + only + "\n") << line;
  }
}

TEST(SafeFiles, StdinIsReadWhereADashAsksForIt) {
  const Place place;
  std::string table = "a,y\n";
  for (int i = 0; i < 40; ++i)
    table += std::to_string(i % 7) + "," + std::to_string(i % 2) + "\n";
  place.write("d.csv", table);
  const std::string run = "sample logistic --label y --particles 16 --steps 5 --runs 2 --quiet ";
  succeed(place, run + "--data d.csv --out a");
  EXPECT_EQ(place.start_with("d.csv", run + "--data - --out b").wait().code, ok);
  EXPECT_EQ(place.read("a/draws.npz"), place.read("b/draws.npz"));
  EXPECT_EQ(place.start_with("a/draws-1.csv", "summary -").wait().out,
            succeed(place, "summary a/draws-1.csv"));
}

TEST(SafeFiles, ABombIsRefusedBeforeItsTextIsThere) {
  const Place place;
  place.write("bomb.csv.xz", io::xz_packed(std::string(std::size_t{400} << 20, '1')));
  const Ended ended = place.run("sample logistic --data bomb.csv.xz --label y --out m");
  EXPECT_EQ(ended.code, bad_data);
  EXPECT_EQ(ended.err, "starling: bomb.csv.xz: xz: unpacks to more than 256 MiB and more than 250 "
                       "times its size, too much for a table\n");
}

TEST(SafeFiles, AnEmptyNameIsNoFolder) { // --out "$DIR" in a script, and DIR is not set
  const Place place;
  Running running(STARLING_BINARY, {"sample", "normal", "--steps", "2", "--out", ""},
                  place.path(""), place.path("").parent_path().parent_path() / "streams", {});
  const Ended ended = running.wait();
  EXPECT_EQ(ended.code, usage);
  EXPECT_EQ(ended.err, "starling: --out: must name a folder; got ''\n");
}

TEST(SafeFiles, ARunThatCannotFitIsRefusedByItsSize) {
  NO_MEMORY_LIMITS_UNDER_SANITIZERS();
  const Place place;
  for (const std::string line :
       {"sample normal --dim 100000000 --particles 8 --out m",
        "sample normal --dim 100000000 --particles 8 --method auto --out m",
        "sample normal --dim 1000000000 --particles 1000000 --steps 3 --out m",
        "sample normal --dim 1000 --particles 1000000 --steps 3 --memory-limit 2G --threads 1 "
        "--out m"}) {
    const Ended ended = place.run(line);
    EXPECT_EQ(ended.code, failed) << line;
    EXPECT_THAT(ended.err, testing::StartsWith("starling: memory: "));
    EXPECT_THAT(ended.err, HasSubstr(" dimensions need at least "));
    EXPECT_THAT(ended.err, HasSubstr(", more than the "));
    EXPECT_TRUE(place.everything().empty());
  }
}

/// A run that was killed after a checkpoint.
void leave_a_state(const Place& place, const std::string& out, const std::string& folder) {
  Running running = place.start("sample normal --particles 8 --batch 2 --steps 100000000 --threads "
                                "1 --checkpoint-every 50 --quiet --out " +
                                out);
  running.until("a checkpoint", [&] { return place.has(folder + "/run-1.checkpoint"); });
  running.signal(SIGKILL);
  running.wait_for_code();
}

TEST(TwoStates, AreNotMistakenForOneAnother) {
  const Place place;
  leave_a_state(place, "q", "q-state");
  leave_a_state(place, "q", "q-state-2");
  ASSERT_TRUE(place.has("q-state/run-1.checkpoint"));
  ASSERT_TRUE(place.has("q-state-2/run-1.checkpoint"));
  for (const std::string name : {"q", "q/", "./q"}) {
    const Ended ended = place.run("sample --quiet --steps 1 --resume " + name);
    EXPECT_EQ(ended.code, usage) << name;
    EXPECT_THAT(ended.err, HasSubstr("--resume: "));
    EXPECT_THAT(ended.err, HasSubstr("q-state and "));
    EXPECT_THAT(ended.err, HasSubstr("q-state-2 each have the state of a run"));
  }
  EXPECT_EQ(place.run("sample --quiet --resume q-state-2 --time-limit 1").code, over_time);
  fs::remove_all(place.path("q-state"));
  EXPECT_EQ(place.run("sample --quiet --resume q --time-limit 1").code, over_time);
}

} // namespace
} // namespace starling::cli
