// A shared library opened at run time, and the functions in it by name.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace starling::foreign {

/// A library that cannot be used: it is none, lacks a function, or refuses its data. The text
/// starts with the name of the file to blame.
class BadLibrary : public std::runtime_error {
public:
  BadLibrary(const std::string& file, const std::string& what)
      : std::runtime_error(file + ": " + what) {}
};

/// A program that its compiler refused. The compiler's words follow: in the same line where they
/// are one, else in lines of their own.
class DidNotCompile : public BadLibrary {
public:
  DidNotCompile(const std::string& file, const std::string& what, const std::string& words)
      : BadLibrary(file, what + (words.find('\n') == words.npos ? ": " : ":\n") + words) {}
};

/// Foreign words as part of a line of ours: line breaks become blanks, those at the ends go.
std::string one_line(std::string_view text);

/// Opened on construction and never closed: a library may leave memory of threads behind that it
/// frees when the process ends, and closing it first crashes there.
class Library {
public:
  explicit Library(const std::string& file);

  const std::string& file() const { return file_; }

  /// The function of this name, or nullptr if there is none.
  template <typename F>
  void find(const char* name, F*& function) const {
    function = reinterpret_cast<F*>(symbol(name));
  }

  /// One that must be there.
  template <typename F>
  void require(const char* name, F*& function) const {
    find(name, function);
    if (!function)
      throw BadLibrary(file_, std::string("must export ") + name + "; got a library without it");
  }

private:
  void* symbol(const char* name) const;

  std::string file_;
  void* handle_ = nullptr;
};

} // namespace starling::foreign
