// A signal in any step: the state is saved, and the run goes on to the same draws. Folders that
// disappear.
#include "fault.hpp"

namespace starling::faults {
namespace {

const std::string plugin =
    std::string("plugin ") + STARLING_TEST_LIBRARIES + "/plugin_on_demand.so";

void try_all(const std::string& method, long last, long tried) {
  const Place place;
  succeed(place, "sample " + plugin + method + " --threads 1 --quiet --out whole");
  const std::string whole = place.read("whole/draws.npz");
  long resumed = 0;
  for (const long call : places(1, last, tried)) {
    std::error_code ignored;
    fs::remove_all(place.path("m"), ignored);
    const Ended ended = place.run("sample " + plugin + method + " --threads 1 --quiet --out m",
                                  {{"SIGNAL_AT_CALL", std::to_string(call)}});
    if (ended.code == ok) { // it came after the last step
      EXPECT_EQ(place.read("m/draws.npz"), whole);
      continue;
    }
    ASSERT_EQ(ended.code, interrupted) << "call " << call << ": " << ended.err;
    EXPECT_FALSE(place.has("m"));
    if (ended.err.find("no state to save") != std::string::npos) // the scout had not come to an end
      continue;
    ++resumed;
    const Ended again =
        place.run("sample --resume m-state --quiet --model" + plugin.substr(plugin.find(' ')));
    EXPECT_EQ(again.code, ok) << again.err;
    EXPECT_EQ(place.read("m/draws.npz"), whole) << "call " << call;
    EXPECT_FALSE(place.has("m-state"));
  }
  EXPECT_GT(resumed, tried / 3);
}

TEST(Signal, InAnyStepOfARawRun) {
  try_all(" --particles 24 --batch 4 --bandwidth 1 --steps 30", 30, 30);
}
TEST(Signal, InAnyPartOfARunInStages) { try_all(" --particles 24", 400, 40); }

TEST(Folder, OfTheStateThatDisappearsIsMadeAgain) {
  const Place place;
  const std::string line = "sample " + plugin +
                           " --particles 24 --batch 4 --bandwidth 1 --steps 30 --threads 1 --quiet "
                           "--checkpoint-every 5 --out a/m";
  succeed(place, line);
  const std::string whole = place.read("a/m/draws.npz");
  fs::remove_all(place.path("a"));
  const Ended ended =
      place.run(line, {{"REMOVE_AT_CALL", "12"}, {"REMOVE", place.path("a").string()}});
  EXPECT_EQ(ended.code, ok) << ended.err;
  EXPECT_EQ(place.read("a/m/draws.npz"), whole);
  EXPECT_FALSE(place.has("a/m-state"));
}

} // namespace
} // namespace starling::faults
