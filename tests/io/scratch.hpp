// What the tests of files share: a folder of their own, packed files, the text of an error.
#pragma once

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>

namespace starling::io {

/// A folder that no other test has, gone at the end.
class Scratch {
public:
  Scratch() {
    static std::atomic<int> count{0};
    folder_ = std::filesystem::temp_directory_path() /
              ("starling-io-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(folder_);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  std::filesystem::path file(const std::string& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

private:
  std::filesystem::path folder_;
};

inline std::string bytes_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The text of the error that `act` throws, which must be of this type; the folder of `file` is cut
/// off, so that the text reads as for a file in the working folder.
template <class Error, class Act>
std::string error_text(const std::filesystem::path& file, Act act) {
  try {
    act();
  } catch (const Error& error) {
    std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    const std::string folder = file.parent_path().string();
    if (!folder.empty() && text.starts_with(folder + "/"))
      text.erase(0, folder.size() + 1);
    return text;
  } catch (const std::exception& error) {
    return std::string("another error: ") + error.what();
  }
  return "no error";
}

inline std::string gzipped(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

inline std::string xz_packed(std::string_view text) {
  std::string packed(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(
                6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()),
                text.size(), reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size()),
            LZMA_OK);
  packed.resize(size);
  return packed;
}

} // namespace starling::io
