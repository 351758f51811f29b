// Writes NumPy's .npz: a plain zip of .npy members.
#include "io/npy_format.hpp"

#include <starling/error.hpp>

#include <algorithm>
#include <exception>
#include <new>

#include <fmt/format.h>
#include <zlib.h>

namespace starling::io {
namespace {

/// Numbers of the zip format in a row, lowest byte first.
class Fields {
public:
  Fields& u16(std::uint16_t value) { return put(value, 2); }
  Fields& u32(std::uint32_t value) { return put(value, 4); }
  Fields& u64(std::uint64_t value) { return put(value, 8); }
  /// A number that may stand in the extra field of zip64 instead.
  Fields& plain(std::uint64_t value, bool elsewhere) {
    return u32(elsewhere ? in_extra : static_cast<std::uint32_t>(value));
  }
  const std::string& bytes() const { return bytes_; }

private:
  static constexpr std::uint32_t in_extra = 0xffffffff;
  Fields& put(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i)
      bytes_ += static_cast<char>(value >> (8 * i) & 255);
    return *this;
  }
  std::string bytes_;
};

constexpr std::uint16_t version = 20, version_of_zip64 = 45;
constexpr std::uint16_t zip64_extra = 1;
constexpr std::uint16_t utf8_names = 1 << 11;
constexpr std::uint16_t stored_method = 0, deflated_method = 8;
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
  constexpr std::size_t most_per_call = std::size_t{1} << 30; // zlib counts in 32 bits
  for (const std::string_view part : {head, bytes})
    for (std::size_t from = 0; from == 0 || from < part.size(); from += most_per_call) {
      const std::string_view some = part.substr(from, most_per_call);
      const bool last = part.data() == bytes.data() && from + some.size() == part.size();
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(some.data()));
      stream.avail_in = static_cast<uInt>(some.size());
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

/// Of what came before, and these.
std::uint32_t crc_of(std::uint32_t before, std::string_view bytes) {
  if (bytes.empty()) // which zlib takes for a new beginning
    return before;
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
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

NpzWriter::NpzWriter(const std::filesystem::path& file, Packing packing, std::uint64_t plain_up_to)
    : path_(file), out_(file), packing_(packing), plain_up_to_(plain_up_to),
      exceptions_at_start_(std::uncaught_exceptions()) {}

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

void NpzWriter::add(const std::string& name, const std::function<void(const Receiver&)>& values,
                    const Shape& shape) {
  const std::string head = npy_head("<f8", shape);
  std::size_t count = 0;
  std::uint32_t crc = crc_of(0, head);
  values([&](std::span<const double> some) {
    count += some.size();
    crc = crc_of(crc, bytes_of(some));
  });
  check_shape(name, shape, count);
  const std::uint64_t size = head.size() + count * sizeof(double);
  begin_member({name + ".npy", crc, size, size, out_.size(), stored_method});
  out_.write(head);
  values([&](std::span<const double> some) { out_.write(bytes_of(some)); });
}

void NpzWriter::add_member(const std::string& name, const std::string& head,
                           std::string_view bytes) {
  const std::uint64_t size = head.size() + bytes.size();
  std::string packed;
  if (packing_ == Packing::deflated)
    packed = deflated(head, bytes);
  const bool stored = packing_ == Packing::stored || packed.size() >= size;
  begin_member({name + ".npy", crc_of(crc_of(0, head), bytes), stored ? size : packed.size(), size,
                out_.size(), stored ? stored_method : deflated_method});
  if (stored) {
    out_.write(head);
    out_.write(bytes);
  } else {
    out_.write(packed);
  }
}

void NpzWriter::begin_member(Member member) {
  constexpr std::size_t most = 1000 + 4; // with .npy
  if (member.name == ".npy" || member.name.size() > most ||
      std::ranges::find(members_, member.name, &Member::name) != members_.end())
    reject("array name", "short and used once",
           fmt::format("'{}'", member.name.substr(0, member.name.size() - 4)));
  const bool large = std::max(member.packed_size, member.size) > plain_up_to_;
  Fields local;
  local.u32(0x04034b50).u16(large ? version_of_zip64 : version).u16(utf8_names).u16(member.method);
  local.u16(midnight).u16(first_of_1980).u32(member.crc);
  local.plain(member.packed_size, large).plain(member.size, large);
  local.u16(static_cast<std::uint16_t>(member.name.size())).u16(large ? 20 : 0);
  out_.write(local.bytes());
  out_.write(member.name);
  if (large)
    out_.write(Fields().u16(zip64_extra).u16(16).u64(member.size).u64(member.packed_size).bytes());
  members_.push_back(std::move(member));
}

void NpzWriter::close() {
  if (closed_)
    return;
  closed_ = true;
  const std::uint64_t start = out_.size();
  for (const Member& member : members_) {
    const bool large = std::max(member.packed_size, member.size) > plain_up_to_,
               far = member.offset > plain_up_to_;
    Fields extra; // the sizes that are large, then the offset if it is
    if (large || far)
      extra.u16(zip64_extra).u16(static_cast<std::uint16_t>(8 * (2 * large + far)));
    if (large)
      extra.u64(member.size).u64(member.packed_size);
    if (far)
      extra.u64(member.offset);
    const std::uint16_t needs = large || far ? version_of_zip64 : version;
    Fields entry;
    entry.u32(0x02014b50).u16(needs).u16(needs).u16(utf8_names).u16(member.method);
    entry.u16(midnight).u16(first_of_1980).u32(member.crc).plain(member.packed_size, large);
    entry.plain(member.size, large).u16(static_cast<std::uint16_t>(member.name.size()));
    entry.u16(static_cast<std::uint16_t>(extra.bytes().size())).u16(0);
    entry.u16(0).u16(0).u32(0).plain(member.offset, far);
    out_.write(entry.bytes());
    out_.write(member.name);
    out_.write(extra.bytes());
  }
  const std::uint64_t directory_end = out_.size(), length = directory_end - start;
  const bool many = members_.size() > 0xfffe, large = length > plain_up_to_,
             far = start > plain_up_to_;
  Fields end;
  if (many || large || far) { // the end of zip64, and where it is
    end.u32(0x06064b50).u64(44).u16(version_of_zip64).u16(version_of_zip64).u32(0).u32(0);
    end.u64(members_.size()).u64(members_.size()).u64(length).u64(start);
    end.u32(0x07064b50).u32(0).u64(directory_end).u32(1);
  }
  const auto count = static_cast<std::uint16_t>(many ? 0xffff : members_.size());
  end.u32(0x06054b50).u16(0).u16(0).u16(count).u16(count);
  end.plain(length, large).plain(start, far).u16(0);
  out_.write(end.bytes());
  out_.close();
}

} // namespace starling::io
