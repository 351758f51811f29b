// CONTRIBUTING says how many files a new thing takes. For one that is there already: these are all
// the files that know it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
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
  std::string code;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    code += line.substr(0, line.find("//")) + '\n';
  return code;
}

bool has_word(const std::string& code, const std::string& word) {
  const auto letter = [&](std::size_t at) {
    return at < code.size() &&
           (std::isalnum(static_cast<unsigned char>(code[at])) || code[at] == '_');
  };
  for (std::size_t at = code.find(word); at != code.npos; at = code.find(word, at + 1))
    if (!letter(at - 1) && !letter(at + word.size()))
      return true;
  return false;
}

/// The files under these folders whose code has one of the words; sorted.
Paths knowing(const Paths& words, const Paths& folders) {
  const fs::path top = STARLING_SOURCE_DIR;
  Paths found;
  for (const std::string& folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(top / folder)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".hpp" && ending != ".cpp")
        continue;
      const std::string code = code_of(entry.path());
      if (std::ranges::any_of(words, [&](const auto& word) { return has_word(code, word); }))
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
  Paths found = knowing({"Banana", "\"banana\""}, {"include", "src", "python/bindings"});
  std::erase_if(found, [](const std::string& path) {
    return path.starts_with("src/cuda/") || path == "src/assemble/on_device.cpp";
  });
  EXPECT_THAT(found, ElementsAre("include/starling/target/shapes.hpp", "src/assemble/targets.cpp"));
}

TEST(RecipeCounts, AFormatIsItsWriterAndTheTable) {
  EXPECT_THAT(recipe("a format of draws"), HasSubstr("Two files beside tests and docs"));
  for (const char* name : {"csv", "npz", "zarr"})
    EXPECT_THAT(knowing({"\"" + std::string(name) + "\""},
                        {"src/results", "src/plan", "src/assemble", "tools", "python/bindings"}),
                ElementsAre("src/results/formats.cpp"))
        << name;
}

TEST(RecipeCounts, ASubcommandIsItsRequestItsFileAndItsOptions) {
  EXPECT_THAT(recipe("a subcommand"), HasSubstr("Three files beside tests and docs"));
  EXPECT_THAT(knowing({"ThinRequest", "add_thin"}, {"tools"}),
              ElementsAre("tools/starling/commands.hpp", "tools/starling/subcommands.cpp",
                          "tools/starling/thin.cpp"));
}

TEST(RecipeCounts, AVerdictIsItsEvidenceAndItsWordsBesideItsRule) {
  EXPECT_THAT(recipe("a verdict"), HasSubstr("Two files beside the rule that finds it"));
  EXPECT_THAT(knowing({"noisy", "TooWide"}, {"include", "src", "tools", "python/bindings"}),
              ElementsAre("include/starling/judge/verdict.hpp", "src/judge/by_balance.cpp",
                          "src/judge/words.cpp"));
}

// Nobody compares the words.
TEST(RecipeCounts, WordsOfVerdictsAreInOneFile) {
  EXPECT_THAT(knowing({"\"still moving\"", "\"collapsed\"", "\"noisy\"", "\"cannot tell\""},
                      {"include", "src", "tools", "python/bindings"}),
              ElementsAre("src/judge/words.cpp"));
}

} // namespace
