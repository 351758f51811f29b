// Opening shared libraries.
#include "foreign/library.hpp"

#include "foreign/compile_stan.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

namespace starling::foreign {

std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  const std::size_t first = line.find_first_not_of(' '), last = line.find_last_not_of(' ');
  return first == line.npos ? std::string() : line.substr(first, last - first + 1);
}

Library::Library(const std::string& file) : file_(file) {
  // Absolute, because a name without a slash would be looked for in the system's folders.
  const std::string path = std::filesystem::absolute(file).string();
  handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_)
    return;
  std::string why = one_line(::dlerror());
  if (is_stan_program(file))
    throw BadLibrary(
        file,
        "is a Stan program, not a library; compile it with BridgeStan, or give it as MODEL.stan");
  if (why.starts_with(path + ": "))
    why.erase(0, path.size() + 2);
  throw BadLibrary(file, "cannot be loaded as a shared library: " + why);
}

void* Library::symbol(const char* name) const { return ::dlsym(handle_, name); }

} // namespace starling::foreign
