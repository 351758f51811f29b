// A folder of results that appears whole or not at all.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace starling::io {

/// Every folder of results has a file of this name that lists what was written there. --force
/// replaces a folder only if nothing else is in it.
inline constexpr const char* mark_name = ".starling";

/// Collects files in a hidden folder beside the final one and renames it into place when all is
/// there. Whatever ends the run before commit(), no half-written result is left and an earlier one
/// stays.
class OutputFolder {
public:
  /// Throws CannotWrite: when the final path is there already (an empty folder does not count),
  /// unless `force`; when it is a file, a link, holds the working folder or anything that its mark
  /// does not list, even with `force`; when the folder above cannot be created or written.
  explicit OutputFolder(const std::filesystem::path& final_path, bool force = false);
  /// Without commit(): removes all that was collected, and the folders made for it.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Where to write the file of this name (which may have folders in it) until commit().
  std::filesystem::path path(const std::filesystem::path& name);

  /// Where the result is after commit(), as it was asked for.
  const std::filesystem::path& final_path() const { return shown_; }

  /// The folders above that were made for it, outermost first; empty until commit().
  std::span<const std::filesystem::path> made() const { return made_; }

  /// Brings all files to the disk and the folder into place; an old result is removed only after
  /// that. Throws CannotWrite and leaves the old state; call it once.
  void commit();

private:
  void refuse_if_taken() const;
  void write_mark() const;
  void remove_temporary() noexcept;

  std::filesystem::path shown_;  // as given, for messages
  std::filesystem::path target_; // absolute, links followed
  std::filesystem::path temporary_;
  std::vector<std::filesystem::path> made_; // folders above that were not there, outermost first
  bool force_;
  bool committed_ = false;
};

} // namespace starling::io
