// A folder of results that appears whole or not at all.
#include "io/output_folder.hpp"

#include "io/errors.hpp"
#include "io/output_file.hpp"
#include "io/whole_file.hpp"

#include <starling/error.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace starling::io {
namespace {

namespace fs = std::filesystem;

/// The path without a trailing slash and with its links followed, so that renames meet the folder.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  fs::path full = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error || full.empty())
    full = fs::absolute(path).lexically_normal();
  return full.has_filename() ? full : full.parent_path();
}

bool is_within(const fs::path& inner, const fs::path& outer) {
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

/// A new folder beside `target` that no one else has: its name starts with a dot.
fs::path make_sibling(const fs::path& shown, const fs::path& target) {
  for (int attempt = 0;; ++attempt) {
    fs::path folder = // not const: a copy takes memory, and the folder would be there without
                      // anyone who knows it
        target.parent_path() /
        fmt::format(".{}.{}-{}", target.filename().string(), ::getpid(), attempt);
    if (::mkdir(folder.c_str(), 0777) == 0)
      return folder;
    if (errno != EEXIST)
      throw CannotWrite(shown, errno);
  }
}

/// Calls visit(path, is it a folder) for all that is below, the inner first. By the system's own
/// calls: where memory runs out, the standard library's iterators end the process.
template <typename Visit>
void for_all_below(const std::string& folder, Visit&& visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  if (!open)
    throw CannotWrite(folder, errno);
  while (const dirent* entry = ::readdir(open.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..")
      continue;
    const std::string path = folder + "/" + entry->d_name;
    struct stat about = {};
    if (::lstat(path.c_str(), &about) != 0)
      throw CannotWrite(path, errno);
    if (S_ISDIR(about.st_mode))
      for_all_below(path, visit);
    visit(path, S_ISDIR(about.st_mode));
  }
}

/// A folder of ours and all that is in it.
void clear_away(const fs::path& ours) noexcept {
  for (int tries = 0; tries < 3 && !ours.empty(); ++tries)
    try {
      for_all_below(ours.native(), [](const std::string& path, bool folder) {
        folder ? ::rmdir(path.c_str()) : ::unlink(path.c_str());
      });
      ::rmdir(ours.c_str());
      return;
    } catch (...) { // going through a folder takes memory; there may be some again
    }
}

/// Removes it in the end, also where something fails before.
struct Removed {
  const fs::path& folder;
  ~Removed() { clear_away(folder); }
};

/// The result is there, whole: that its name is not on the disk yet is no reason to call it failed.
void sync_at_the_end(const fs::path& above) noexcept {
  try {
    sync(above);
  } catch (...) {
  }
}

/// What was written into this folder, by its mark. Empty where there is none.
std::set<std::string> marked(const fs::path& folder) {
  std::set<std::string> names;
  if (fs::is_regular_file(fs::symlink_status(folder / mark_name))) {
    std::istringstream lines(read_bytes(folder / mark_name));
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with('#'))
        names.insert(line);
    names.insert(mark_name);
  }
  return names;
}

/// Collects what no run wrote below `folder`: files that its mark does not list, and links, which
/// are not followed. A folder within that has a mark of its own, as a demo's runs have, goes by
/// that one.
void find_strangers(const fs::path& root, const fs::path& folder, const fs::path& of_mark,
                    const std::set<std::string>& ours, std::set<std::string>& found) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::file_type kind = entry.symlink_status().type();
    if (kind == fs::file_type::directory) {
      const std::set<std::string> own = marked(entry.path());
      own.empty() ? find_strangers(root, entry.path(), of_mark, ours, found)
                  : find_strangers(root, entry.path(), entry.path(), own, found);
    } else if (kind != fs::file_type::regular ||
               !ours.contains(entry.path().lexically_relative(of_mark).string())) {
      found.insert(entry.path().lexically_relative(root).string());
    }
  }
}

} // namespace

OutputFolder::OutputFolder(const fs::path& final_path, bool force)
    : shown_(final_path), target_(resolved(final_path)), force_(force) {
  refuse_if_taken();
  std::error_code error; // whatever it is, creating the folders will tell
  for (fs::path above = target_.parent_path();
       !fs::exists(above, error) && above.has_relative_path(); above = above.parent_path())
    made_.insert(made_.begin(), above);
  try {
    for (const fs::path& folder : made_)
      if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST)
        throw CannotWrite(shown_, errno);
    ::rmdir(make_sibling(shown_, target_).c_str()); // to see that it can be: a kill leaves nothing
  } catch (...) {
    remove_temporary();
    throw;
  }
}

