// A file being written, where every failure is an error and none is silent.
#include "io/output_file.hpp"

#include "io/errors.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace starling::io {

namespace {

std::FILE* open_file(const char* path, OutputFile::What what) {
  const int where = what == OutputFile::fresh ? O_EXCL | O_NOFOLLOW : O_TRUNC;
  const int descriptor = ::open(path, O_WRONLY | O_CREAT | O_CLOEXEC | where, 0666);
  if (descriptor < 0)
    return nullptr;
  std::FILE* file = ::fdopen(descriptor, "wb");
  if (!file) {
    const int error = errno;
    ::close(descriptor);
    errno = error;
  }
  return file;
}

} // namespace

OutputFile::OutputFile(const std::filesystem::path& file, What what)
    : path_(file), file_(open_file(file.c_str(), what), std::fclose) {
  if (!file_)
    throw CannotWrite(path_, errno);
}

void OutputFile::write(std::string_view bytes) {
  if (bytes.empty()) // an empty array may have no address
    return;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
    throw CannotWrite(path_, errno);
  size_ += bytes.size();
}

void OutputFile::close() {
  if (file_ && std::fclose(file_.release()) != 0)
    throw CannotWrite(path_, errno);
}

} // namespace starling::io
