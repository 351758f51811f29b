// Files of the replay, in a folder of the process's own that is gone at its end.
#include "fuzz/files.hpp"

#include "io/scratch.hpp"

#include <set>

namespace starling::fuzz {

namespace {

const io::Scratch& scratch() {
  static const io::Scratch own;
  return own;
}

std::set<std::filesystem::path>& placed() {
  static std::set<std::filesystem::path> all;
  return all;
}

} // namespace

const std::filesystem::path& folder() {
  static const std::filesystem::path own = [] {
    std::filesystem::create_directories(scratch().path("in"));
    return scratch().path("in");
  }();
  return own;
}

std::filesystem::path place(const std::string& name, std::string_view bytes) {
  const std::filesystem::path file = folder() / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
  placed().insert(file);
  return file;
}

void clear() {
  for (const std::filesystem::path& file : placed())
    std::filesystem::remove(file);
  placed().clear();
}

} // namespace starling::fuzz
