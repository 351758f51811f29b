// starling reproduce: figures in JSON, going on after an interruption, folders that are not its
// own.
#include "command.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace starling::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// No page is drawn here, whatever Python the machine has; the page has tests of its own.
const std::string settings = " --quick --python no-such-python --out ";

OrderedJson result_of(const Place& place, const std::string& folder, const std::string& name) {
  return OrderedJson::parse(place.read(folder + "/" + name + ".json"));
}

/// All that does not tell how long it took or where it was put.
OrderedJson figures_of(const Place& place, const std::string& folder) {
  OrderedJson result = result_of(place, folder, "growing-batch");
  result.erase("seconds");
  result.erase("command");
  return result;
}

TEST(Reproduce, WritesWhatWasAskedMeasuredAndFound) {
  TOO_LONG_UNDER_SANITIZERS();
  const Place place;
  const Ended ended = place.run("reproduce mixture-error" + settings + "r");
  EXPECT_EQ(ended.code, failed);
  EXPECT_THAT(
      ended.err,
      HasSubstr("warning: no page was drawn: no-such-python cannot import matplotlib and numpy"));
  EXPECT_THAT(ended.out, HasSubstr("mixture-error      Figure 2"));
  const OrderedJson result = result_of(place, "r", "mixture-error");
  std::vector<std::string> keys;
  for (const auto& [key, value] : result.items())
    keys.push_back(key);
  EXPECT_THAT(keys,
              ElementsAre("name", "title", "paper", "question", "version", "simd", "cores", "quick",
                          "seconds", "command", "settings", "data", "claims", "verdict"));
  EXPECT_EQ(result["name"], "mixture-error");
  EXPECT_EQ(result["quick"], true);
  EXPECT_EQ(result["command"], "starling reproduce mixture-error --quick --out r");
  EXPECT_EQ(result["data"]["sizes"].size(), 9u);
  EXPECT_GT(result["claims"].size(), 3u);

  const Ended again = place.run("reproduce mixture-error --json" + settings + "r");
  EXPECT_THAT(again.err, Not(HasSubstr("mixture-error/"))); // nothing is measured twice
  const OrderedJson summary = OrderedJson::parse(again.out);
  EXPECT_EQ(summary["experiments"][0]["name"], "mixture-error");
  EXPECT_EQ(summary["experiments"][0]["verdict"], result["verdict"]);
  EXPECT_EQ(summary["experiments"][0]["claims"], result["claims"]);
  EXPECT_TRUE(summary["page"].is_null());

  expect_refused(
      place, "reproduce mixture-error --out r", cannot_write,
      "r/mixture-error.json: is of a run with --quick; choose another --out or add --force");
}

TEST(Reproduce, GoesOnWithWhatIsMeasuredAndEndsAsIfItHadNotBeenCut) {
  const Place place;
  const std::string command = "reproduce growing-batch" + settings;
  place.run(command + "whole");
  fs::create_directories(place.path("cut"));
  fs::copy(place.path("whole/parts"), place.path("cut/parts"), fs::copy_options::recursive);
  for (const std::string part : {"p = 32", "doubling", "square root"})
    EXPECT_TRUE(fs::remove(place.path("cut/parts/growing-batch/" + part + ".json"))) << part;
  const Ended rest = place.run(command + "cut");
  for (const char* done : {"/p = 2\n", "/p = 8\n"})
    EXPECT_THAT(rest.err, Not(HasSubstr(done)));
  for (const char* measured : {"/p = 32\n", "/doubling\n", "/square root\n"})
    EXPECT_THAT(rest.err, HasSubstr(measured));
  EXPECT_EQ(figures_of(place, "cut"), figures_of(place, "whole"));
}

TEST(Reproduce, IsInterruptedAndKeepsWhatWasMeasured) {
  const Place place;
  Ended ended;
  for (int tries = 0; tries < 20 && ended.code != interrupted;
       ++tries) { // it may be over before the signal comes
    fs::remove_all(place.path("cut"));
    Running cut = place.start("reproduce growing-batch" + settings + "cut");
    cut.until("a part", [&] { return place.has("cut/parts/growing-batch/p = 2.json"); });
    cut.signal(SIGINT);
    ended = cut.wait();
  }
  EXPECT_EQ(ended.code, interrupted);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr("starling: interrupted; the figures so far are in cut: the same "
                                   "command continues from there\n"));
  EXPECT_TRUE(place.has("cut/parts/growing-batch/p = 2.json"));
  EXPECT_FALSE(place.has("cut/growing-batch.json"));
}

TEST(Reproduce, RefusesNamesThatItDoesNotKnow) {
  const Place place;
  expect_refused(place, "reproduce mixture-eror --out r", usage,
                 "experiment: must be one of mixture-density, mixture-error, mixture-runtime, "
                 "logistic-accuracy, "
                 "logistic-runtime, lemma, theorem, algorithm-2, growing-batch; got "
                 "'mixture-eror'; did you mean "
                 "'mixture-error'?");
}

TEST(Reproduce, RefusesToGoWithoutAFolderOrTheData) {
  const Place place;
  expect_refused(place, "reproduce lemma", usage,
                 "--out: must be given; see starling reproduce --help");
  expect_refused(place, "reproduce logistic-accuracy --out r", usage,
                 "logistic-accuracy: needs the data: --covertype FILE");
  expect_refused(place, "reproduce lemma --covertype none.csv --out r", input_missing,
                 "none.csv: no such file");
}

TEST(Reproduce, LeavesAFolderAloneThatIsNotItsOwn) {
  TOO_LONG_UNDER_SANITIZERS();
  const Place place;
  const std::string command = "reproduce algorithm-2" + settings;
  place.write("mine/notes.txt", "keep");
  expect_refused(place, command + "mine", cannot_write,
                 "mine: has other files; choose another --out or add --force");
  expect_refused(place, command + "mine/notes.txt", cannot_write,
                 "mine/notes.txt: exists and is not a folder; choose another --out");
  const Ended forced = place.run(command + "mine --force");
  EXPECT_EQ(forced.code, failed); // no page
  EXPECT_TRUE(place.has("mine/algorithm-2.json"));
  EXPECT_EQ(place.read("mine/notes.txt"), "keep");
}

} // namespace
} // namespace starling::cli
