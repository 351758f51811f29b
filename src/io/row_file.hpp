// Rows of a two-dimensional .npy file, read where they are wanted: the file may be larger than
// memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace starling::io {

/// Open for reading. Several threads may read at once. Blocks are copied out of the system's cache
/// of the file, not mapped, so that the memory in use is that of the blocks.
class RowFile {
public:
  /// Numbers of type f8 or f4, of either order of bytes, in C order. Throws InputMissing or
  /// BadData.
  explicit RowFile(const std::filesystem::path& file);
  ~RowFile();
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  /// Rows first .. last, one after another. Throws BadData where the file has become shorter.
  template <typename Real>
  void read(std::size_t first, std::size_t last, std::vector<Real>& to) const;

private:
  std::string name_;
  int file_ = -1;
  std::size_t rows_ = 0, columns_ = 0, begin_ = 0, bytes_ = 8;
  bool highest_first_ = false; // of a number's bytes
};

} // namespace starling::io
