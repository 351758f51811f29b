// Reads NumPy's .npz by the directory at the end of the zip.
#include "io/npy_format.hpp"

#include "io/errors.hpp"
#include "io/memory.hpp"
#include "io/text.hpp"

#include <algorithm>
#include <new>

#include <zlib.h>

namespace starling::io {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t end_size = 22;
constexpr std::size_t entry_size = 46;
constexpr std::size_t local_size = 30;
constexpr std::uint32_t in_extra = 0xffffffff; // the number stands in the extra field

struct Member {
  std::string_view name;
  std::string_view packed;
  std::uint64_t size;
  std::uint32_t crc;
  std::uint16_t method;
};

/// Cuts out a part of the archive, which must lie inside it.
std::string_view part(std::string_view zip, std::uint64_t offset, std::uint64_t size,
                      const std::string& where) {
  if (offset > zip.size() || size > zip.size() - offset)
    throw BadData(where + "npz: is cut short or damaged");
  return zip.substr(offset, size);
}

/// Where the directory is and how many members it has.
struct Directory {
  std::uint64_t at, count;
};

/// A plain zip ends with 22 bytes and a comment. One of zip64 has the place of a longer end just
/// before them, for whatever does not fit there.
Directory directory_of(std::string_view zip, const std::string& where) {
  const std::size_t end = zip.rfind("PK\x05\x06"sv);
  if (!zip.starts_with("PK"sv))
    throw BadData(where + "npz: must be a zip archive");
  if (end == std::string_view::npos || zip.size() - end < end_size)
    throw BadData(where + "npz: is cut short: the directory at the end is missing");
  Directory plain{little_endian<std::uint32_t>(zip, end + 16),
                  little_endian<std::uint16_t>(zip, end + 10)};
  if (plain.count != 0xffff && plain.at != in_extra)
    return plain;
  constexpr std::size_t locator_size = 20, long_end_size = 56;
  if (end < locator_size)
    return plain;
  const std::string_view locator = zip.substr(end - locator_size, locator_size);
  if (!locator.starts_with("PK\x06\x07"sv))
    return plain; // it may have so many members and be plain
  const std::string_view longer =
      part(zip, little_endian<std::uint64_t>(locator, 8), long_end_size, where);
  if (!longer.starts_with("PK\x06\x06"sv))
    throw BadData(where + "npz: has a damaged directory");
  return {little_endian<std::uint64_t>(longer, 48), little_endian<std::uint64_t>(longer, 32)};
}

/// The numbers of zip64 that stand in the extra field, in their order.
class LongNumbers {
public:
  LongNumbers(std::string_view extra, const std::string& where) : where_(where) {
    while (extra.size() >= 4) {
      const std::size_t length = little_endian<std::uint16_t>(extra, 2);
      const std::string_view content = extra.substr(4, length);
      if (little_endian<std::uint16_t>(extra, 0) == 1)
        rest_ = content;
      extra.remove_prefix(std::min(extra.size(), 4 + length));
    }
  }
  /// The number itself, unless it says that it stands here.
  std::uint64_t of(std::uint32_t plain) {
    if (plain != in_extra)
      return plain;
    if (rest_.size() < 8)
      throw BadData(where_ + "npz: has a damaged directory");
    const auto number = little_endian<std::uint64_t>(rest_, 0);
    rest_.remove_prefix(8);
    return number;
  }

private:
  std::string_view rest_;
  const std::string& where_;
};

std::vector<Member> entries_of(std::string_view zip, const std::string& where) {
  auto [at, count] = directory_of(zip, where);
  std::vector<Member> entries;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string_view entry = part(zip, at, entry_size, where);
    if (!entry.starts_with("PK\x01\x02"sv))
      throw BadData(where + "npz: has a damaged directory");
    const std::uint64_t name_size = little_endian<std::uint16_t>(entry, 28),
                        extra_size = little_endian<std::uint16_t>(entry, 30);
    LongNumbers numbers(part(zip, at + entry_size + name_size, extra_size, where), where);
    const std::uint64_t size = numbers.of(little_endian<std::uint32_t>(entry, 24)),
                        packed_size = numbers.of(little_endian<std::uint32_t>(entry, 20)),
                        offset = numbers.of(little_endian<std::uint32_t>(entry, 42));
    const std::string_view local = part(zip, offset, local_size, where);
    // numpy.savez gives the local header a longer extra field than the directory's.
    const std::uint64_t start = offset + local_size + little_endian<std::uint16_t>(local, 26) +
                                little_endian<std::uint16_t>(local, 28);
    entries.push_back(
        {part(zip, at + entry_size, name_size, where), part(zip, start, packed_size, where), size,
         little_endian<std::uint32_t>(entry, 16), little_endian<std::uint16_t>(entry, 10)});
    at += entry_size + name_size + extra_size + little_endian<std::uint16_t>(entry, 32);
  }
  return entries;
}

/// A raw deflate stream into room that it must fill. zlib counts in 32 bits.
bool inflate_into(std::string_view packed, std::string& room) {
  constexpr std::size_t most = std::size_t{1} << 30;
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    throw std::bad_alloc();
  std::size_t taken = 0, made = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const std::size_t in = std::min(most, packed.size() - taken),
                      out = std::min(most, room.size() - made);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + taken));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(room.data() + made);
    stream.avail_out = static_cast<uInt>(out);
    status = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    made += out - stream.avail_out;
    if (status == Z_OK && in == stream.avail_in && out == stream.avail_out)
      break; // it goes nowhere
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END && made == room.size();
}

/// The member's own bytes, checked against its sum; `room` holds them if they had to be unpacked.
std::string_view unpacked(const Member& entry, const std::string& where, std::string& room) {
  std::string_view bytes = entry.packed;
  if (entry.method == 8) {
    constexpr std::uint64_t best_ratio =
        1032; // deflate cannot do better, so a larger size is a lie
    if (entry.size / best_ratio > entry.packed.size() + 1)
      throw BadData(where + "npz: is damaged");
    expect_room(where.substr(0, where.size() - 2), "npz: unpacks to", entry.size);
    room.resize(entry.size);
    if (!inflate_into(bytes, room))
      throw BadData(where + "npz: is damaged");
    bytes = room;
  } else if (entry.method != 0) {
    throw BadData(where + "npz: must be stored or deflated; got method " +
                  std::to_string(entry.method));
  }
  if (bytes.size() != entry.size ||
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()) != entry.crc)
    throw BadData(where + "npz: is damaged: the checksum is wrong");
  return bytes;
}

} // namespace

std::map<std::string, Array> read_npz(const std::filesystem::path& file,
                                      std::map<std::string, Texts>* texts) {
  const std::string zip = read_bytes(file);
  std::map<std::string, Array> arrays;
  for (const Member& entry : entries_of(zip, file.string() + ": ")) {
    if (!entry.name.ends_with(".npy"))
      continue;
    const std::string name(entry.name.substr(0, entry.name.size() - 4));
    const std::string where = file.string() + ": " + name + ": ";
    std::string room;
    const NpyParts parts = parts_of_npy(unpacked(entry, where, room), where);
    if (is_numeric(parts))
      arrays[name] = parse_numbers(parts, where);
    else if (texts && is_text(parts))
      (*texts)[name] = parse_texts(parts, where);
  }
  return arrays;
}

} // namespace starling::io
