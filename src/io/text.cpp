// Whole files in one string: as they are, or as text behind gzip or xz.
#include "io/text.hpp"

#include "io/errors.hpp"
#include "io/memory.hpp"
#include "io/whole_file.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include <lzma.h>
#include <zlib.h>

namespace starling::io {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t most_per_call = std::size_t{1} << 30; // zlib counts in 32 bits
constexpr std::size_t piece = std::size_t{1} << 22;         // of text, unpacked at a time

// No table has more text than this, and none packs so well: what goes beyond is a bomb, a small
// file made to fill the memory. Zeros and nothing else reach 1000 times in gzip, more in xz; tables
// of numbers seldom reach 20.
constexpr std::size_t most_text = std::size_t{1} << 34;
constexpr std::size_t most_times = 250;
constexpr std::size_t always_fine = std::size_t{1} << 28;
constexpr std::uint64_t most_for_xz = std::uint64_t{1} << 28; // xz -9 asks for 65 MiB

/// Gzip or xz, some bytes at a time.
class Unpacker {
public:
  virtual ~Unpacker() = default;
  /// The next bytes into this room, and how many there were; none after the last. Throws BadData.
  virtual std::size_t next(char* room, std::size_t size) = 0;
};

class Gunzip final : public Unpacker {
public:
  Gunzip(std::string where, std::string_view packed) : where_(std::move(where)), packed_(packed) {
    if (inflateInit2(&stream_, MAX_WBITS + 16) != Z_OK)
      throw std::bad_alloc();
  }
  ~Gunzip() override { inflateEnd(&stream_); }

  std::size_t next(char* room, std::size_t size) override {
    std::size_t used = 0;
    while (!done_ && used < size) {
      const std::size_t in = std::min(packed_.size() - taken_, most_per_call);
      const std::size_t left = std::min(size - used, most_per_call);
      // zlib's interface lacks the const; it does not write through next_in.
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed_.data() + taken_));
      stream_.avail_in = static_cast<uInt>(in);
      stream_.next_out = reinterpret_cast<Bytef*>(room + used);
      stream_.avail_out = static_cast<uInt>(left);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      taken_ += in - stream_.avail_in;
      used += left - stream_.avail_out;
      if (status == Z_STREAM_END) {
        go_on();
      } else if (status == Z_BUF_ERROR ||
                 (status == Z_OK && taken_ == packed_.size() && stream_.avail_out != 0)) {
        throw BadData(where_ + ": gzip: is cut short");
      } else if (status == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (status != Z_OK) {
        throw BadData(where_ + ": gzip: is damaged");
      }
    }
    return used;
  }

private:
  /// After an archive there may be another. Tapes and some writers pad with zeros after the last.
  void go_on() {
    taken_ = std::min(packed_.find_first_not_of('\0', taken_), packed_.size());
    done_ = taken_ == packed_.size();
    if (!done_ && !packed_.substr(taken_).starts_with("\x1f\x8b"sv))
      throw BadData(where_ + ": gzip: has other bytes after the archive");
    inflateReset(&stream_);
  }

  std::string where_;
  std::string_view packed_;
  std::size_t taken_ = 0;
  bool done_ = false;
  z_stream stream_{};
};

class Unxz final : public Unpacker {
public:
  Unxz(std::string where, std::string_view packed) : where_(std::move(where)) {
    if (lzma_stream_decoder(&stream_, most_for_xz, LZMA_CONCATENATED) != LZMA_OK)
      throw std::bad_alloc();
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
    stream_.avail_in = packed.size();
  }
  ~Unxz() override { lzma_end(&stream_); }

  std::size_t next(char* room, std::size_t size) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(room);
    stream_.avail_out = size;
    while (!done_ && stream_.avail_out > 0) {
      const lzma_ret status = lzma_code(&stream_, LZMA_FINISH);
      done_ = status == LZMA_STREAM_END;
      if (status == LZMA_BUF_ERROR)
        throw BadData(where_ + ": xz: is cut short");
      if (status == LZMA_MEMLIMIT_ERROR)
        throw BadData(where_ + ": xz: needs more than 256 MiB of memory to unpack");
      if (status == LZMA_MEM_ERROR)
        throw std::bad_alloc();
      if (!done_ && status != LZMA_OK)
        throw BadData(where_ + ": xz: is damaged");
    }
    return size - stream_.avail_out;
  }

private:
  std::string where_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool done_ = false;
};

/// How many bytes it unpacks to; none of them is kept. Throws BadData as soon as they are more than
/// a table has, or than there is memory for.
template <typename Kind>
std::size_t unpacked_size(const std::string& where, const char* kind, std::string_view packed) {
  const std::string what = std::string(kind) + ": unpacks to more than ";
  const std::uint64_t most = most_to_read();
  std::string room(piece, '\0');
  Kind unpacker(where, packed);
  std::size_t size = 0;
  for (std::size_t count = 0; (count = unpacker.next(room.data(), room.size())) > 0;) {
    size += count;
    if (size >= most_text)
      throw BadData(where + ": " + what + "16 GiB");
    if (size / most_times > packed.size())
      throw BadData(where + ": " + what +
                    "256 MiB and more than 250 times its size, too much for a table");
    if (size > most)
      expect_room(where, std::string(kind) + ": unpacks to at least", size);
  }
  return size;
}

/// Texts that are long are unpacked twice: first only to count, so that nothing is taken that is
/// refused in the end.
template <typename Kind>
std::string unpacked(const std::string& where, const char* kind, std::string_view packed) {
  Kind unpacker(where, packed);
  std::string text;
  std::size_t used = 0;
  for (bool counted = false;;) {
    if (used == text.size() && !counted && used >= always_fine) {
      text.reserve(unpacked_size<Kind>(where, kind, packed) + piece);
      counted = true;
    }
    if (used == text.size())
      text.resize(counted ? used + piece : std::max(piece / 64, 2 * used));
    const std::size_t count = unpacker.next(text.data() + used, text.size() - used);
    used += count;
    if (count == 0)
      break;
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
  std::string text = file == "-" ? read_stdin() : read_bytes(file);
  if (text.starts_with("\x1f\x8b"sv))
    text = unpacked<Gunzip>(file.string(), "gzip", text);
  else if (text.starts_with("\xfd"
                            "7zXZ\0"sv))
    text = unpacked<Unxz>(file.string(), "xz", text);
  else
    for (const Foreign& kind : foreign)
      if (text.starts_with(kind.magic))
        throw BadData(file, std::string("must be plain text, gzip or xz; got ") + kind.name);
  if (text.starts_with("\xef\xbb\xbf"sv))
    text.erase(0, 3);
  if (text.starts_with("\xff\xfe"sv) || text.starts_with("\xfe\xff"sv))
    throw BadData(file, "must be UTF-8; got UTF-16, which iconv -f utf-16 -t utf-8 turns into it");
  if (text.find('\n') == text.npos) // lines that end as on the first Macintosh
    std::replace(text.begin(), text.end(), '\r', '\n');
  return text;
}

} // namespace starling::io
