// Reads NumPy's .npz by the directory at the end of the zip.
#include "io/npy_format.hpp"

#include "io/errors.hpp"
#include "io/text.hpp"

#include <new>

#include <zlib.h>

namespace starling::io {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t end_size = 22;
constexpr std::size_t entry_size = 46;
constexpr std::size_t local_size = 30;

struct Member {
  std::string_view name;
  std::string_view packed;
  std::uint32_t size;
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

std::vector<Member> entries_of(std::string_view zip, const std::string& where) {
  const std::size_t end = zip.rfind("PK\x05\x06"sv);
  if (!zip.starts_with("PK"sv))
    throw BadData(where + "npz: must be a zip archive");
  if (end == std::string_view::npos || zip.size() - end < end_size)
    throw BadData(where + "npz: is cut short: the directory at the end is missing");
  const std::size_t count = little_endian<std::uint16_t>(zip, end + 10);
  std::uint64_t at = little_endian<std::uint32_t>(zip, end + 16);
  if (count == 0xffff || at == 0xffffffff)
    throw BadData(where + "npz: must be below 4 GiB");

  std::vector<Member> entries;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view entry = part(zip, at, entry_size, where);
    if (!entry.starts_with("PK\x01\x02"sv))
      throw BadData(where + "npz: has a damaged directory");
    const std::uint64_t name_size = little_endian<std::uint16_t>(entry, 28);
    const std::uint32_t packed_size = little_endian<std::uint32_t>(entry, 20);
    const std::uint32_t offset = little_endian<std::uint32_t>(entry, 42);
    const std::string_view local = part(zip, offset, local_size, where);
    // numpy.savez gives the local header a longer extra field than the directory's.
    const std::uint64_t start = std::uint64_t{offset} + local_size +
                                little_endian<std::uint16_t>(local, 26) +
                                little_endian<std::uint16_t>(local, 28);
    entries.push_back(
        {part(zip, at + entry_size, name_size, where), part(zip, start, packed_size, where),
         little_endian<std::uint32_t>(entry, 24), little_endian<std::uint32_t>(entry, 16),
         little_endian<std::uint16_t>(entry, 10)});
    at += entry_size + name_size + little_endian<std::uint16_t>(entry, 30) +
          little_endian<std::uint16_t>(entry, 32);
  }
  return entries;
}

/// The member's own bytes, checked against its sum; `room` holds them if they had to be unpacked.
std::string_view unpacked(const Member& entry, const std::string& where, std::string& room) {
  std::string_view bytes = entry.packed;
  if (entry.method == 8) {
    constexpr std::uint64_t best_ratio =
        1032; // deflate cannot do better, so a larger size is a lie
    if (entry.size > best_ratio * entry.packed.size() + best_ratio)
      throw BadData(where + "npz: is damaged");
    room.resize(entry.size);
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
      throw std::bad_alloc();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    const int status = inflate(&stream, Z_FINISH);
    const bool whole = status == Z_STREAM_END && stream.avail_out == 0;
    inflateEnd(&stream);
    if (!whole)
      throw BadData(where + "npz: is damaged");
    bytes = room;
  } else if (entry.method != 0) {
    throw BadData(where + "npz: must be stored or deflated; got method " +
                  std::to_string(entry.method));
  }
  if (bytes.size() != entry.size ||
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()) != entry.crc)
    throw BadData(where + "npz: is damaged: the check sum does not fit");
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
