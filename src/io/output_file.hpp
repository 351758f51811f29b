// A file being written, where every failure is an error and none is silent.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace starling::io {

/// Opens for writing. Each call throws CannotWrite when it fails.
class OutputFile {
public:
  /// replace: what was there, or what a link that was there points to. fresh: only what was not
  /// there.
  enum What { replace, fresh };
  explicit OutputFile(const std::filesystem::path& file, What what = replace);

  void write(std::string_view bytes);
  /// How many bytes were written so far.
  std::uint64_t size() const { return size_; }
  /// Flushes and closes. Without it the destructor closes too, but cannot report a full disk.
  void close();

private:
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::uint64_t size_ = 0;
};

} // namespace starling::io
