// Parts: kept, taken over, measured again when they must be, and never half a file.
#include "parts.hpp"

#include "io/scratch.hpp"

#include <starling/cpu/level.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace starling::reproduce {
namespace {

using Json = Parts::Json;

/// Counts how often it is asked.
struct Measurement {
  int times = 0;
  std::function<Json()> compute = [this] {
    ++times;
    return Json{{"value", 0.1 + times}};
  };
};

TEST(Parts, MeasureOnceAndKeepTheResult) {
  const io::Scratch scratch;
  Measurement measurement;
  const Json settings = {{"p", 2}, {"h", 0.35}};
  const Json first = Parts(scratch.path("parts")).get("a/p = 2", settings, measurement.compute);
  const Json second = Parts(scratch.path("parts")).get("a/p = 2", settings, measurement.compute);
  EXPECT_EQ(measurement.times, 1);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first, (Json{{"value", 1.1}}));
}

TEST(Parts, GiveBackTheSameNumbersWhetherMeasuredNowOrBefore) {
  const io::Scratch scratch;
  const auto compute = [] { return Json{1.0 / 3, 1e-300, NAN, 7}; };
  const Json now = Parts(scratch.path("parts")).get("a", {}, compute);
  const Json before = Parts(scratch.path("parts")).get("a", {}, compute);
  EXPECT_EQ(now.dump(), before.dump());
  EXPECT_EQ(before[0].get<double>(), 1.0 / 3);
}

TEST(Parts, MeasureAgainWhenTheSettingsChange) {
  const io::Scratch scratch;
  Measurement measurement;
  Parts parts(scratch.path("parts"));
  parts.get("a", {{"starts", 20}}, measurement.compute);
  parts.get("a", {{"starts", 100}}, measurement.compute);
  EXPECT_EQ(measurement.times, 2);
  parts.get("a", {{"starts", 100}}, measurement.compute);
  EXPECT_EQ(measurement.times, 2);
}

TEST(Parts, MeasureAgainAtAnotherSimdLevel) {
  if (cpu::levels().size() < 2)
    GTEST_SKIP() << "one level only";
  const io::Scratch scratch;
  Measurement measurement;
  Parts parts(scratch.path("parts"));
  parts.get("a", {}, measurement.compute);
  const std::string widest = cpu::level();
  cpu::force_level("scalar");
  parts.get("a", {}, measurement.compute);
  cpu::force_level(widest);
  EXPECT_EQ(measurement.times, 2);
}

TEST(Parts, MeasureAgainWhenTheFileIsBrokenOrOfSomeoneElse) {
  const io::Scratch scratch;
  Measurement measurement;
  Parts parts(scratch.path("parts"));
  parts.get("a", {}, measurement.compute);
  const std::string whole = io::bytes_of_file(scratch.path("parts/a.json"));
  int times = 1;
  for (const std::string& text : {std::string(), whole.substr(0, whole.size() / 2),
                                  std::string("[1, 2]"), std::string("{}")}) {
    std::ofstream(scratch.path("parts/a.json")) << text;
    parts.get("a", {}, measurement.compute);
    EXPECT_EQ(measurement.times, ++times) << text;
  }
  parts.get("a", {}, measurement.compute);
  EXPECT_EQ(measurement.times, times);
}

TEST(Parts, LeaveNothingBesideTheFileTheyWrite) {
  const io::Scratch scratch;
  Measurement measurement;
  Parts(scratch.path("parts")).get("a", {}, measurement.compute);
  const std::filesystem::directory_iterator files(scratch.path("parts")), end;
  EXPECT_EQ(std::distance(files, end), 1);
}

TEST(Parts, AnnounceOnlyWhatIsMeasured) {
  const io::Scratch scratch;
  Measurement measurement;
  std::vector<std::string> announced;
  Parts parts(scratch.path("parts"), [&](const std::string& key) { announced.push_back(key); });
  for (const char* key : {"a", "b", "a"})
    parts.get(key, {}, measurement.compute);
  EXPECT_EQ(announced, (std::vector<std::string>{"a", "b"}));
}

TEST(Parts, StopBetweenPartsAndKeepTheOneJustMeasured) {
  const io::Scratch scratch;
  Measurement measurement;
  bool asked = false;
  Parts parts(scratch.path("parts"), {}, [&] { return asked; });
  parts.get("a", {}, measurement.compute);
  const auto and_then_ask = [&] {
    asked = true; // Ctrl-C in the middle of the part
    return measurement.compute();
  };
  EXPECT_THROW(parts.get("b", {}, and_then_ask), Interrupted);
  EXPECT_THROW(parts.get("c", {}, measurement.compute), Interrupted);
  EXPECT_EQ(measurement.times, 2);
  Parts next(scratch.path("parts"));
  EXPECT_EQ(next.get("b", {}, measurement.compute), (Json{{"value", 2.1}}));
  EXPECT_EQ(measurement.times, 2);
}

TEST(Parts, SayWhatEarlierRunsHadPaid) {
  const io::Scratch scratch;
  Measurement measurement;
  Parts first(scratch.path("parts")), second(scratch.path("parts"));
  first.get("a", {}, measurement.compute);
  EXPECT_EQ(first.seconds_saved(), 0);
  second.get("a", {}, measurement.compute);
  EXPECT_GT(second.seconds_saved(), 0);
}

} // namespace
} // namespace starling::reproduce
