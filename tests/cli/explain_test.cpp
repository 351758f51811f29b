// starling explain and starling man: nothing that the program knows is left unexplained.
#include "results.hpp"

#include <regex>
#include <set>

namespace starling::cli {
namespace {

/// Every option of every command, from the completion that is made of them.
std::set<std::string> every_option(const Place& place) {
  const std::string script = succeed(place, "completion fish");
  std::set<std::string> found;
  const std::regex option(R"( -l ([a-z][a-z-]+) )");
  for (std::sregex_iterator at(script.begin(), script.end(), option), end; at != end; ++at)
    found.insert((*at)[1]);
  EXPECT_GE(found.size(), 60u);
  return found;
}

TEST(Explain, GivesThePagesWordsAboutEachVerdict) {
  const Place place;
  const std::pair<const char*, const char*> verdicts[] = {
      {"converged", "the checks found no fault"},
      {"cannot tell", "more --particles, or --certify 20"},
      {"still moving", "the cloud has not arrived"},
      {"collapsed", "do not use means and standard deviations"},
      {"noisy", "a larger --batch"},
      {"diverged", "positions become NaN or infinite"}};
  for (const auto& [verdict, meaning] : verdicts) {
    const std::string said = succeed(place, std::string("explain ") + verdict);
    EXPECT_NE(said.find(meaning), said.npos) << verdict << ": " << said;
    EXPECT_NE(said.find("docs/diagnostics.md, \"The six verdicts\""), said.npos) << said;
    EXPECT_EQ(said.find('`'), said.npos) << said;
  }
}

TEST(Explain, KnowsEveryOptionWithAndWithoutItsDashes) {
  const Place place;
  for (const std::string& option : every_option(place)) {
    const std::string said =
        succeed(place, (option == "help" ? "explain " : "explain --") + option);
    EXPECT_NE(said.find("--" + option + " ("), said.npos) << option;
  }
  EXPECT_EQ(succeed(place, "explain batch"), succeed(place, "explain --batch"));
  EXPECT_EQ(succeed(place, "explain batch"), succeed(place, "explain -- --batch"));
  EXPECT_NE(succeed(place, "explain -- --help").find("--help ("), std::string::npos);
  const std::string both = succeed(place, "explain --seed"); // the help and the row of the page
  EXPECT_NE(both.find("--seed (sample, check)"), both.npos) << both;
  EXPECT_NE(both.find("docs/guide.md, \"Run\""), both.npos) << both;
}

TEST(Explain, KnowsEveryFileOfARunAndFiguresAndKernels) {
  const Place place;
  for (const std::string file : {"draws.csv", "draws.npz", "draws.zarr", "summary.json",
                                 "config.toml", "trace.csv", ".starling"})
    EXPECT_NE(succeed(place, "explain " + file).find("docs/files.md"), std::string::npos) << file;
  EXPECT_NE(succeed(place, "explain draws.npz").find("numpy.load"),
            std::string::npos); // the section, with its code
  EXPECT_NE(succeed(place, "explain spread_identity").find("which is 1 under pi"),
            std::string::npos);
}

TEST(Explain, SuggestsTheNearestWord) {
  const Place place;
  expect_refused(place, "explain convergd", 64,
                 "explain: 'convergd' was not found in the pages; did you mean 'converged'?");
  expect_refused(place, "explain --bandwith", 64,
                 "explain: '--bandwith' was not found in the pages; did you mean '--bandwidth'?");
  expect_refused(place, "explain", 64, "WORD: must be given; see starling explain --help");
}

TEST(Man, HasEveryCommandAndOptionAndPleasesGroff) {
  const Place place;
  const std::string page = succeed(place, "man");
  EXPECT_TRUE(page.starts_with(".TH STARLING 1"));
  for (const std::string& option : every_option(place)) {
    std::string escaped;
    for (const char c : "--" + option)
      escaped += c == '-' ? std::string("\\-") : std::string(1, c);
    EXPECT_NE(page.find(".B " + escaped + "\n"), page.npos) << option;
  }
  for (const std::string command : {"demo", "sample", "report", "explain", "bench", "completion"})
    EXPECT_NE(page.find(".SS starling " + command), page.npos) << command;
  if (std::system("command -v groff >/dev/null 2>&1") != 0) {
    std::printf("groff is not here: the page is not checked by it\n");
    return;
  }
  place.write("starling.1", page);
  const std::string in = place.path("").string();
  EXPECT_EQ(
      std::system(("cd '" + in + "' && groff -man -ww -Tascii starling.1 >shown 2>errors").c_str()),
      0);
  EXPECT_EQ(place.read("errors"), "");
  EXPECT_NE(place.read("shown").find("STARLING(1)"), std::string::npos);
}

} // namespace
} // namespace starling::cli
