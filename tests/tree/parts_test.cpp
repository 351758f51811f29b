// The list of all that the build takes from others: whole, with versions and licences, and the same
// as in the docs.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Parts, AreListedWithTheirVersionsAndLicences) {
  const auto list = nlohmann::json::parse(
      text_of(std::filesystem::path(STARLING_BINARY).parent_path() / "starling.spdx.json"));
  EXPECT_EQ(list.at("spdxVersion"), "SPDX-2.3");
  const std::string docs = text_of(STARLING_SOURCE_DIR "/docs/reliability.md");
  std::set<std::string> listed;
  for (const auto& part : list.at("packages")) {
    const std::string name = part.at("name"), licence = part.at("licenseDeclared");
    listed.insert(name);
    EXPECT_TRUE(std::regex_match(part.at("versionInfo").get<std::string>(),
                                 std::regex("[0-9]+\\.[0-9.]+.*")))
        << name;
    if (name != "starling") {
      EXPECT_NE(docs.find("| " + name + " | "), std::string::npos) << name;
      EXPECT_NE(docs.find(licence), std::string::npos) << licence;
    }
  }
  EXPECT_EQ(list.at("relationships").size(), listed.size());
  const std::string cmake = text_of(STARLING_SOURCE_DIR "/cmake/dependencies.cmake");
  const std::regex found("\n *(find_package|find_path)\\(");
  // Threads is the system's; CBLAS comes with OpenBLAS, for which there are two lines.
  const auto looked_for = std::distance(std::sregex_iterator(cmake.begin(), cmake.end(), found),
                                        std::sregex_iterator()) -
                          2;
  EXPECT_GE(static_cast<std::ptrdiff_t>(listed.size()) - 1, looked_for);
}

} // namespace
