// What a summary reads of sorted values: both ends, and the neighbours of its quantiles.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace starling::judge {

inline constexpr std::array<double, 3> summary_quantiles = {0.05, 0.50, 0.95};

/// How many values an end has: a hundredth of all.
inline std::size_t outermost(std::size_t count) { return (count + 99) / 100; }

struct Ranks {
  std::vector<double> least, largest;                    ///< the outermost of either end, rising
  std::array<double, summary_quantiles.size()> quantile; ///< linear between neighbours
};

/// Of values that are all numbers, at least one. Sorts as much as is read.
Ranks ranks_of(std::vector<double> values);

/// Values from where on all threads share in the ranks of one column.
inline constexpr std::size_t ranked_together = 65536;

/// The same of several columns of `count` values each, one after another, on all threads. From a
/// sample follow windows of values that the ranks ought to lie in; blocks are searched for what is
/// in a window, and that alone is sorted. A column in which a rank lies outside, or whose windows
/// meet, as where many values are alike, goes to ranks_of.
class RanksTogether {
public:
  RanksTogether(std::span<const double> columns, std::size_t count);

  /// Work on any thread, in this order; that of one kind in any order, each piece once.
  void choose_windows(std::size_t column);
  std::size_t blocks() const { return columns_ * tall_; }
  void search(std::size_t block);
  std::size_t windows() const { return columns_ * windows_each; }
  void sort(std::size_t window);

  /// When all of it is done.
  Ranks result(std::size_t column) const;
  bool by_windows(std::size_t column) const;

private:
  static constexpr std::size_t windows_each = 2 + summary_quantiles.size(), block_rows = 16384;
  struct Window {
    std::size_t first = 0, last = 0; // ranks that are wanted
    double low = 0,
           high = 0; // values between which they ought to be; those of a column rise and are apart
    bool found = false;
    std::vector<double> values; // of the wanted ranks, rising
  };
  struct Found { // in one block
    std::size_t kept = 0;
    std::array<std::size_t, windows_each> below{}; // values that are less than each window's
  };
  std::span<const double> column(std::size_t c) const { return all_.subspan(c * count_, count_); }

  std::span<const double> all_;
  std::size_t count_, columns_, tall_;
  std::vector<Window> window_;
  std::vector<unsigned char> apart_; // whether a column has windows
  std::vector<Found> found_;         // by block
  std::unique_ptr<double[]>
      kept_; // of each block what is in its windows, where the block is: most is never touched
  std::unique_ptr<unsigned char[]> which_; // and in which of them
};

} // namespace starling::judge
