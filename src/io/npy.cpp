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
  return shape;
}

/// How many values of this many bytes the shape holds, all of which must be there.
std::size_t count_of(const std::vector<std::size_t>& shape, std::size_t bytes,
                     std::string_view data, const std::string& where) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) {
    if (extent != 0 && count > std::numeric_limits<std::size_t>::max() / 8 / extent)
      throw BadData(where + "npy: has a shape beyond this machine");
    count *= extent;
  }
  if (count > 0 && data.size() / count < bytes)
    throw BadData(where + "npy: is cut short: must have " + std::to_string(count) +
                  " values; got " + std::to_string(data.size() / bytes));
  return count;
}

/// From Fortran order (the first index runs fastest) to rows.
std::vector<double> by_rows(const std::vector<double>& by_columns,
                            const std::vector<std::size_t>& shape) {
  std::vector<double> values(by_columns.size());
  std::vector<std::size_t> index(shape.size(), 0);
  for (double& value : values) {
    std::size_t from = 0;
    for (std::size_t k = shape.size(); k-- > 0;)
      from = from * shape[k] + index[k];
    value = by_columns[from];
    for (std::size_t k = shape.size(); k-- > 0 && ++index[k] == shape[k];)
      index[k] = 0;
  }
  return values;
}

void append_utf8(std::string& text, char32_t point) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | (point >> shift & 0x3f)); };
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xc0 | point >> 6);
    tail(0);
  } else if (point < 0x10000) {
    text += static_cast<char>(0xe0 | point >> 12);
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xf0 | (point >> 18 & 7));
    tail(12);
    tail(6);
    tail(0);
  }
}

template <class Number>
void convert(std::string_view bytes, bool highest_first, std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] =
        static_cast<double>(highest_first ? big_endian<Number>(bytes, i * sizeof(Number))
                                          : little_endian<Number>(bytes, i * sizeof(Number)));
}

struct Kind {
  std::string_view type; // without the order of its bytes
  std::size_t bytes;
  void (*convert)(std::string_view, bool, std::vector<double>&);
};
constexpr Kind kinds[] = {{"f8", 8, convert<double>},        {"f4", 4, convert<float>},
                          {"i8", 8, convert<std::int64_t>},  {"i4", 4, convert<std::int32_t>},
                          {"u8", 8, convert<std::uint64_t>}, {"u4", 4, convert<std::uint32_t>}};

bool is_big(const NpyParts& parts) { return parts.type.starts_with('>'); }

const Kind* kind_of(const NpyParts& parts) {
  if (!parts.type.starts_with('<') && !is_big(parts))
    return nullptr;
  const auto kind = std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& known) {
    return known.type == parts.type.substr(1);
  });
  return kind == std::end(kinds) ? nullptr : kind;
}

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

NpyParts parts_of_npy(std::string_view bytes, const std::string& where) {
  if (!bytes.starts_with(magic))
    throw BadData(where + "npy: must start with NumPy's signature; got " +
                  shown(bytes.substr(0, 6)));
  const std::size_t major = bytes.size() > 6 ? static_cast<unsigned char>(bytes[6]) : 0;
  const std::size_t start = major == 1 ? 10 : 12;
  if (bytes.size() < start)
    throw BadData(where + "npy: is cut short");
  if (major < 1 || major > 3)
    throw BadData(where + "npy: version: must be 1, 2 or 3; got " + std::to_string(major));
  const std::size_t length =
      major == 1 ? little_endian<std::uint16_t>(bytes, 8) : little_endian<std::uint32_t>(bytes, 8);
  if (bytes.size() - start < length)
    throw BadData(where + "npy: is cut short");
  const std::string_view header = bytes.substr(start, length);
  return {quoted_text(value_of(header, "descr", where)), value_of(header, "shape", where),
          bytes.substr(start + length),
          value_of(header, "fortran_order", where).starts_with("True")};
}

std::vector<std::size_t> shape_of_npy(const NpyParts& parts, const std::string& where) {
  return shape_of(parts.shape, where);
}

bool is_numeric(const NpyParts& parts) { return kind_of(parts) != nullptr; }

bool is_text(const NpyParts& parts) {
  return parts.type.starts_with("<U") || parts.type.starts_with(">U");
}

Array parse_numbers(const NpyParts& parts, const std::string& where) {
  const Kind* kind = kind_of(parts);
  if (!kind)
    throw BadData(where + "npy: type: must be f8, f4, i8, i4, u8 or u4, behind < or >; got " +
                  shown(parts.type));
  Array array;
  array.shape = shape_of(parts.shape, where);
  array.values.resize(count_of(array.shape, kind->bytes, parts.data, where));
  kind->convert(parts.data, is_big(parts), array.values);
  if (parts.fortran_order && array.shape.size() > 1)
    array.values = by_rows(array.values, array.shape);
  return array;
}

Texts parse_texts(const NpyParts& parts, const std::string& where) {
  const std::string_view digits = parts.type.substr(2);
  std::uint32_t width = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), width);
  const std::vector<std::size_t> shape = shape_of(parts.shape, where);
  if (shape.size() != 1)
    throw BadData(where + "npy: texts must have one dimension; got " +
                  std::to_string(shape.size()));
  const std::size_t bytes = 4 * std::size_t{width};
  Texts texts(bytes == 0 ? 0 : count_of(shape, bytes, parts.data, where));
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (std::size_t k = 0; k < width; ++k) {
      const std::size_t at = i * bytes + 4 * k;
      const auto point = is_big(parts) ? big_endian<std::uint32_t>(parts.data, at)
                                       : little_endian<std::uint32_t>(parts.data, at);
      if (point == 0) // padding
        break;
      append_utf8(texts[i], point);
    }
  return texts;
}

Array read_npy(const std::filesystem::path& file) {
  const std::string bytes = read_bytes(file), where = file.string() + ": ";
  return parse_numbers(parts_of_npy(bytes, where), where);
}

void write_npy(const std::filesystem::path& file, const Array& array) {
  check_shape(file.string(), array.shape, array.values.size());
  OutputFile out(file);
  out.write(npy_head("<f8", array.shape));
  out.write({reinterpret_cast<const char*>(array.values.data()), 8 * array.values.size()});
  out.close();
}

} // namespace starling::io
