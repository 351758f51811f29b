// A file of results that is there whole or not at all, whatever ends the program.
#include "io/whole_file.hpp"

#include "io/errors.hpp"
#include "io/memory.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
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

int open_regular(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    throw InputMissing(file, errno == ENXIO ? ENOENT : errno);
  struct stat about = {};
  const bool known = ::fstat(descriptor, &about) == 0;
  if (known && S_ISREG(about.st_mode))
    return descriptor;
  ::close(descriptor);
  if (known && S_ISDIR(about.st_mode))
    throw InputMissing(file, EISDIR);
  throw InputMissing(file, EINVAL,
                     std::string(known && S_ISFIFO(about.st_mode)  ? "is a pipe"
                                 : known && S_ISCHR(about.st_mode) ? "is a device"
                                                                   : "is not a regular file") +
                         ": only regular files can be read, and stdin with -");
}

namespace {

/// To the end, into room for so many bytes that grows as long as there is memory.
std::string read_all(int descriptor, const fs::path& file, std::size_t guess) {
  std::string bytes(guess, '\0');
  std::size_t used = 0;
  for (;;) {
    if (used == bytes.size()) {
      expect_room(file.string(), "has more than", 2 * bytes.size());
      bytes.resize(2 * bytes.size());
    }
    const ssize_t count = ::read(descriptor, bytes.data() + used, bytes.size() - used);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      throw InputMissing(file, errno);
    if (count == 0)
      break;
    used += static_cast<std::size_t>(count);
  }
  bytes.resize(used);
  return bytes;
}

/// Closes it, whatever happens.
struct Opened {
  int descriptor;
  ~Opened() { ::close(descriptor); }
};

constexpr std::size_t first_guess = std::size_t{1} << 16;

} // namespace

std::string read_bytes(const fs::path& file) {
  const Opened in{open_regular(file)};
  struct stat about = {};
  ::fstat(in.descriptor, &about);
  // The size is a first guess only: files of /proc have none.
  const auto size = static_cast<std::uint64_t>(about.st_size);
  expect_room(file.string(), "has", size);
  return read_all(in.descriptor, file,
                  size == 0 ? first_guess : static_cast<std::size_t>(size) + 1);
}

const std::string& read_stdin() {
  static const std::string bytes = read_all(STDIN_FILENO, "stdin", first_guess);
  return bytes;
}

} // namespace starling::io
