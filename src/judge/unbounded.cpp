// Straight ways out of a cloud, and the log densities along them.
#include <starling/judge/unbounded.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace starling::judge {

namespace {

constexpr std::size_t most_parameters = 8;
constexpr std::size_t on_a_way = 8;      // places: 10, 100, ... widths out
constexpr std::size_t fewest_places = 3; // of them, where the others are no numbers
constexpr std::size_t nearer = 3;        // places: 1, 2 and 4 widths out

struct Middle {
  std::vector<double> mean, sd, slope; ///< slope: of the mean score
};

Middle middle_of(Rows<const double> x, Rows<const double> score) {
  Middle m{std::vector<double>(x.dim), std::vector<double>(x.dim), std::vector<double>(x.dim)};
  const auto n = static_cast<double>(x.count);
  for (std::size_t i = 0; i < x.count; ++i)
    for (std::size_t a = 0; a < x.dim; ++a) {
      m.mean[a] += x[i][a] / n;
      m.slope[a] += score[i][a] / n;
    }
  for (std::size_t a = 0; a < x.dim; ++a) {
    double farthest = 0; // its square may be no number
    for (std::size_t i = 0; i < x.count; ++i)
      farthest = std::max(farthest, std::abs(x[i][a] - m.mean[a]));
    double sum = 0;
    for (std::size_t i = 0; farthest > 0 && i < x.count; ++i)
      sum += std::pow((x[i][a] - m.mean[a]) / farthest, 2) / n;
    // A cloud that has shrunk to a point is as wide as its numbers are exact.
    m.sd[a] = std::max({farthest * std::sqrt(sum), 1e-12 * std::abs(m.mean[a]), 1e-300});
  }
  return m;
}

/// The parameters that lie farthest out, by place and width.
std::vector<std::size_t> far_out(const Middle& m) {
  std::vector<std::size_t> order(m.mean.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto size = [&](std::size_t a) { return std::abs(m.mean[a]) + m.sd[a]; };
  const std::size_t count = std::min(order.size(), most_parameters);
  std::partial_sort(
      order.begin(), order.begin() + std::ptrdiff_t(count), order.end(),
      [&](std::size_t a, std::size_t b) { return size(a) != size(b) ? size(a) > size(b) : a < b; });
  order.resize(count);
  return order;
}

/// Directions in widths: the mean score, then parameters; each forth and back.
std::vector<std::vector<double>> ways_out(const Middle& m) {
  const std::size_t d = m.mean.size();
  std::vector<std::vector<double>> ways;
  std::vector<double> by_score(d);
  double longest = 0;
  for (std::size_t a = 0; a < d; ++a)
    longest = std::max(longest, std::abs(m.slope[a] * m.sd[a]));
  for (std::size_t a = 0; a < d; ++a)
    by_score[a] = m.slope[a] * m.sd[a] / longest;
  if (longest > 0 && std::isfinite(longest))
    ways.push_back(by_score);
  for (const std::size_t a : far_out(m)) {
    ways.emplace_back(d);
    ways.back()[a] = 1;
  }
  for (std::size_t n = 0; n < ways.size(); n += 2) {
    std::vector<double> back = ways[n];
    for (double& part : back)
      part = -part;
    ways.insert(ways.begin() + std::ptrdiff_t(n + 1), std::move(back));
  }
  return ways;
}

/// Never down, from the first place to the last that is a number.
std::optional<bool> never_falls(std::span<const double> heights) {
  std::size_t seen = 0;
  bool grows = false;
  for (; seen < heights.size() && !std::isnan(heights[seen]); ++seen) {
    if (heights[seen] == INFINITY)
      return true;
    if (heights[seen] == -INFINITY) // it ends there
      return std::nullopt;
    if (seen == 0)
      continue;
    if (!(heights[seen] >= heights[seen - 1]))
      return std::nullopt;
    grows |= heights[seen] > heights[seen - 1];
  }
  return seen >= fewest_places ? std::optional(grows) : std::nullopt;
}

using Density = std::function<void(Rows<const double>, Rows<double>, std::span<double>)>;

/// Log densities along ways out, first * factor^k widths from the middle.
std::vector<double> heights_along(const std::vector<std::vector<double>>& ways, const Middle& m,
                                  std::size_t count, double first, double factor,
                                  const Density& density) {
  const std::size_t d = m.mean.size(), places = ways.size() * count;
  std::vector<double> at(places * d), score(places * d), heights(places);
  for (std::size_t place = 0; place < places; ++place)
    for (std::size_t a = 0; a < d; ++a)
      at[place * d + a] = m.mean[a] + first * std::pow(factor, double(place % count)) *
                                          ways[place / count][a] * m.sd[a];
  density({at.data(), places, d}, {score.data(), places, d}, heights);
  return heights;
}

bool falls(std::span<const double> heights) {
  return std::ranges::adjacent_find(heights, std::greater()) != heights.end();
}

} // namespace

std::optional<Unbounded> unbounded_along(
    Rows<const double> cloud, Rows<const double> scores,
    const std::function<void(Rows<const double>, Rows<double>, std::span<double>)>& density) {
  if (cloud.count == 0 || cloud.dim == 0)
    return std::nullopt;
  const Middle m = middle_of(cloud, scores);
  const auto ways = ways_out(m);
  const std::vector<double> heights = heights_along(ways, m, on_a_way, 10, 10, density);
  std::optional<Unbounded> flat;
  for (std::size_t n = 0; n < ways.size(); ++n) {
    const std::vector<double>& way = ways[n];
    const auto own = std::span<const double>(heights).subspan(n * on_a_way, on_a_way);
    const auto found = never_falls(own);
    if (!found)
      continue;
    if (std::ranges::count(own, INFINITY) > 0) { // or it falls until it can no longer be computed
      std::vector<double> near = heights_along({way}, m, nearer, 1, 2, density);
      near.push_back(own[0]);
      if (falls(near))
        continue;
    }
    const auto most = std::ranges::max_element(way, {}, [](double part) { return std::abs(part); });
    const Unbounded one{std::size_t(most - way.begin()), *found};
    if (one.grows)
      return one;
    if (!flat)
      flat = one;
  }
  return flat;
}

} // namespace starling::judge
