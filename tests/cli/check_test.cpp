// starling check, info, --help and --version.
#include "results.hpp"

#include "plan/recipe.hpp"
#include "plan/tables.hpp"

#include <algorithm>

namespace starling::cli {
namespace {

TEST(Check, PassesForEveryBuiltInTarget) {
  const Place place;
  place.write("d.csv", SmallData().text(80));
  for (const std::string line : {"mixture", "mixture --means 0,0;3,3 --start normal:-30,9",
                                 "normal --dim 4 --correlation 0.5", "banana", "funnel --dim 5",
                                 "logistic --data d.csv", "logistic --data d.csv --start prior"}) {
    const std::string target = words(line)[0];
    const auto lines = lines_of(succeed(place, "check " + line));
    ASSERT_GE(lines.size(), 3u) << line;
    EXPECT_EQ(lines.back(),
              target + " at 10 particles: the score is the gradient of the log density")
        << line;
  }
}

TEST(Check, PrintsJson) {
  const Place place;
  const Json j = Json::parse(succeed(place, "check funnel --dim 3 --json"));
  EXPECT_EQ(j.at("target"), "funnel");
  EXPECT_EQ(j.at("dim"), 3);
  EXPECT_EQ(j.at("right"), true);
  ASSERT_EQ(j.at("parameters").size(), 3u);
  EXPECT_EQ(j.at("parameters")[0].at("name"), "v");
  for (const Json& p : j.at("parameters")) {
    EXPECT_GE(p.at("error").get<double>(), 0);
    EXPECT_LT(p.at("error").get<double>(), 1e-5);
  }
}

TEST(Check, TakesTheOptionsOfTheRunThatIsToFollow) {
  const Place place;
  io::write_npy(place.path("s.npy"), {{20, 1}, std::vector<double>(20, -10.0)});
  succeed(place, "check mixture --particles 20 --batch 2 --kernel riesz --advance splitting "
                 "--start s.npy --steps 1000000 --seed 3");
  succeed(place, "check mixture --batch 64 --grow-batch double:10");
}

TEST(Info, SaysWhatThisBuildIs) {
  const Place place;
  const Json j = Json::parse(succeed(place, "info --json"));
  const std::string version = lines_of(succeed(place, "--version")).at(0);
  EXPECT_EQ(version, lines_of(bytes_of(fs::path(STARLING_SOURCE_DIR) / "VERSION")).at(0));
  EXPECT_EQ(j.at("version"), version);
  EXPECT_FALSE(j.at("compiler").get<std::string>().empty());
  const std::string level = j.at("simd").at("in_use");
  const auto levels = j.at("simd").at("available").get<std::vector<std::string>>();
  EXPECT_NE(std::ranges::find(levels, level), levels.end()) << level;
  EXPECT_GE(j.at("threads").get<int>(), 1);
  EXPECT_EQ(j.at("back_ends").at("cpu").at("built"), true);
  EXPECT_NE(j.at("products").at("library").get<std::string>().find("OpenBLAS"), std::string::npos);
  EXPECT_EQ(j.at("products").at("threads"), 1); // ours share the products out
  const std::string shown = succeed(place, "info");
  EXPECT_NE(shown.find(level), std::string::npos);
  EXPECT_NE(shown.find(j.at("products").at("core").get<std::string>()), std::string::npos);
  for (const char* key : {"version", "compiler", "architecture"})
    EXPECT_NE(shown.find(j.at(key).get<std::string>()), std::string::npos) << key;
  EXPECT_NE(shown.find("cpu"), std::string::npos);
}

TEST(Help, OfEverySubcommandExitsWithZero) {
  const Place place;
  const std::string general = succeed(place, "--help");
  EXPECT_EQ(succeed(place, ""), general);
  for (const std::string command : {"demo", "sample", "check", "summary", "info"}) {
    EXPECT_NE(general.find("  " + command + " "), std::string::npos) << command;
    EXPECT_NE(succeed(place, command + " --help").find("Usage: starling " + command),
              std::string::npos)
        << command;
  }
  EXPECT_TRUE(place.everything().empty());
}

TEST(Help, MentionsEveryOption) {
  const Place place;
  const std::string sample = succeed(place, "sample --help"),
                    check = succeed(place, "check --help");
  const auto mentions = [](const std::string& help, const std::string& name) {
    return help.find("\n  --" + name + " ") != help.npos ||
           help.find("\n  --" + name + "=") != help.npos;
  };
  const plan::Recipe recipe;
  int fields = 0;
  const auto expect = [&](const std::string& name) {
    EXPECT_TRUE(mentions(sample, name)) << name;
    EXPECT_TRUE(mentions(check, name)) << name;
    ++fields;
  };
  plan::for_each_field(recipe,
                       [&](const plan::FieldInfo& info, const auto&) { expect(info.name); });
  for (const plan::TableSetting& extra : plan::table_settings())
    expect(extra.setting.name);
  EXPECT_GE(fields, 29);
  for (const std::string name : {"config", "out", "force", "dump-config", "progress", "quiet",
                                 "json", "fail-unless-converged"})
    EXPECT_TRUE(mentions(sample, name)) << name;
  EXPECT_FALSE(mentions(sample, "particels"));
}

} // namespace
} // namespace starling::cli
