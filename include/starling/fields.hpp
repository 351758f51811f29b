// Values that name their fields once: from that they are saved, restored and checked.
#pragma once

#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace starling {

/// A type T with fields has
///     template <typename Self, typename Visit> static void for_each_field(Self& self, Visit&&
///     visit)
/// which calls visit(name, field) for each, or visit(name, field, last) for an enum whose largest
/// value is `last`. If some contents of the fields do not fit each other, or if something has to be
/// made from them, T also has `void restored()`, which throws invalid_argument.
/// A field is a number, a bool, an enum, a matrix or vector of Eigen, an array, a vector or
/// an optional of such, or again a type with fields.

namespace fields {

template <typename T>
concept Number = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <typename T>
concept Dense = requires(T m) {
  m.rows();
  m.cols();
  m.resize(m.rows(), m.cols());
  m.data();
};
template <typename T>
struct Kind {
  static constexpr bool array = false, vector = false, optional = false;
};
template <typename T, std::size_t n>
struct Kind<std::array<T, n>> : Kind<void> {
  static constexpr bool array = true;
};
template <typename T>
struct Kind<std::vector<T>> : Kind<void> {
  static constexpr bool vector = true;
};
template <typename T>
struct Kind<std::optional<T>> : Kind<void> {
  static constexpr bool optional = true;
};

/// A name as a number, written before each field: a reader sees at once where it lost its way.
constexpr std::uint32_t tag(std::string_view name) {
  std::uint32_t hash = 2166136261u; // FNV-1a
  for (const char letter : name)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619u;
  return hash;
}

} // namespace fields

/// Appends fields to a text of bytes.
class SaveFields {
public:
  std::string bytes;

  template <typename T>
  void operator()(const char* name, const T& value) {
    put(fields::tag(name));
    write(value);
  }
  template <typename T>
  void operator()(const char* name, const T& value, T /*last*/) {
    (*this)(name, value);
  }

private:
  template <typename T>
  void put(const T& plain) {
    bytes.append(reinterpret_cast<const char*>(&plain), sizeof plain);
  }
  template <typename T>
  void write(const T& value) {
    using Kind = fields::Kind<T>;
    if constexpr (std::is_floating_point_v<T>) {
      put(static_cast<double>(value));
    } else if constexpr (fields::Number<T>) {
      put(static_cast<std::uint64_t>(value));
    } else if constexpr (Kind::array) {
      for (const auto& one : value)
        write(one);
    } else if constexpr (Kind::vector) {
      put(std::uint64_t(value.size()));
      if constexpr (std::is_same_v<typename T::value_type, double>)
        bytes.append(reinterpret_cast<const char*>(value.data()), sizeof(double) * value.size());
      else
        for (const auto& one : value)
          write(one);
    } else if constexpr (Kind::optional) {
      put(std::uint64_t(value.has_value()));
      if (value)
        write(*value);
    } else if constexpr (fields::Dense<T>) {
      put(std::uint64_t(value.rows()));
      put(std::uint64_t(value.cols()));
      bytes.append(reinterpret_cast<const char*>(value.data()),
                   sizeof(double) * std::size_t(value.size()));
    } else {
      T::for_each_field(value, *this);
    }
  }
};

/// Reads them back. Throws invalid_argument, "state: ...", where they do not fit; allocates nothing
/// that the bytes do not bear out.
class RestoreFields {
public:
  explicit RestoreFields(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  void operator()(const char* name, T& value) {
    name_ = name;
    if (take<std::uint32_t>() != fields::tag(name))
      refuse();
    read(value);
  }
  template <typename T>
  void operator()(const char* name, T& value, T last) {
    (*this)(name, value);
    name_ = name;
    if (value > last)
      refuse();
  }
  bool at_end() const { return bytes_.empty(); }

private:
  [[noreturn]] void refuse() const {
    throw std::invalid_argument(std::string("state: ") + name_ + " is missing or does not fit");
  }
  void copy(void* to, std::size_t size) {
    if (size > bytes_.size())
      refuse();
    if (size > 0)
      std::memcpy(to, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }
  template <typename T>
  T take() {
    T plain{};
    copy(&plain, sizeof plain);
    return plain;
  }
  /// How many items of at least so many bytes follow.
  std::size_t count(std::size_t least) {
    const auto given = take<std::uint64_t>();
    if (given > bytes_.size() / least)
      refuse();
    return static_cast<std::size_t>(given);
  }

  template <typename T>
  void read(T& value) {
    using Kind = fields::Kind<T>;
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(take<double>());
    } else if constexpr (fields::Number<T>) {
      const auto whole = take<std::uint64_t>();
      if (std::is_same_v<T, bool> && whole > 1)
        refuse();
      value = static_cast<T>(whole);
    } else if constexpr (Kind::array) {
      for (auto& one : value)
        read(one);
    } else if constexpr (Kind::vector) {
      value.resize(count(std::is_same_v<typename T::value_type, double> ? sizeof(double) : 4));
      if constexpr (std::is_same_v<typename T::value_type, double>)
        copy(value.data(), sizeof(double) * value.size());
      else
        for (auto& one : value)
          read(one);
    } else if constexpr (Kind::optional) {
      bool there = false;
      read(there);
      value.reset();
      if (there)
        read(value.emplace());
    } else if constexpr (fields::Dense<T>) {
      const auto rows = take<std::uint64_t>(), cols = take<std::uint64_t>();
      const std::size_t held = bytes_.size() / sizeof(double);
      if (rows > held || cols > held || (rows > 0 && cols > held / rows) ||
          (T::ColsAtCompileTime == 1 && cols != 1))
        refuse();
      value.resize(Eigen::Index(rows), Eigen::Index(cols));
      copy(value.data(), sizeof(double) * std::size_t(value.size()));
    } else {
      T::for_each_field(value, *this);
      if constexpr (requires { value.restored(); })
        value.restored();
    }
  }

  std::string_view bytes_;
  const char* name_ = "";
};

} // namespace starling
