// A file being written, where every failure is an error and none is silent.
#include "io/output_file.hpp"

#include "io/errors.hpp"

namespace starling::io {

OutputFile::OutputFile(const std::filesystem::path& file)
    : path_(file), file_(std::fopen(file.c_str(), "wb"), std::fclose) {
  if (!file_)
    throw CannotWrite(path_, errno);
}

void OutputFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
    throw CannotWrite(path_, errno);
  size_ += bytes.size();
}

void OutputFile::close() {
  if (file_ && std::fclose(file_.release()) != 0)
    throw CannotWrite(path_, errno);
}

} // namespace starling::io
