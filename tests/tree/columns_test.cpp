// Lines of code are at most 100 columns wide, lines of pages at most 120; and what is wider is
// seen.
#include "tree/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <sstream>

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using Faults = std::vector<std::string>;

/// Characters, not bytes: of a letter in UTF-8 all bytes but the first begin with 10.
std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

/// Those lines wider than `most` that are not let pass.
Faults too_wide(const std::string& path, const std::string& text, std::size_t most,
                const std::function<bool(const std::string&)>& let_pass) {
  Faults faults;
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!let_pass(line) && columns(line) > most)
      faults.push_back(path + ":" + std::to_string(number) + ": columns: must be at most " +
                       std::to_string(most) + "; got " + std::to_string(columns(line)));
  }
  return faults;
}

Faults wide_code(const std::string& path, const std::string& text) {
  return too_wide(path, text, 100, [](const std::string&) { return false; });
}

/// Rows of tables, code and lines with a link cannot be broken everywhere, and pass.
Faults wide_page(const std::string& path, const std::string& text) {
  bool fenced = false;
  return too_wide(path, text, 120, [&](const std::string& line) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    if (line.compare(begin, 3, "```") == 0)
      fenced = !fenced;
    return fenced || begin >= 4 || line.compare(begin, 1, "|") == 0 ||
           line.find("](") != std::string::npos;
  });
}

Faults in_all(const tree::Files& files,
              const std::function<Faults(const std::string&, const std::string&)>& rule) {
  Faults faults;
  for (const auto& [path, text] : files)
    for (const std::string& fault : rule(path, text))
      faults.push_back(fault);
  return faults;
}

TEST(Columns, OfCodeAreAtMost100) {
  const auto files = tree::files({"include", "src", "reproduce", "tools", "python", "live", "tests",
                                  "examples", "bench", "docs", "package"},
                                 {".hpp", ".cpp", ".h", ".c", ".cu", ".cuh", ".py"});
  EXPECT_GT(files.size(), 500u);
  EXPECT_THAT(in_all(files, wide_code), IsEmpty());
}

TEST(Columns, OfPagesAreAtMost120) {
  auto files = tree::files({"docs", "bench"}, {".md"});
  for (const std::string name : {"ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md",
                                 "RELEASING.md", "SECURITY.md"}) {
    std::ifstream stream(std::string(STARLING_SOURCE_DIR) + "/" + name);
    ASSERT_TRUE(stream) << name;
    files[name] = std::string(std::istreambuf_iterator<char>(stream), {});
  }
  EXPECT_GT(files.size(), 20u);
  EXPECT_THAT(in_all(files, wide_page), IsEmpty());
}

TEST(Columns, AreCountedInCharacters) {
  EXPECT_THAT(wide_code("a.cpp", std::string(100, 'x') + "\n"), IsEmpty());
  EXPECT_THAT(wide_code("a.cpp", "int x;\n" + std::string(101, 'x') + "\n"),
              ElementsAre("a.cpp:2: columns: must be at most 100; got 101"));
  std::string greek;
  for (int i = 0; i < 100; ++i)
    greek += "\u03c7";
  EXPECT_THAT(wide_code("a.py", greek), IsEmpty());
  EXPECT_THAT(wide_code("a.py", greek + "x"), SizeIs(1));
}

TEST(Columns, OfAPageAreCountedWhereALineCanBeBroken) {
  const std::string wide(121, 'x');
  EXPECT_THAT(wide_page("a.md", std::string(120, 'x')), IsEmpty());
  for (const std::string& line :
       {"| " + wide, "    " + wide, "```\n" + wide + "\n```", "[" + wide + "](page.md)"})
    EXPECT_THAT(wide_page("a.md", line), IsEmpty()) << line;
  for (const std::string& line : {wide, "- " + wide, "```\ncode\n```\n" + wide, "| a |\n\n" + wide})
    EXPECT_THAT(wide_page("a.md", line), SizeIs(1)) << line;
}

} // namespace
