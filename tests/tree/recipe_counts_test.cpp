// CONTRIBUTING says how many files a new thing takes. For one that is there already: these are all
// the files that know it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using Paths = std::vector<std::string>;

std::string read(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Without comments: a word may be mentioned anywhere.
std::string code_of(const fs::path& file) {
  return std::regex_replace(read(file), std::regex("//[^\n]*"), "");
}

/// The files under these folders whose code has a match; sorted.
Paths knowing(const std::string& pattern, const Paths& folders) {
  const fs::path top = STARLING_SOURCE_DIR;
  const std::regex expression(pattern);
  Paths found;
  for (const std::string& folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(top / folder)) {
      const std::string ending = entry.path().extension().string();
      if ((ending == ".hpp" || ending == ".cpp") &&
          std::regex_search(code_of(entry.path()), expression))
        found.push_back(entry.path().lexically_relative(top).generic_string());
    }
  std::ranges::sort(found);
  return found;
}

/// The text of a recipe.
std::string recipe(const std::string& name) {
  const std::string page = read(fs::path(STARLING_SOURCE_DIR) / "CONTRIBUTING.md");
  const std::size_t begin = page.find("\n## Recipe: " + name + "\n");
  EXPECT_NE(begin, page.npos) << name;
  return page.substr(begin, page.find("\n## ", begin + 1) - begin);
}

// Its type and its name; what a card adds to it is counted apart.
TEST(RecipeCounts, ATargetIsItsHeaderAndTheTable) {
  EXPECT_THAT(recipe("a target"), HasSubstr("Two files beside tests and docs"));
  Paths found = knowing("\\bBanana\\b|\"banana\"", {"include", "src", "python/bindings"});
  std::erase_if(found, [](const std::string& path) {
    return path.starts_with("src/cuda/") || path == "src/assemble/on_device.cpp";
  });
  EXPECT_THAT(found, ElementsAre("include/starling/target/shapes.hpp", "src/assemble/targets.cpp"));
}

TEST(RecipeCounts, AFormatIsItsWriterAndTheTable) {
  EXPECT_THAT(recipe("a format of draws"), HasSubstr("Two files beside tests and docs"));
  for (const char* name : {"csv", "npz", "zarr"})
    EXPECT_THAT(knowing("\"" + std::string(name) + "\"",
                        {"src/results", "src/plan", "src/assemble", "tools", "python/bindings"}),
                ElementsAre("src/results/formats.cpp"))
        << name;
}

TEST(RecipeCounts, ASubcommandIsItsRequestItsFileAndItsOptions) {
  EXPECT_THAT(recipe("a subcommand"), HasSubstr("Three files beside tests and docs"));
  EXPECT_THAT(knowing("\\bThinRequest\\b|\\badd_thin\\b|\\bthin\\(\\*", {"tools"}),
              ElementsAre("tools/starling/commands.hpp", "tools/starling/subcommands.cpp",
                          "tools/starling/thin.cpp"));
}

TEST(RecipeCounts, AVerdictIsItsEvidenceAndItsWordsBesideItsRule) {
  EXPECT_THAT(recipe("a verdict"), HasSubstr("Two files beside the rule that finds it"));
  EXPECT_THAT(knowing("\\bnoisy\\b|\\bTooWide\\b", {"include", "src", "tools", "python/bindings"}),
              ElementsAre("include/starling/judge/verdict.hpp", "src/judge/by_balance.cpp",
                          "src/judge/words.cpp"));
}

// Nobody compares the words.
TEST(RecipeCounts, WordsOfVerdictsAreInOneFile) {
  EXPECT_THAT(knowing("\"(still moving|collapsed|noisy|cannot tell)\"",
                      {"include", "src", "tools", "python/bindings"}),
              ElementsAre("src/judge/words.cpp"));
}

} // namespace
