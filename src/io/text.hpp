// Whole files in one string: text that may be behind gzip or xz.
#pragma once

#include "io/whole_file.hpp" // read_bytes

#include <filesystem>
#include <string>

namespace starling::io {

/// The text of a file that is plain, gzip or xz: told by its first bytes, never by its name.
/// Several archives in a row are joined, as gunzip and unxz do; a UTF-8 byte order mark is dropped.
/// The name - stands for stdin. Throws InputMissing when the file cannot be read or is no regular
/// one; BadData when the archive is cut short or damaged, of another kind, or unpacks to more than
/// half of the memory that is left, than 16 GiB, or than 256 MiB and 250 times its size.
std::string read_text(const std::filesystem::path& file);

} // namespace starling::io
