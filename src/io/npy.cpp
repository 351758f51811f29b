// Reads and writes NumPy's .npy.
#include "io/npy_format.hpp"

#include "io/errors.hpp"
#include "io/fields.hpp"
#include "io/text.hpp"

#include <starling/error.hpp>

#include <algorithm>
#include <charconv>
#include <limits>

namespace starling::io {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view magic = "\x93NUMPY"sv;

/// What follows the key in the header's Python dictionary, without leading blanks.
std::string_view value_of(std::string_view header, std::string_view key, const std::string& where) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = quote + std::string(key) + quote;
    const std::size_t found = header.find(quoted);
    if (found == std::string_view::npos)
      continue;
    const std::string_view rest = trimmed(header.substr(found + quoted.size()));
    if (rest.starts_with(':'))
      return trimmed(rest.substr(1));
  }
  throw BadData(where + "npy: must name '" + std::string(key) + "' in its header");
}

/// The text between the quotes it starts with; empty if it starts with something else, as the list
/// of a structured type does.
std::string_view quoted_text(std::string_view text) {
  if (!text.starts_with('\'') && !text.starts_with('"'))
    return {};
  return text.substr(1, std::min(text.find(text[0], 1), text.size()) - 1);
}

std::vector<std::size_t> shape_of(std::string_view text, const std::string& where) {
  const std::size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos)
    throw BadData(where + "npy: must have a shape; got " + shown(text));
  const std::string_view whole = text.substr(0, close + 1);
  std::vector<std::size_t> shape;
  for (std::string_view rest = trimmed(text.substr(1, close - 1)); !rest.empty();) {
    std::size_t extent = 0;
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
    rest = trimmed(rest.substr(static_cast<std::size_t>(stop - rest.data())));
    if (error != std::errc() || !(rest.empty() || rest.starts_with(',')))
      throw BadData(where + "npy: must have a shape; got " + shown(whole));
    shape.push_back(extent);
    if (!rest.empty())
      rest = trimmed(rest.substr(1));
  }
  if (shape.size() > 2)
    throw BadData(where + "npy: must have at most 2 dimensions; got shape " + shown(whole));
  return shape;
}

template <class Number>
void convert(std::string_view bytes, std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>(little_endian<Number>(bytes, i * sizeof(Number)));
}

struct Kind {
  std::string_view type;
  std::size_t bytes;
  void (*convert)(std::string_view, std::vector<double>&);
};
constexpr Kind kinds[] = {{"<f8", 8, convert<double>},        {"<f4", 4, convert<float>},
                          {"<i8", 8, convert<std::int64_t>},  {"<i4", 4, convert<std::int32_t>},
                          {"<u8", 8, convert<std::uint64_t>}, {"<u4", 4, convert<std::uint32_t>}};

} // namespace

void check_shape(const std::string& name, const std::vector<std::size_t>& shape,
                 std::size_t count) {
  std::size_t product = 1;
  for (const std::size_t extent : shape)
    product *= extent;
  if (product != count)
    reject(name, "a shape of " + std::to_string(count) + " values", std::to_string(product));
}

std::string npy_head(std::string_view type, const std::vector<std::size_t>& shape) {
  std::string header = "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i)
    header += std::to_string(shape[i]) + (i + 1 < shape.size() ? ", "
                                          : shape.size() == 1  ? ","
                                                               : "");
  header += "), }";
  constexpr std::size_t before = 10; // magic, version and length
  header.append(63 - (before + header.size()) % 64, ' ');
  header += '\n';
  std::string head(magic);
  head += "\x01\0"sv;
  head += static_cast<char>(header.size() & 255);
  head += static_cast<char>(header.size() >> 8);
  return head + header;
}

bool parse_npy(std::string_view bytes, const std::string& where, bool only_numeric, Array& array) {
  if (!bytes.starts_with(magic))
    throw BadData(where + "npy: must start with NumPy's mark; got " + shown(bytes.substr(0, 6)));
  const std::size_t major = bytes.size() > 6 ? static_cast<unsigned char>(bytes[6]) : 0;
  const std::size_t start = major == 1 ? 10 : 12;
  if (bytes.size() < start)
    throw BadData(where + "npy: is cut short");
  if (major < 1 || major > 3)
    throw BadData(where + "npy: must be of version 1, 2 or 3; got " + std::to_string(major));
  const std::size_t length =
      major == 1 ? little_endian<std::uint16_t>(bytes, 8) : little_endian<std::uint32_t>(bytes, 8);
  if (bytes.size() - start < length)
    throw BadData(where + "npy: is cut short");
  const std::string_view header = bytes.substr(start, length);
  const std::string_view data = bytes.substr(start + length);

  const std::string_view descr = value_of(header, "descr", where);
  const std::string_view type = quoted_text(descr);
  const auto kind = std::find_if(std::begin(kinds), std::end(kinds),
                                 [&](const Kind& known) { return known.type == type; });
  if (kind == std::end(kinds)) {
    if (!only_numeric)
      return false;
    throw BadData(where + "npy: must be of type <f8, <f4, <i8, <i4, <u8 or <u4; got " +
                  shown(type));
  }
  array.shape = shape_of(value_of(header, "shape", where), where);
  const bool fortran = value_of(header, "fortran_order", where).starts_with("True");

  std::size_t count = 1;
  for (const std::size_t extent : array.shape) {
    if (extent != 0 && count > std::numeric_limits<std::size_t>::max() / 8 / extent)
      throw BadData(where + "npy: has a shape beyond this machine");
    count *= extent;
  }
  if (data.size() / kind->bytes < count)
    throw BadData(where + "npy: is cut short: must have " + std::to_string(count) +
                  " values; got " + std::to_string(data.size() / kind->bytes));
  array.values.resize(count);
  kind->convert(data, array.values);
  if (fortran && array.shape.size() == 2) {
    const std::vector<double> by_columns = std::move(array.values);
    const std::size_t rows = array.shape[0];
    const std::size_t columns = array.shape[1];
    array.values.resize(count);
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t column = 0; column < columns; ++column)
        array.values[row * columns + column] = by_columns[column * rows + row];
  }
  return true;
}

Array read_npy(const std::filesystem::path& file) {
  Array array;
  parse_npy(read_bytes(file), file.string() + ": ", true, array);
  return array;
}

void write_npy(const std::filesystem::path& file, const Array& array) {
  check_shape(file.string(), array.shape, array.values.size());
  OutputFile out(file);
  out.write(npy_head("<f8", array.shape));
  out.write({reinterpret_cast<const char*>(array.values.data()), 8 * array.values.size()});
  out.close();
}

} // namespace starling::io
