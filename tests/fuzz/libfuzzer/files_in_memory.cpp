// Files under libFuzzer: io::read_bytes as all readers call it, from memory. Takes the place of
// src/io/whole_file.cpp.
#include "fuzz/files.hpp"

#include "io/errors.hpp"
#include "io/whole_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <map>

namespace starling {

namespace {

std::map<std::string, std::string>& placed() {
  static std::map<std::string, std::string> all;
  return all;
}

} // namespace

namespace fuzz {

const std::filesystem::path& folder() {
  static const std::filesystem::path own = [] {
    std::string name = (std::filesystem::temp_directory_path() / "starling-fuzz-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      std::abort();
    std::atexit([] { std::filesystem::remove(folder()); }); // it stays empty
    return std::filesystem::path(name);
  }();
  return own;
}

std::filesystem::path place(const std::string& name, std::string_view bytes) {
  std::filesystem::path file = folder() / name;
  placed()[file.string()] = bytes;
  return file;
}

void clear() { placed().clear(); }

} // namespace fuzz

namespace io {

int open_regular(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    throw InputMissing(file, errno);
  return descriptor;
}

const std::string& read_stdin() { // there is none that a fuzzer could fill
  static const std::string nothing;
  return nothing;
}

std::string read_bytes(const std::filesystem::path& file) {
  const auto found = placed().find(file.string());
  if (found == placed().end())
    throw InputMissing(file, ENOENT);
  return found->second;
}

void sync(const std::filesystem::path&) {}
void write_whole(const std::filesystem::path& file, std::string_view) {
  throw CannotWrite(file, EROFS);
}

} // namespace io
} // namespace starling
