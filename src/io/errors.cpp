// The plain words for the errors of the system.
#include "io/errors.hpp"

#include <cctype>

namespace starling::io {

std::string in_words(int error) {
  switch (error) {
  case ENOENT:
    return "no such file";
  case EISDIR:
    return "is a folder";
  case ENOTDIR:
    return "a part of the path is not a folder";
  case ENOSPC:
    return "no space left on the device";
  default:
    break;
  }
  std::string words = std::generic_category().message(error);
  if (!words.empty())
    words[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(words[0])));
  return words;
}

} // namespace starling::io
