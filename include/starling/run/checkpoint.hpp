// The state of a run as one block of bytes, and as a file that is whole or not there.
#pragma once

#include <starling/error.hpp>
#include <starling/file_error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starling::run {

/// A text that says what it is, and columns of numbers by name, as they lie in memory
/// (little-endian on every machine that Starling runs on).
struct Checkpoint {
  std::string head; ///< JSON: small figures; texts that may be of any bytes are columns
  std::vector<std::pair<std::string, std::string>> columns;

  template <typename T>
  void add(std::string name, std::span<const T> values) {
    columns.emplace_back(std::move(name), std::string(reinterpret_cast<const char*>(values.data()),
                                                      values.size_bytes()));
  }

  /// A text of any bytes.
  void add_text(std::string name, std::string text) {
    columns.emplace_back(std::move(name), std::move(text));
  }
  /// The bytes of a column; null when there is none of that name.
  const std::string* find(std::string_view name) const {
    for (const auto& [own, bytes] : columns)
      if (own == name)
        return &bytes;
    return nullptr;
  }

  /// Fills the values from the column of this name; false when there is none, or not of that size.
  template <typename T>
  bool take(std::string_view name, std::span<T> values) const {
    const std::string* bytes = find(name);
    if (!bytes || bytes->size() != values.size_bytes())
      return false;
    std::memcpy(values.data(), bytes->data(), bytes->size());
    return true;
  }
};

/// What a checkpoint says about itself.
struct Saved {
  std::size_t particles = 0, dim = 0;
  bool single = false; ///< its numbers are floats
  std::string identity;
  std::uint64_t seed = 1, run = 0;
  Step done = 0;
  std::string note;
};
/// Throws io::BadData that names `where` unless every column is there once, of the size it must
/// have, and the ids are those of the particles.
Saved saved(const Checkpoint& checkpoint, const std::string& where);

/// Its positions, in the order of the particles. Throws as `saved`.
std::vector<double> positions_in(const Checkpoint& checkpoint, const std::string& where);

/// One block, with its length and a checksum in it.
std::string pack(const Checkpoint& checkpoint);
/// Throws io::BadData that names `where` when a bit of it is wrong or missing.
Checkpoint unpack(std::string_view bytes, const std::string& where);

/// Writes beside the file, brings that to the disk and renames it into place: whatever happens
/// meanwhile, an older checkpoint stays readable. Throws io::CannotWrite.
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);
/// The same column by column, for what is nowhere whole: `with` has the head and the first columns,
/// `more` follow. Nothing is there until commit().
class CheckpointFile {
public:
  CheckpointFile(const std::filesystem::path& file, const Checkpoint& with, std::size_t more);
  ~CheckpointFile();
  CheckpointFile(const CheckpointFile&) = delete;
  CheckpointFile& operator=(const CheckpointFile&) = delete;

  /// The next column, of so many bytes, which are then appended.
  void begin(std::string_view name, std::uint64_t bytes);
  void append(std::span<const std::byte> bytes);
  void commit();

private:
  struct Open;
  std::unique_ptr<Open> open_;
};

/// Throws io::InputMissing, or io::BadData.
Checkpoint read_checkpoint(const std::filesystem::path& file);

} // namespace starling::run
