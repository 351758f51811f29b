// A file of results that is there whole or not at all, whatever ends the program.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace starling::io {

/// Waits until a file, or the names in a folder, are on the disk. Throws CannotWrite.
void sync(const std::filesystem::path& path);

/// Writes beside the file, brings that to the disk and renames it into place. Folders above are made
/// as needed. Throws io::CannotWrite.
void write_whole(const std::filesystem::path& file, std::string_view text);

/// The bytes of a file as they are. Throws InputMissing.
std::string read_bytes(const std::filesystem::path& file);

} // namespace starling::io
