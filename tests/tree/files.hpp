// The files of the source tree, for the tests that read them.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tree {

using Files = std::map<std::string, std::string>; // path from the top of the repository -> text

/// All files in these folders, and in the folders inside them, whose names end so.
inline Files files(const std::vector<std::string>& folders, const std::set<std::string>& endings) {
  namespace fs = std::filesystem;
  const fs::path top = STARLING_SOURCE_DIR;
  Files found;
  for (const auto& folder : folders) {
    if (!fs::is_directory(top / folder))
      continue;
    for (const auto& entry : fs::recursive_directory_iterator(top / folder)) {
      if (!entry.is_regular_file() || !endings.count(entry.path().extension().string()))
        continue;
      std::ifstream stream(entry.path());
      found[entry.path().lexically_relative(top).generic_string()] =
          std::string(std::istreambuf_iterator<char>(stream), {});
    }
  }
  return found;
}

} // namespace tree
