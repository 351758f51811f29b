// The state of a run as one block of bytes, and as a file that is whole or not there.
#pragma once

#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starling::io {

/// A text that says what it is, and columns of numbers by name, as they lie in memory (little-endian
/// on every machine that Starling runs on).
struct Checkpoint {
  std::string head; ///< JSON
  std::vector<std::pair<std::string, std::string>> columns;

  template <typename T>
  void add(std::string name, std::span<const T> values) {
    columns.emplace_back(std::move(name), std::string(reinterpret_cast<const char*>(values.data()),
                                                      values.size_bytes()));
  }

  /// Fills the values from the column of this name; false when there is none, or not of that size.
  template <typename T>
  bool take(std::string_view name, std::span<T> values) const {
    for (const auto& [own, bytes] : columns)
      if (own == name && bytes.size() == values.size_bytes()) {
        std::memcpy(values.data(), bytes.data(), bytes.size());
        return true;
      }
    return false;
  }
};

/// One block, with its length and a checksum in it.
std::string pack(const Checkpoint& checkpoint);
/// Throws BadData that names `where` when a bit of it is wrong or missing.
Checkpoint unpack(std::string_view bytes, const std::string& where);

/// Writes beside the file, brings that to the disk and renames it into place: whatever happens
/// meanwhile, an older checkpoint stays readable. Throws CannotWrite.
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);
/// Throws InputMissing, or BadData.
Checkpoint read_checkpoint(const std::filesystem::path& file);

} // namespace starling::io
