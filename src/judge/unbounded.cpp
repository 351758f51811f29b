// Straight ways out of a cloud, and the log densities along them.
#include <starling/judge/unbounded.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace starling::judge {

namespace {

constexpr std::size_t most_parameters = 8;
constexpr std::size_t on_a_way = 8;      // places: 10, 100, ... widths out
constexpr std::size_t fewest_places = 3; // of them, where the others are no numbers

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

/// Directions in widths: the mean score, then parameters.
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

} // namespace

std::optional<Unbounded> unbounded_along(
    Rows<const double> cloud, Rows<const double> scores,
    const std::function<void(Rows<const double>, Rows<double>, std::span<double>)>& density) {
  if (cloud.count == 0 || cloud.dim == 0)
    return std::nullopt;
  const Middle m = middle_of(cloud, scores);
  const auto ways = ways_out(m);
  const std::size_t d = cloud.dim, rays = 2 * ways.size(), places = rays * on_a_way;
  std::vector<double> at(places * d), score(places * d), heights(places);
  for (std::size_t ray = 0; ray < rays; ++ray)
    for (std::size_t k = 0; k < on_a_way; ++k)
      for (std::size_t a = 0; a < d; ++a)
        at[(ray * on_a_way + k) * d + a] = m.mean[a] + (ray % 2 == 0 ? 1 : -1) *
                                                           std::pow(10.0, double(k + 1)) *
                                                           ways[ray / 2][a] * m.sd[a];
  density({at.data(), places, d}, {score.data(), places, d}, heights);
  std::optional<Unbounded> flat;
  for (std::size_t ray = 0; ray < rays; ++ray) {
    const auto found =
        never_falls(std::span<const double>(heights).subspan(ray * on_a_way, on_a_way));
    if (!found)
      continue;
    const std::vector<double>& way = ways[ray / 2];
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
