// Checkpoints: "starling checkpoint 1", then lengths and contents, then a CRC-32 of all before it.
#include <starling/run/checkpoint.hpp>

#include "io/whole_file.hpp"

#include <cstdint>

#include <zlib.h>

namespace starling::run {

namespace {

constexpr std::string_view magic = "starling checkpoint 1\n";

template <typename T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_text(std::string& bytes, std::string_view text) {
  append(bytes, static_cast<std::uint64_t>(text.size()));
  bytes += text;
}

std::uint32_t checksum(std::string_view bytes, std::uint32_t before = 0) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// Reads from the front; the checksum has vouched for the lengths, which are looked at all the
/// same.
class Reader {
public:
  Reader(std::string_view bytes, const std::string& where) : rest_(bytes), where_(where) {}

  template <typename T>
  T number() {
    T value;
    std::memcpy(&value, cut(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(cut(number<std::uint64_t>())); }
  bool done() const { return rest_.empty(); }

private:
  std::string_view cut(std::uint64_t size) {
    if (size > rest_.size())
      throw io::BadData(where_, "is a damaged checkpoint: it is cut short");
    const std::string_view part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return part;
  }

  std::string_view rest_;
  const std::string& where_;
};

/// All but the checksum, of which `more` columns will be.
std::string pack_first(const Checkpoint& checkpoint, std::size_t more) {
  std::string bytes(magic);
  append_text(bytes, checkpoint.head);
  append(bytes, static_cast<std::uint64_t>(checkpoint.columns.size() + more));
  for (const auto& [name, column] : checkpoint.columns) {
    append_text(bytes, name);
    append_text(bytes, column);
  }
  return bytes;
}

} // namespace

std::string pack(const Checkpoint& checkpoint) {
  std::string bytes = pack_first(checkpoint, 0);
  append(bytes, checksum(bytes));
  return bytes;
}

struct CheckpointFile::Open {
  io::WholeFile file;
  std::uint32_t sum = 0;
  void write(std::string_view bytes) {
    file.write(bytes);
    sum = checksum(bytes, sum);
  }
};

CheckpointFile::CheckpointFile(const std::filesystem::path& file, const Checkpoint& with,
                               std::size_t more)
    : open_(new Open{io::WholeFile(file)}) {
  open_->write(pack_first(with, more));
}
CheckpointFile::~CheckpointFile() = default;

void CheckpointFile::begin(std::string_view name, std::uint64_t bytes) {
  std::string text;
  append_text(text, name);
  run::append(text, bytes);
  open_->write(text);
}

void CheckpointFile::append(std::span<const std::byte> bytes) {
  open_->write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void CheckpointFile::commit() {
  std::string end;
  run::append(end, open_->sum);
  open_->file.write(end);
  open_->file.commit();
}

Checkpoint unpack(std::string_view bytes, const std::string& where) {
  if (!bytes.starts_with(magic))
    throw io::BadData(where, "must be a checkpoint of starling; got something else");
  const std::size_t body = bytes.size() - sizeof(std::uint32_t);
  if (bytes.size() < magic.size() + sizeof(std::uint32_t) ||
      Reader(bytes.substr(body), where).number<std::uint32_t>() != checksum(bytes.substr(0, body)))
    throw io::BadData(where, "is a damaged checkpoint: its checksum is wrong");
  Reader rest(bytes.substr(magic.size(), body - magic.size()), where);
  Checkpoint checkpoint;
  checkpoint.head = rest.text();
  for (auto count = rest.number<std::uint64_t>(); count > 0; --count) {
    std::string name = rest.text();
    checkpoint.columns.emplace_back(std::move(name), rest.text());
  }
  if (!rest.done())
    throw io::BadData(where, "is a damaged checkpoint: it is too long");
  return checkpoint;
}

void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint) {
  io::write_whole(file, pack(checkpoint));
}

Checkpoint read_checkpoint(const std::filesystem::path& file) {
  return unpack(io::read_bytes(file), file.string());
}

} // namespace starling::run
