// Writes NumPy's .npz: a plain zip of .npy members.
#include "io/npy_format.hpp"

#include "io/errors.hpp"

#include <starling/error.hpp>

#include <algorithm>
#include <exception>
#include <limits>
#include <new>

#include <fmt/format.h>
#include <zlib.h>

namespace starling::io {
namespace {

constexpr std::uint64_t zip_limit = std::numeric_limits<std::uint32_t>::max() - 1ULL;

/// Numbers of the zip format in a row, lowest byte first.
class Fields {
public:
  Fields& u16(std::uint16_t value) { return put(value, 2); }
  Fields& u32(std::uint32_t value) { return put(value, 4); }
  const std::string& bytes() const { return bytes_; }

private:
  Fields& put(std::uint32_t value, int count) {
    for (int i = 0; i < count; ++i)
      bytes_ += static_cast<char>(value >> (8 * i) & 255);
    return *this;
  }
  std::string bytes_;
};

constexpr std::uint16_t version = 20;
constexpr std::uint16_t utf8_names = 1 << 11;
constexpr std::uint16_t midnight = 0;
constexpr std::uint16_t first_of_1980 = 1 << 5 | 1;

/// A raw deflate stream of the two parts in a row.
std::string deflated(std::string_view head, std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    throw std::bad_alloc();
  std::string packed;
  char room[1 << 16];
  for (const std::string_view part : {head, bytes}) {
    const bool last = part.data() == bytes.data();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
    stream.avail_in = static_cast<uInt>(part.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(room);
      stream.avail_out = sizeof room;
      deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
      packed.append(room, sizeof room - stream.avail_out);
    } while (stream.avail_out == 0);
  }
  deflateEnd(&stream);
  return packed;
}

template <class Value>
std::string_view bytes_of(std::span<const Value> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

/// UTF-8 as code points; a byte that is not UTF-8 becomes U+FFFD.
std::u32string code_points(std::string_view text) {
  std::u32string points;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t more = lead < 0x80       ? 0
                             : lead >> 5 == 6  ? 1
                             : lead >> 4 == 14 ? 2
                             : lead >> 3 == 30 ? 3
                                               : text.size();
    char32_t point = more == 0 ? lead : lead & (0x3fU >> more);
    bool good = text.size() - i > more;
    for (std::size_t k = 1; good && k <= more; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      good = byte >> 6 == 2;
      point = point << 6 | (byte & 0x3fU);
    }
    points += good && point < 0x110000 ? point : U'\xfffd';
    i += good ? more + 1 : 1;
  }
  return points;
}

} // namespace

NpzWriter::NpzWriter(const std::filesystem::path& file, Packing packing)
    : path_(file), out_(file), packing_(packing), exceptions_at_start_(std::uncaught_exceptions()) {
}

NpzWriter::~NpzWriter() {
  if (closed_ || std::uncaught_exceptions() > exceptions_at_start_)
    return;
  try {
    close();
  } catch (...) { // documented: a destructor has no one to tell
  }
}

void NpzWriter::add(const std::string& name, std::span<const double> values, const Shape& shape) {
  check_shape(name, shape, values.size());
  add_member(name, npy_head("<f8", shape), bytes_of(values));
}

void NpzWriter::add(const std::string& name, std::span<const float> values, const Shape& shape) {
  check_shape(name, shape, values.size());
  add_member(name, npy_head("<f4", shape), bytes_of(values));
}

void NpzWriter::add(const std::string& name, std::span<const std::uint64_t> values,
                    const Shape& shape) {
  check_shape(name, shape, values.size());
  add_member(name, npy_head("<u8", shape), bytes_of(values));
}

void NpzWriter::add(const std::string& name, std::span<const std::string> values) {
  std::size_t width = 1;
  std::vector<std::u32string> rows;
  for (const std::string& value : values) {
    rows.push_back(code_points(value));
    width = std::max(width, rows.back().size());
  }
  std::u32string table;
  for (std::u32string& row : rows) {
    row.resize(width, U'\0');
    table += row;
  }
  add_member(name, npy_head("<U" + std::to_string(width), {values.size()}),
             bytes_of(std::span<const char32_t>(table)));
}

void NpzWriter::add_member(const std::string& name, const std::string& head,
                           std::string_view bytes) {
  const std::string file_name = name + ".npy";
  if (name.empty() || name.size() > 1000 ||
      std::any_of(members_.begin(), members_.end(),
                  [&](const Member& member) { return member.name == file_name; }))
    reject("array name", "short and used once", fmt::format("'{}'", name));
  const std::uint64_t size = head.size() + bytes.size();
  if (size > zip_limit || out_.size() > zip_limit)
    throw CannotWrite(path_, EFBIG, "array " + name + ": goes beyond the 4 GiB of a zip file");

  auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(head.data()), head.size());
  if (!bytes.empty())
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  std::string packed;
  if (packing_ == Packing::deflated)
    packed = deflated(head, bytes);
  const bool stored = packing_ == Packing::stored || packed.size() >= size;

  Member member{file_name,
                static_cast<std::uint32_t>(crc),
                static_cast<std::uint32_t>(stored ? size : packed.size()),
                static_cast<std::uint32_t>(size),
                static_cast<std::uint32_t>(out_.size()),
                static_cast<std::uint16_t>(stored ? 0 : 8)};
  Fields local;
  local.u32(0x04034b50).u16(version).u16(utf8_names).u16(member.method).u16(midnight);
  local.u16(first_of_1980).u32(member.crc).u32(member.packed_size).u32(member.size);
  local.u16(static_cast<std::uint16_t>(file_name.size())).u16(0);
  out_.write(local.bytes());
  out_.write(file_name);
  if (stored) {
    out_.write(head);
    out_.write(bytes);
  } else {
    out_.write(packed);
  }
  members_.push_back(std::move(member));
}

void NpzWriter::close() {
  if (closed_)
    return;
  closed_ = true;
  const std::uint64_t start = out_.size();
  for (const Member& member : members_) {
    Fields entry;
    entry.u32(0x02014b50).u16(version).u16(version).u16(utf8_names).u16(member.method);
    entry.u16(midnight).u16(first_of_1980).u32(member.crc).u32(member.packed_size);
    entry.u32(member.size).u16(static_cast<std::uint16_t>(member.name.size())).u16(0).u16(0);
    entry.u16(0).u16(0).u32(0).u32(member.offset);
    out_.write(entry.bytes());
    out_.write(member.name);
  }
  const std::uint64_t length = out_.size() - start;
  if (start > zip_limit || members_.size() > 0xfffe)
    throw CannotWrite(path_, EFBIG, "goes beyond the 4 GiB of a zip file");
  const auto count = static_cast<std::uint16_t>(members_.size());
  Fields end;
  end.u32(0x06054b50).u16(0).u16(0).u16(count).u16(count);
  end.u32(static_cast<std::uint32_t>(length)).u32(static_cast<std::uint32_t>(start)).u16(0);
  out_.write(end.bytes());
  out_.close();
}

} // namespace starling::io
