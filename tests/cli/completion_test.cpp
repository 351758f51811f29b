// starling completion: every command and option is in the scripts, and a real shell completes by
// them.
#include "results.hpp"

#include <regex>
#include <set>

namespace starling::cli {
namespace {

/// Every command, from the help of the program.
std::vector<std::string> commands(const Place& place) {
  std::vector<std::string> names;
  bool below = false;
  for (const std::string& line : lines_of(succeed(place, "--help"))) {
    if (below && line.starts_with("  ") && line.size() > 2 && line[2] != ' ')
      names.push_back(words(line)[0]);
    below = below || line.starts_with("Subcommands:") || line.starts_with("SUBCOMMANDS:");
    if (line.empty() && names.size() > 3)
      break;
  }
  return names;
}

/// Every option of a command, from its help.
std::set<std::string> options_of(const Place& place, const std::string& command) {
  std::set<std::string> found;
  const std::regex option(R"(^ +(?:-\w,)?(--[a-z-]+))");
  for (const std::string& line : lines_of(succeed(place, command + " --help"))) {
    std::smatch m;
    if (std::regex_search(line, m, option))
      found.insert(m[1]);
  }
  return found;
}

/// What a bash that has read the script offers for the words; the last one is being typed.
std::vector<std::string> offered(const Place& place, const std::string& typed) {
  place.write("ask.sh", "source script.sh\nCOMP_WORDS=(" + typed +
                            ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_starling\n"
                            "printf '%s\\n' \"${COMPREPLY[@]}\" >offered\n");
  const std::string shell = "cd '" + place.path("").string() + "' && bash --norc ask.sh 2>errors";
  EXPECT_EQ(std::system(shell.c_str()), 0);
  EXPECT_EQ(place.read("errors"), "") << typed;
  return words(place.read("offered"));
}

bool has_shell(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

TEST(Completion, KnowsEveryCommandAndOption) {
  const Place place;
  const auto names = commands(place);
  ASSERT_GE(names.size(), 9u);
  place.write("script.sh", succeed(place, "completion bash"));
  const std::string fish = succeed(place, "completion fish");
  const auto all = offered(place, "starling ''");
  EXPECT_EQ(all, names);
  for (const std::string& command : names) {
    const auto expected = options_of(place, command);
    EXPECT_GE(expected.size(), 1u) << command; // --help at least
    const auto found = offered(place, "starling " + command + " --");
    EXPECT_EQ(std::set<std::string>(found.begin(), found.end()), expected) << command;
    for (const std::string& option : expected)
      EXPECT_NE(
          fish.find("'__fish_seen_subcommand_from " + command + "' -l " + option.substr(2) + " "),
          std::string::npos)
          << command << " " << option;
  }
}

TEST(Completion, GivesTheWordsThatBegin) {
  const Place place;
  place.write("script.sh", succeed(place, "completion bash"));
  using Words = std::vector<std::string>;
  EXPECT_EQ(offered(place, "starling sa"), Words{"sample"});
  EXPECT_EQ(offered(place, "starling sample --ste"), (Words{"--steps", "--step-size"}));
  EXPECT_EQ(offered(place, "starling sample nor"), Words{"normal"});
  EXPECT_EQ(offered(place, "starling sample normal --precision ''"), (Words{"double", "single"}));
  EXPECT_EQ(offered(place, "starling sample normal --kernel matern"),
            (Words{"matern32", "matern52"}));
  EXPECT_EQ(offered(place, "starling sample --progress ''"),
            (Words{"auto", "bar", "plain", "none"}));
  EXPECT_EQ(offered(place, "starling check --scale s"), Words{"standard"});
  EXPECT_EQ(offered(place, "starling completion ''"), (Words{"bash", "zsh", "fish"}));
  EXPECT_EQ(offered(place, "starling explain conv"), Words{"converged"});
  EXPECT_EQ(offered(place, "starling explain sti"),
            Words{"still"}); // a verdict of two words, one at a time
  EXPECT_EQ(offered(place, "starling explain still ''"), Words{"moving"});
  EXPECT_EQ(offered(place, "starling explain cannot ''"), Words{"tell"});
  EXPECT_EQ(offered(place, "starling --v"), Words{"--version"});
  EXPECT_EQ(offered(place, "starling sample --out ''"), Words{}); // files: bash's own
  EXPECT_EQ(offered(place, "starling sample --steps ''"), Words{});
}

TEST(Completion, OffersValuesThatAreTaken) {
  const Place place;
  place.write("script.sh", succeed(place, "completion bash"));
  std::size_t tried = 0;
  for (const std::string& option : options_of(place, "sample"))
    for (const std::string& value : offered(place, "starling sample " + option + " ''")) {
      if (value.ends_with(":") || value.starts_with("--") || option == "--resume")
        continue; // to be filled in; an option without a value
      if (option == "--target" || words(value).empty() || option == "--help")
        continue;
      const Ended ended = place.run("sample mixture --dump-config " + option + " " + value);
      EXPECT_EQ(ended.err.find("must be one of"), std::string::npos) << option << ": " << ended.err;
      ++tried;
    }
  EXPECT_GE(tried, 20u);
}

TEST(Completion, IsAcceptedByTheShells) {
  const Place place;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    place.write("script", succeed(place, std::string("completion ") + shell));
    if (!has_shell(shell)) {
      std::printf("%s is not here: its script is not checked\n", shell);
      continue;
    }
    EXPECT_EQ(std::system((std::string(shell) + " -n " + place.path("script").string()).c_str()), 0)
        << shell;
  }
}

TEST(Completion, RefusesAnotherShell) {
  const Place place;
  expect_refused(place, "completion", 64, "SHELL: must be given; see starling completion --help");
  expect_refused(place, "completion ksh", 64,
                 "SHELL: must be one of bash, zsh, fish; got 'ksh'; did you mean 'zsh'?");
}

} // namespace
} // namespace starling::cli