OutputFolder::~OutputFolder() {
  if (!committed_)
    remove_temporary();
}

void OutputFolder::remove_temporary() noexcept {
  clear_away(temporary_);
  for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder)
    ::rmdir(folder->c_str()); // stays if something else has come to live there
}

void OutputFolder::refuse_if_taken() const {
  std::error_code error;
  const fs::path name = shown_.has_filename() ? shown_ : shown_.parent_path();
  const bool link = fs::is_symlink(fs::symlink_status(name, error));
  if (link && !fs::exists(name, error))
    throw CannotWrite(shown_, ENOENT,
                      "is a link to a file that does not exist; choose another --out");
  const fs::file_status status = fs::status(target_, error);
  if (!fs::exists(status))
    return;
  if (target_ == target_.root_path() || is_within(fs::current_path(error), target_))
    throw CannotWrite(shown_, EBUSY, "holds the working folder; choose another --out");
  const bool folder = fs::is_directory(status);
  if (folder && fs::is_empty(target_, error) && !error)
    return;
  if (!force_)
    throw CannotWrite(shown_, EEXIST, "exists; choose another --out or add --force");
  // --force replaces a folder of results; it must not take anything else with it.
  if (!folder)
    throw CannotWrite(shown_, ENOTDIR, "exists and is not a folder; choose another --out");
  if (link)
    throw CannotWrite(shown_, EEXIST,
                      "is a link, which --force does not follow; choose another --out");
  std::set<std::string>
      strangers; // in order, so that the message does not depend on the file system
  try {
    const std::set<std::string> ours = marked(target_);
    if (ours.empty())
      throw CannotWrite(
          shown_, EEXIST,
          fmt::format(
              "is not the folder of a run (no {}); delete it yourself or choose another --out",
              mark_name));
    find_strangers(target_, target_, target_, ours, strangers);
  } catch (const fs::filesystem_error& unreadable) {
    throw CannotWrite(shown_, unreadable.code().value());
  }
  if (!strangers.empty())
    throw CannotWrite(
        shown_, EEXIST,
        fmt::format("holds {}, which no run wrote; move it away or choose another --out",
                    *strangers.begin()));
}

fs::path OutputFolder::path(const fs::path& name) {
  const fs::path normal = name.lexically_normal();
  if (normal.empty() || normal.is_absolute() || !normal.has_filename() || normal == "." ||
      *normal.begin() == "..")
    reject("file name", "inside the output folder", fmt::format("'{}'", name.string()));
  if (temporary_.empty())
    temporary_ = make_sibling(shown_, target_);
  const fs::path file = temporary_ / normal;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error)
    throw CannotWrite(file, error.value());
  return file;
}

void OutputFolder::write_mark() const {
  std::set<std::string> names;
  const std::size_t above = temporary_.native().size() + 1;
  for_all_below(temporary_.native(), [&](const std::string& path, bool folder) {
    if (!folder)
      names.insert(path.substr(above));
  });
  std::string text =
      "# Written by starling: --force replaces this folder if nothing else is in it.\n";
  for (const std::string& name : names)
    text += name + "\n";
  OutputFile mark(temporary_ / mark_name);
  mark.write(text);
  mark.close();
}

void OutputFolder::commit() {
  if (committed_)
    return;
  if (temporary_.empty())
    temporary_ = make_sibling(shown_, target_);
  write_mark();
  for_all_below(temporary_.native(), [](const std::string& path, bool) { sync(path); });
  sync(temporary_);

  refuse_if_taken(); // someone may have come since the start
  fs::path old;
  std::error_code ignored;
  if (fs::exists(target_, ignored) && !fs::is_empty(target_, ignored)) {
    // In one atomic step where the file system can: one of the two is always there.
    if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) ==
        0) {
      committed_ = true;
      const Removed old_one{temporary_};
      return sync_at_the_end(target_.parent_path());
    }
    old = make_sibling(shown_, target_);
    if (::rename(target_.c_str(), old.c_str()) != 0) {
      const int error = errno;
      ::rmdir(old.c_str());
      throw CannotWrite(shown_, error);
    }
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    const int error = errno;
    if (!old.empty())
      static_cast<void>(::rename(old.c_str(), target_.c_str()));
    throw CannotWrite(shown_, error);
  }
  committed_ = true;
  const Removed old_one{old};
  sync_at_the_end(target_.parent_path());
}

} // namespace starling::io
