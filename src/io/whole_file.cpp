// A file of results that is there whole or not at all, whatever ends the program.
#include "io/whole_file.hpp"

#include "io/errors.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <memory>
#include <string>
#include <unistd.h>

namespace starling::io {

void sync(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    throw CannotWrite(path, errno);
  // EINVAL: a file system that knows no fsync for this kind of file.
  const int error = ::fsync(descriptor) != 0 && errno != EINVAL ? errno : 0;
  ::close(descriptor);
  if (error != 0)
    throw CannotWrite(path, error);
}

namespace fs = std::filesystem;

namespace {

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

} // namespace

WholeFile::WholeFile(const fs::path& file)
    : file_(file), unfinished_(file.string() + "." + std::to_string(::getpid())) {
  std::error_code error;
  fs::create_directories(folder_of(file), error);
  if (error)
    throw CannotWrite(folder_of(file), error.value());
  // One that is left behind by a kill is removed by the next process of that number, or stays. What
  // is written is fresh: never through a link that someone laid in the way.
  ::unlink(unfinished_.c_str());
  out_.emplace(unfinished_, OutputFile::fresh);
}

WholeFile::~WholeFile() {
  if (!out_)
    return;
  std::error_code ignored;
  fs::remove(unfinished_, ignored);
}

void WholeFile::commit() {
  out_->close();
  sync(unfinished_);
  std::error_code error;
  fs::rename(unfinished_, file_, error);
  if (error)
    throw CannotWrite(file_, error.value());
  out_.reset();
  sync(folder_of(file_));
}

void write_whole(const fs::path& file, std::string_view text) {
  WholeFile whole(file);
  whole.write(text);
  whole.commit();
}

std::string read_bytes(const std::filesystem::path& file) {
  errno = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "rb"),
                                                           std::fclose);
  if (!in)
    throw InputMissing(file, errno);
  std::setvbuf(in.get(), nullptr, _IONBF, 0);
  // The size is a first guess only: pipes and /proc have none.
  std::error_code no_size;
  const auto size = std::filesystem::file_size(file, no_size);
  std::string bytes(no_size ? std::size_t{1} << 16 : static_cast<std::size_t>(size) + 1, '\0');
  std::size_t used = 0;
  for (;;) {
    if (used == bytes.size())
      bytes.resize(2 * bytes.size());
    const std::size_t count = std::fread(bytes.data() + used, 1, bytes.size() - used, in.get());
    used += count;
    if (count == 0) {
      if (std::ferror(in.get()) != 0)
        throw InputMissing(file, errno);
      break;
    }
  }
  bytes.resize(used);
  return bytes;
}

} // namespace starling::io
