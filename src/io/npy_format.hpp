// The inside of the .npy format, shared by single arrays and archives.
#pragma once

#include "io/npy.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace starling::io {

static_assert(std::endian::native == std::endian::little,
              "the file formats are little-endian and written from memory as it is");

/// The magic, version and header of an array of the given NumPy type, padded to 64 bytes.
std::string npy_head(std::string_view type, const std::vector<std::size_t>& shape);

/// Throws std::invalid_argument unless the shape holds exactly `count` values.
void check_shape(const std::string& name, const std::vector<std::size_t>& shape, std::size_t count);

/// The parts of an .npy, still as bytes.
struct NpyParts {
  std::string_view type;  ///< '<f8' or '>f8'; empty for a structured one
  std::string_view shape; ///< '(2, 3), ...' up to the end of the header
  std::string_view data;
  bool fortran_order = false;
};

/// Cuts up an .npy; `where` starts the text of an error. Throws BadData.
NpyParts parts_of_npy(std::string_view bytes, const std::string& where);

bool is_numeric(const NpyParts& parts);
bool is_text(const NpyParts& parts);
/// Throw BadData when the type is another one, or the data do not fit the shape.
Array parse_numbers(const NpyParts& parts, const std::string& where);
Texts parse_texts(const NpyParts& parts, const std::string& where);

/// Throws BadData when the header has none.
std::vector<std::size_t> shape_of_npy(const NpyParts& parts, const std::string& where);

/// A number of the file, lowest byte first. The bytes must be there.
template <class Number>
Number little_endian(std::string_view bytes, std::size_t offset) {
  Number number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}
/// The same, highest byte first.
template <class Number>
Number big_endian(std::string_view bytes, std::size_t offset) {
  char turned[sizeof(Number)];
  std::reverse_copy(bytes.data() + offset, bytes.data() + offset + sizeof turned, turned);
  return little_endian<Number>({turned, sizeof turned}, 0);
}

} // namespace starling::io
