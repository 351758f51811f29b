// A file of results that is there whole or not at all, whatever ends the program.
#pragma once

#include "io/output_file.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace starling::io {

/// Waits until a file, or the names in a folder, are on the disk. Throws CannotWrite.
void sync(const std::filesystem::path& path);

/// Written beside the file; commit() brings that to the disk and renames it into place, and without
/// it nothing is left. Folders above are made as needed. Throws io::CannotWrite.
class WholeFile {
public:
  explicit WholeFile(const std::filesystem::path& file);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  void write(std::string_view bytes) { out_->write(bytes); }
  void commit();

private:
  std::filesystem::path file_, unfinished_;
  std::optional<OutputFile> out_;
};

/// All at once.
void write_whole(const std::filesystem::path& file, std::string_view text);

/// A descriptor of a file that has an end: a device may have none, and a pipe may keep its reader
/// waiting for ever. Throws InputMissing.
int open_regular(const std::filesystem::path& file);

/// The bytes of a regular file as they are. Throws InputMissing: also of a pipe or a device, which
/// may have no end; BadData: larger than half of the memory that is left.
std::string read_bytes(const std::filesystem::path& file);

/// What came on stdin: read to its end when it is first asked for, and kept.
const std::string& read_stdin();

} // namespace starling::io
