// Rows of numbers: a view on an N x d row-major block, and the aligned memory behind one.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace starling {

/// N rows of d numbers, row-major, as NumPy and Stan lay them out. A view: it owns nothing.
template <typename T>
struct Rows {
  T* data = nullptr;
  std::size_t count = 0;
  std::size_t dim = 0;

  std::span<T> operator[](std::size_t i) const { return {data + i * dim, dim}; }
  std::size_t size() const { return count * dim; }
  T* begin() const { return data; }
  T* end() const { return data + size(); }

  /// The rows from `first` up to, not including, `last`.
  Rows slice(std::size_t first, std::size_t last) const {
    return {data + first * dim, last - first, dim};
  }
  operator Rows<const T>() const requires(!std::is_const_v<T>) { return {data, count, dim}; }
};

/// Columns from here on begin where a large page does, and are announced before they are first
/// touched.
inline constexpr std::size_t large_page = std::size_t{2} << 20,
                             large_column = 3 * large_page; ///< bytes

/// Hears of large columns. The library asks the system for large pages there (src/cpu/threads.cpp);
/// where nobody does, pages are as they come.
inline void (*announce_column)(void* begin, std::size_t bytes) = nullptr;

/// Memory on cache-line boundaries, so that vector loads never straddle two lines.
template <typename T>
struct CacheAligned {
  using value_type = T;
  static constexpr std::align_val_t alignment(std::size_t n) {
    return std::align_val_t{n < large_column / sizeof(T) ? 64 : large_page};
  }

  CacheAligned() = default;
  template <typename U>
  CacheAligned(const CacheAligned<U>&) {}

  T* allocate(std::size_t n) {
    void* const begin = ::operator new(n * sizeof(T), alignment(n));
    if (n >= large_column / sizeof(T) && announce_column)
      announce_column(begin, n * sizeof(T));
    return static_cast<T*>(begin);
  }
  void deallocate(T* p, std::size_t n) { ::operator delete(p, alignment(n)); }
  template <typename U>
  bool operator==(const CacheAligned<U>&) const {
    return true;
  }
};

template <typename T>
using Column = std::vector<T, CacheAligned<T>>;

/// The same memory, in which new numbers are not written to: whoever makes such a column fills it,
/// a large one on all threads, so that the system clears its pages side by side.
template <typename T>
struct NotWritten : CacheAligned<T> {
  NotWritten() = default;
  template <typename U>
  NotWritten(const NotWritten<U>&) {}
  template <typename U>
  struct rebind {
    using other = NotWritten<U>;
  };
  template <typename U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <typename U, typename V>
  void construct(U* at, V&& value) {
    ::new (static_cast<void*>(at)) U(std::forward<V>(value));
  }
};
template <typename T>
using UnwrittenColumn = std::vector<T, NotWritten<T>>;

/// A column of its own, or one that lies in memory which somebody else keeps. A copy is always its
/// own. A new one is not written to.
template <typename T>
class HeldColumn {
public:
  explicit HeldColumn(std::size_t size) : own_(size), data_(own_.data()), size_(size) {}
  HeldColumn(T* lent, std::size_t size) : data_(lent), size_(size) {}
  HeldColumn(const HeldColumn& other)
      : own_(other.data_, other.data_ + other.size_), data_(own_.data()), size_(other.size_) {}
  HeldColumn(HeldColumn&& other) noexcept : HeldColumn(nullptr, 0) { swap(other); }
  HeldColumn& operator=(HeldColumn other) noexcept {
    swap(other);
    return *this;
  }
  ~HeldColumn() = default;

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  /// Of its own. New numbers are zero.
  void grow(std::size_t size) {
    own_.reserve(size); // no more than that
    own_.resize(size, T(0));
    data_ = own_.data();
    size_ = size;
  }
  void swap(HeldColumn& other) noexcept {
    own_.swap(other.own_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

private:
  UnwrittenColumn<T> own_;
  T* data_;
  std::size_t size_;
};

} // namespace starling
