// What can go wrong with files, as types: an input that cannot be read, bad content, no way to
// write.
#pragma once

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace starling::io {

/// The plain words for an errno, in lower case and without a full stop.
std::string in_words(int error);

/// A failure of the system about one file. The text is one line that starts with the file's name;
/// code() keeps the errno.
class FileError : public std::system_error {
public:
  FileError(int error, const std::string& text)
      : std::system_error(error, std::generic_category()), text_(text) {}
  const char* what() const noexcept override { return text_.what(); }

private:
  std::runtime_error text_; // copies without throwing, which a std::string does not
};

/// An input that cannot be opened or read: "covtype.csv: no such file".
class InputMissing : public FileError {
public:
  InputMissing(const std::filesystem::path& file, int error)
      : FileError(error, file.string() + ": " + in_words(error)) {}
  InputMissing(const std::filesystem::path& file, int error, const std::string& what)
      : FileError(error, file.string() + ": " + what) {}
};

/// An output that cannot be created, written or put into place.
class CannotWrite : public FileError {
public:
  CannotWrite(const std::filesystem::path& file, int error)
      : FileError(error, file.string() + ": cannot write: " +
                             (error == ENOENT ? "no such folder" : in_words(error))) {}
  CannotWrite(const std::filesystem::path& file, int error, const std::string& what)
      : FileError(error, file.string() + ": " + what) {}
};

/// Malformed content: "data.csv:17: column 3 (Slope): must be a number; got 'abc'".
class BadData : public std::runtime_error {
public:
  explicit BadData(const std::string& text) : std::runtime_error(text) {}
  BadData(const std::filesystem::path& file, const std::string& what)
      : std::runtime_error(file.string() + ": " + what) {}
  BadData(const std::filesystem::path& file, std::size_t line, const std::string& what)
      : std::runtime_error(file.string() + ":" + std::to_string(line) + ": " + what) {}
};

/// A program that its compiler refused. The one error whose text may be of several lines: what the
/// compiler said, as it said it.
class BadProgram : public BadData {
public:
  using BadData::BadData;
};

} // namespace starling::io
