// Ranks of values: by sorting parts of them, and by windows on all threads.
#include "judge/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace starling::judge {

namespace {

/// The rank below a share q of so many values, and how far that is from the next.
struct Place {
  Place(std::size_t count, double q)
      : place(q * static_cast<double>(count - 1)), below(static_cast<std::size_t>(place)),
        above(std::min(below + 1, count - 1)) {}
  double between(double low, double high) const {
    return low + (place - static_cast<double>(below)) * (high - low);
  }
  double place;
  std::size_t below, above;
};

std::ptrdiff_t so_far(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

/// Written out, so that a compiler makes vectors of the loop around it.
template <std::size_t count, std::size_t... w>
std::int64_t bounds_passed(double value, const std::array<double, count>& low,
                           const std::array<double, count>& high, std::index_sequence<w...>) {
  return (... + ((value >= low[w] ? std::int64_t{1} : std::int64_t{0}) +
                 (value > high[w] ? std::int64_t{1} : std::int64_t{0})));
}

constexpr std::size_t sampled = 4096; // values that windows are chosen from
constexpr double sure = 5;            // standard errors of a rank in the sample

} // namespace

Ranks ranks_of(std::vector<double> values) {
  constexpr std::size_t worth_it = 4096;
  const std::size_t count = values.size(), ends = outermost(count);
  if (count < worth_it) {
    std::sort(values.begin(), values.end());
  } else {
    std::vector<std::size_t> ranks = {ends, count - ends};
    for (const double q : summary_quantiles)
      ranks.insert(ranks.end(), {Place(count, q).below, Place(count, q).above});
    std::ranges::sort(ranks);
    auto from = values.begin(); // ranks rise, and what is below the last one stays where it is
    for (const std::size_t rank : ranks) {
      const auto here = values.begin() + so_far(rank);
      if (here < from)
        continue;
      std::nth_element(from, here, values.end());
      from = here + 1;
    }
    std::sort(values.begin(), values.begin() + so_far(ends));
    std::sort(values.end() - so_far(ends), values.end());
  }
  Ranks ranks;
  for (std::size_t k = 0; k < summary_quantiles.size(); ++k) {
    const Place place(count, summary_quantiles[k]);
    ranks.quantile[k] = place.between(values[place.below], values[place.above]);
  }
  ranks.least.assign(values.begin(), values.begin() + so_far(ends));
  ranks.largest.assign(values.end() - so_far(ends), values.end());
  return ranks;
}

RanksTogether::RanksTogether(std::span<const double> columns, std::size_t count)
    : all_(columns), count_(count), columns_(columns.size() / count),
      tall_((count + block_rows - 1) / block_rows), window_(columns_ * windows_each),
      apart_(columns_), found_(columns_ * tall_), kept_(new double[columns.size()]),
      which_(new unsigned char[columns.size()]) {}

void RanksTogether::choose_windows(std::size_t c) {
  const std::span<const double> values = column(c);
  const std::size_t taken = std::min(sampled, count_), ends = outermost(count_);
  std::vector<double> sample(taken);
  for (std::size_t m = 0; m < taken; ++m)
    sample[m] = values[m * count_ / taken];
  std::sort(sample.begin(), sample.end());
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const auto choose = [&](Window& window, std::size_t first, std::size_t last) {
    window.first = first;
    window.last = last;
    const auto in_sample = [&](std::size_t rank, double errors) {
      const double q = (static_cast<double>(rank) + 0.5) / static_cast<double>(count_),
                   n = static_cast<double>(taken);
      return q * n + errors * (std::sqrt(n * q * (1 - q)) + 1);
    };
    const double low = in_sample(first, -sure), high = in_sample(last, sure);
    window.low = first == 0 || low < 0 ? -infinite : sample[static_cast<std::size_t>(low)];
    window.high = last + 1 == count_ || high >= static_cast<double>(taken)
                      ? infinite
                      : sample[static_cast<std::size_t>(high)];
  };
  Window* const own = window_.data() + c * windows_each;
  choose(own[0], 0, ends - 1);
  for (std::size_t k = 0; k < summary_quantiles.size(); ++k) {
    const Place place(count_, summary_quantiles[k]);
    choose(own[1 + k], place.below, place.above);
  }
  choose(own[windows_each - 1], count_ - ends, count_ - 1);
  apart_[c] = 1;
  for (std::size_t w = 1; w < windows_each; ++w)
    if (!(own[w - 1].high < own[w].low))
      apart_[c] = 0;
}

// A value's class is the number of bounds that it has passed: even between windows, 2 w + 1 in
// window w. Classes are found a few hundred at a time, in vectors, and no branch depends on them.
void RanksTogether::search(std::size_t block) {
  const std::size_t c = block / tall_, begin = block % tall_ * block_rows,
                    rows = std::min(block_rows, count_ - begin);
  if (!apart_[c])
    return;
  const Window* const own = window_.data() + c * windows_each;
  const double* const values = column(c).data() + begin;
  double* const kept = kept_.get() + c * count_ + begin;
  unsigned char* const which = which_.get() + c * count_ + begin;
  constexpr std::size_t together = 256, classes = 2 * windows_each + 1;
  std::array<std::int64_t, together> passed{};
  std::array<std::array<std::size_t, classes>, 2>
      counts{}; // two, so that one need not wait for the other
  std::size_t used = 0;
  std::array<double, together> here{};
  std::array<double, windows_each> low{}, high{};
  for (std::size_t w = 0; w < windows_each; ++w) {
    low[w] = own[w].low;
    high[w] = own[w].high;
  }
  for (std::size_t from = 0; from < rows; from += together) {
    const std::size_t some = std::min(together, rows - from);
    for (std::size_t n = 0; n < some; ++n)
      here[n] = values[from + n];
    for (std::size_t n = 0; n < together; ++n)
      passed[n] = bounds_passed(here[n], low, high, std::make_index_sequence<windows_each>());
    for (std::size_t n = 0; n < some; ++n) {
      const auto one = static_cast<std::size_t>(passed[n]);
      ++counts[n % 2][one];
      kept[used] = here[n]; // never past the block: no more are kept than were seen before
      which[used] = static_cast<unsigned char>(one / 2);
      used += one % 2;
    }
  }
  Found& found = found_[block];
  found.kept = used;
  for (std::size_t w = 0; w < windows_each; ++w)
    for (std::size_t less = 0; less <= 2 * w; ++less)
      found.below[w] += counts[0][less] + counts[1][less];
}

void RanksTogether::sort(std::size_t window_number) {
  const std::size_t c = window_number / windows_each, w = window_number % windows_each;
  if (!apart_[c])
    return;
  Window& window = window_[window_number];
  std::size_t below = 0;
  std::vector<double> inside;
  for (std::size_t block = 0; block < tall_; ++block) {
    const Found& found = found_[c * tall_ + block];
    const std::size_t begin = c * count_ + block * block_rows;
    below += found.below[w];
    for (std::size_t n = begin; n < begin + found.kept; ++n)
      if (which_[n] == w)
        inside.push_back(kept_[n]);
  }
  if (window.first < below || window.last >= below + inside.size())
    return;
  const auto first = inside.begin() + so_far(window.first - below),
             last = inside.begin() + so_far(window.last - below);
  std::nth_element(inside.begin(), first, inside.end());
  if (last > first)
    std::nth_element(first + 1, last, inside.end());
  std::sort(first, last);
  window.values.assign(first, last + 1);
  window.found = true;
}

bool RanksTogether::by_windows(std::size_t c) const {
  return std::ranges::all_of(std::span(window_).subspan(c * windows_each, windows_each),
                             &Window::found);
}

Ranks RanksTogether::result(std::size_t c) const {
  if (!by_windows(c))
    return ranks_of({column(c).begin(), column(c).end()});
  const std::span<const Window> own = std::span(window_).subspan(c * windows_each, windows_each);
  Ranks ranks;
  ranks.least = own.front().values;
  ranks.largest = own.back().values;
  for (std::size_t k = 0; k < summary_quantiles.size(); ++k)
    ranks.quantile[k] = Place(count_, summary_quantiles[k])
                            .between(own[1 + k].values.front(), own[1 + k].values.back());
  return ranks;
}

} // namespace starling::judge
