// Vectors of many numbers that all threads make together: most of what they cost is the system's
// clearing of pages.
#pragma once

#include <starling/rows.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace starling::run {

/// So many zeros. The pages of a large one are touched on all threads before they are written to in
/// order, and are large ones where the system gives them.
inline std::vector<double> zeros(std::size_t count, Threads& threads) {
  std::vector<double> numbers;
  numbers.reserve(count);
  const std::size_t bytes = count * sizeof(double);
  if (bytes >= large_column) {
    auto* const memory = reinterpret_cast<unsigned char*>(numbers.data());
    const std::size_t before =
        (large_page - reinterpret_cast<std::uintptr_t>(memory) % large_page) % large_page;
    if (announce_column)
      announce_column(memory + before, bytes - before);
    constexpr std::size_t page = 4096; // or more: then some are touched twice
    threads.for_pieces(bytes, large_page, [&](std::size_t begin, std::size_t end) {
      for (std::size_t at = begin; at < end; at += page)
        static_cast<volatile unsigned char*>(memory)[at] = 0;
    });
  }
  numbers.resize(count);
  return numbers;
}

/// Row i where row to[i] belongs, one after another. `beside`, if given, is done by one of the
/// threads meanwhile.
template <typename Real>
std::vector<double> scattered(Rows<const Real> rows, std::span<const std::uint64_t> to,
                              Threads& threads, const std::function<void()>& beside = {}) {
  std::vector<double> numbers = zeros(rows.size(), threads);
  const std::size_t block = 1 + 65536 / rows.dim, first = beside ? 1 : 0;
  threads.for_pieces(
      first + (rows.count + block - 1) / block, 1, [&](std::size_t piece, std::size_t) {
        if (piece < first)
          return beside();
        const std::size_t begin = (piece - first) * block;
        for (std::size_t i = begin; i < std::min(rows.count, begin + block); ++i)
          std::ranges::copy(rows[i],
                            numbers.begin() + static_cast<std::ptrdiff_t>(to[i] * rows.dim));
      });
  return numbers;
}

/// Numbers into rows, one after another.
template <typename Real>
void place(const std::vector<double>& numbers, Rows<Real> rows, Threads& threads) {
  threads.for_pieces(
      rows.size(), large_page / sizeof(Real), [&](std::size_t begin, std::size_t end) {
        std::transform(numbers.data() + begin, numbers.data() + end, rows.data + begin,
                       [](double v) { return static_cast<Real>(v); });
      });
}

/// These rows, one after another.
template <typename Real>
std::vector<double> copied(Rows<const Real> rows, Threads& threads) {
  std::vector<double> numbers = zeros(rows.size(), threads);
  threads.for_pieces(rows.size(), large_page / sizeof(Real),
                     [&](std::size_t begin, std::size_t end) {
                       std::copy(rows.data + begin, rows.data + end, numbers.data() + begin);
                     });
  return numbers;
}

} // namespace starling::run
