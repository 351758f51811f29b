// Vectors of many numbers that all threads make together: most of what they cost is the system's clearing of pages.
#pragma once

#include <starling/rows.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starling::run {

/// So many zeros. The pages of a large one are touched on all threads before they are written to in order, and are large
/// ones where the system gives them.
inline std::vector<double> zeros(std::size_t count, Threads& threads) {
  std::vector<double> numbers;
  numbers.reserve(count);
  const std::size_t bytes = count * sizeof(double);
  if (bytes >= large_column) {
    auto* const memory = reinterpret_cast<unsigned char*>(numbers.data());
    const std::size_t before = (large_page - reinterpret_cast<std::uintptr_t>(memory) % large_page) % large_page;
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

/// These rows, one after another.
template <typename Real>
std::vector<double> copied(Rows<const Real> rows, Threads& threads) {
  std::vector<double> numbers = zeros(rows.size(), threads);
  threads.for_pieces(rows.size(), large_page / sizeof(Real), [&](std::size_t begin, std::size_t end) {
    std::copy(rows.data + begin, rows.data + end, numbers.data() + begin);
  });
  return numbers;
}

} // namespace starling::run
