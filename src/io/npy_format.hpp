// The inside of the .npy format, shared by single arrays and archives.
#pragma once

#include "io/npy.hpp"

#include <bit>
#include <cstring>

namespace starling::io {

static_assert(std::endian::native == std::endian::little,
              "the file formats are little-endian and written from memory as it is");

/// The magic, version and header of an array of the given NumPy type, padded to 64 bytes.
std::string npy_head(std::string_view type, const std::vector<std::size_t>& shape);

/// Throws std::invalid_argument unless the shape holds exactly `count` values.
void check_shape(const std::string& name, const std::vector<std::size_t>& shape, std::size_t count);

/// Parses the bytes of an .npy; `where` starts the text of an error. Arrays that are not numeric
/// give BadData, or false where the caller passes over them.
bool parse_npy(std::string_view bytes, const std::string& where, bool only_numeric, Array& array);

/// An unsigned number of the file, lowest byte first. The bytes must be there.
template <class Number>
Number little_endian(std::string_view bytes, std::size_t offset) {
  Number number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

} // namespace starling::io
