// Folders from which code is loaded, and to whom they belong.
#include "foreign/own_folder.hpp"

#include "foreign/library.hpp"

#include <starling/file_error.hpp>

#include <cerrno>
#include <cstdlib>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

namespace starling::foreign {

namespace fs = std::filesystem;

namespace {

constexpr const char* advice = "XDG_CACHE_HOME names another cache folder";

/// A folder, made if it is not there, without a link in the last part of its name.
struct stat there(const fs::path& folder) {
  struct stat about = {};
  if (::lstat(folder.c_str(), &about) == 0)
    return about;
  if (errno != ENOENT || (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) ||
      ::lstat(folder.c_str(), &about) != 0)
    throw BadLibrary(folder.string(),
                     fmt::format("cannot be made: {}; {}", io::in_words(errno), advice));
  return about;
}

} // namespace

fs::path home_folder() {
  const char* const given = std::getenv("HOME");
  if (given && fs::path(given).is_absolute())
    return given;
  passwd entry = {}, *found = nullptr;
  std::vector<char> room(1 << 14);
  std::error_code error;
  if (::getpwuid_r(::geteuid(), &entry, room.data(), room.size(), &found) != 0 || !found ||
      !found->pw_dir || !fs::path(found->pw_dir).is_absolute() ||
      !fs::is_directory(found->pw_dir, error))
    return {};
  return found->pw_dir;
}

fs::path own_folder(const fs::path& folder) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(folder, error);
  if (error || whole.is_relative())
    throw BadLibrary(folder.string(), fmt::format("cannot be used; {}", advice));
  fs::path here;
  for (const fs::path& part : whole) {
    if (part.empty()) // a slash at the end
      continue;
    here /= part;
    const struct stat about = there(here);
    const auto refuse = [&](const std::string& why) {
      throw BadLibrary(here.string(), fmt::format("code from {} is not loaded: {}; {}",
                                                  folder.string(), why, advice));
    };
    if (!S_ISDIR(about.st_mode))
      refuse("it is not a folder");
    if (about.st_uid != 0 && about.st_uid != ::geteuid())
      refuse(fmt::format("it belongs to user {}, not to user {}", about.st_uid, ::geteuid()));
    const bool others_write = (about.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    const bool none_renames = (about.st_mode & S_ISVTX) != 0 && here != whole;
    if (others_write && !none_renames)
      refuse(fmt::format("other users can write there (chmod go-w {} stops that)", here.string()));
  }
  return here;
}

} // namespace starling::foreign
