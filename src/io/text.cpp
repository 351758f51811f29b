// Whole files in one string: as they are, or as text behind gzip or xz.
#include "io/text.hpp"

#include "io/errors.hpp"
#include "io/whole_file.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string_view>

#include <lzma.h>
#include <zlib.h>

namespace starling::io {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t first_guess = std::size_t{1} << 16;
constexpr std::size_t most_per_call = std::size_t{1} << 30; // zlib counts in 32 bits

// No table has more text than this, and none packs so well: what goes beyond is a bomb, a small
// file made to fill the memory. Zeros and nothing else reach 1000 times in gzip, more in xz; tables
// of numbers seldom reach 20.
constexpr std::size_t most_text = std::size_t{1} << 34;
constexpr std::size_t most_times = 250;
constexpr std::size_t always_fine = std::size_t{1} << 28;
constexpr std::uint64_t most_for_xz = std::uint64_t{1} << 28; // xz -9 asks for 65 MiB

/// Before there is room for more.
void check_size(const std::filesystem::path& file, const char* kind, std::size_t unpacked,
                std::size_t packed) {
  if (unpacked >= most_text)
    throw BadData(file, std::string(kind) + ": unpacks to more than 16 GiB");
  if (unpacked >= always_fine && unpacked / most_times > packed)
    throw BadData(file, std::string(kind) + ": unpacks to more than 256 MiB and more than 250 "
                                            "times its size, which no table does");
}

/// Output that doubles: the unpacked size is not known beforehand.
void make_room(std::string& text, std::size_t used) {
  if (used == text.size())
    text.resize(std::max(first_guess, 2 * text.size()));
}

std::string gunzip(const std::filesystem::path& file, std::string_view packed) {
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + 16) != Z_OK)
    throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
  std::string text;
  std::size_t used = 0;
  std::size_t taken = 0;
  for (;;) {
    check_size(file, "gzip", used, packed.size());
    make_room(text, used);
    const std::size_t in = std::min(packed.size() - taken, most_per_call);
    const std::size_t room = std::min(text.size() - used, most_per_call);
    // zlib's interface lacks the const; it does not write through next_in.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + taken));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + used);
    stream.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    used += room - stream.avail_out;
    if (status == Z_STREAM_END) {
      // Tapes and some writers pad with zeros after the last archive.
      taken = std::min(packed.find_first_not_of('\0', taken), packed.size());
      if (taken == packed.size())
        break;
      if (!packed.substr(taken).starts_with("\x1f\x8b"sv))
        throw BadData(file, "gzip: has other bytes after the archive");
      inflateReset(&stream);
    } else if (status == Z_BUF_ERROR ||
               (status == Z_OK && taken == packed.size() && stream.avail_out != 0)) {
      throw BadData(file, "gzip: is cut short");
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK) {
      throw BadData(file, "gzip: is damaged");
    }
  }
  text.resize(used);
  return text;
}

std::string unxz(const std::filesystem::path& file, std::string_view packed) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, most_for_xz, LZMA_CONCATENATED) != LZMA_OK)
    throw std::bad_alloc();
  const std::unique_ptr<lzma_stream, void (*)(lzma_stream*)> guard(&stream, lzma_end);
  std::string text;
  std::size_t used = 0;
  stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  for (;;) {
    check_size(file, "xz", used, packed.size());
    make_room(text, used);
    stream.next_out = reinterpret_cast<std::uint8_t*>(text.data() + used);
    stream.avail_out = text.size() - used;
    const lzma_ret status = lzma_code(&stream, LZMA_FINISH);
    used = text.size() - stream.avail_out;
    if (status == LZMA_STREAM_END)
      break;
    if (status == LZMA_BUF_ERROR)
      throw BadData(file, "xz: is cut short");
    if (status == LZMA_MEMLIMIT_ERROR)
      throw BadData(file, "xz: asks for more than 256 MiB of memory to be unpacked");
    if (status == LZMA_MEM_ERROR)
      throw std::bad_alloc();
    if (status != LZMA_OK)
      throw BadData(file, "xz: is damaged");
  }
  text.resize(used);
  return text;
}

struct Foreign {
  std::string_view magic;
  const char* name;
};
constexpr std::array foreign{Foreign{"BZh"sv, "bzip2"}, Foreign{"PK\x03\x04"sv, "zip"},
                             Foreign{"\x28\xb5\x2f\xfd"sv, "zstd"},
                             Foreign{"7z\xbc\xaf\x27\x1c"sv, "7z"}};

} // namespace

std::string read_text(const std::filesystem::path& file) {
  std::string text = read_bytes(file);
  if (text.starts_with("\x1f\x8b"sv))
    text = gunzip(file, text);
  else if (text.starts_with("\xfd"
                            "7zXZ\0"sv))
    text = unxz(file, text);
  else
    for (const Foreign& kind : foreign)
      if (text.starts_with(kind.magic))
        throw BadData(file, std::string("must be plain text, gzip or xz; got ") + kind.name);
  if (text.starts_with("\xef\xbb\xbf"sv))
    text.erase(0, 3);
  return text;
}

} // namespace starling::io
