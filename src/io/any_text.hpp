// Texts of any bytes, such as paths, where only UTF-8 will do.
#pragma once

#include <string>
#include <string_view>

namespace starling::io {

/// To be read by people: the text itself if it is UTF-8; otherwise each byte as the Latin-1 letter
/// that it stands for, which is what an old editor meant.
std::string utf8(std::string_view text);

/// To be read back by us: bytes that are no UTF-8 become letters of the private use area (U+EF80 to
/// U+EFFF), which JSON and TOML hold. A text of plain UTF-8 stays as it is.
std::string kept_as_utf8(std::string_view bytes);

/// The way back: exactly the bytes that were kept.
std::string bytes_from_utf8(std::string_view text);

} // namespace starling::io
