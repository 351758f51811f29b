// Rows of an .npy file, by pread.
#include "io/row_file.hpp"

#include "io/errors.hpp"
#include "io/npy_format.hpp"
#include "io/whole_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace starling::io {

namespace {

/// As many bytes as there are, up to so many, from a place on.
std::size_t read_at(int file, char* to, std::size_t bytes, std::size_t from) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = pread(file, to + done, bytes - done, static_cast<off_t>(from + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

} // namespace

RowFile::RowFile(const std::filesystem::path& file) : name_(file.string()) {
  file_ = open_regular(file);
  try {
    std::string head(1 << 16, '\0');
    head.resize(read_at(file_, head.data(), head.size(), 0));
    const std::string where = name_ + ": ";
    const NpyParts parts = parts_of_npy(head, where);
    const std::vector<std::size_t> shape = shape_of_npy(parts, where);
    if (shape.size() != 2 || shape[0] == 0 || shape[1] < 2)
      throw BadData(file, "must be an array of two dimensions, rows and at least two columns");
    const std::string_view type = parts.type.substr(std::min<std::size_t>(1, parts.type.size()));
    if ((type != "f8" && type != "f4") || (parts.type[0] != '<' && parts.type[0] != '>'))
      throw BadData(file, "must be of type f8 or f4, behind < or >; got '" +
                              std::string(parts.type) + "'");
    if (parts.fortran_order)
      throw BadData(file, "must be in C order, row by row; numpy.ascontiguousarray makes it so");
    rows_ = shape[0];
    columns_ = shape[1];
    bytes_ = type == "f8" ? 8 : 4;
    highest_first_ = parts.type[0] == '>';
    begin_ = static_cast<std::size_t>(parts.data.data() - head.data());
    const off_t size = lseek(file_, 0, SEEK_END);
    if (size < 0 || (static_cast<std::size_t>(size) - begin_) / bytes_ / columns_ < rows_)
      throw BadData(file, "is cut short: must have " + std::to_string(rows_) + " rows of " +
                              std::to_string(columns_));
  } catch (...) {
    close(file_);
    throw;
  }
}

RowFile::~RowFile() { close(file_); }

template <typename Real>
void RowFile::read(std::size_t first, std::size_t last, std::vector<Real>& to) const {
  const std::size_t count = (last - first) * columns_, from = begin_ + first * columns_ * bytes_;
  to.resize(count);
  const auto whole = [&](void* place) {
    if (read_at(file_, static_cast<char*>(place), count * bytes_, from) < count * bytes_)
      throw BadData(std::filesystem::path(name_), "ends before row " + std::to_string(last));
    auto* at = static_cast<char*>(place);
    for (std::size_t i = 0; highest_first_ && i < count; ++i, at += bytes_)
      std::reverse(at, at + bytes_);
  };
  if (bytes_ == sizeof(Real))
    return whole(to.data());
  if (bytes_ == 4) {
    thread_local std::vector<float> raw;
    raw.resize(count);
    whole(raw.data());
    to.assign(raw.begin(), raw.end());
  } else {
    thread_local std::vector<double> raw;
    raw.resize(count);
    whole(raw.data());
    for (std::size_t i = 0; i < count; ++i)
      to[i] = static_cast<Real>(raw[i]);
  }
}

template void RowFile::read(std::size_t, std::size_t, std::vector<double>&) const;
template void RowFile::read(std::size_t, std::size_t, std::vector<float>&) const;

} // namespace starling::io
