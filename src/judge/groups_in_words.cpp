// Groups in words: the line below the table, their places.
#include <starling/judge/group.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace starling::judge {

namespace {

constexpr std::size_t most_places = 2, most_named = 8;

bool weighed(const std::vector<Group>& groups) {
  return std::all_of(groups.begin(), groups.end(),
                     [](const Group& one) { return !std::isnan(one.se); });
}

double largest_error(const std::vector<Group>& groups) {
  double most = 0;
  for (const Group& one : groups)
    most = std::max(most, one.se);
  return most;
}

/// .10, as shares are written.
std::string part(double value) {
  std::string text = fmt::format("{:.2f}", value);
  return text.starts_with("0") ? text.substr(1) : text;
}
/// Never less than it is.
std::string error(double se) { return part(std::max(0.01, std::ceil(100 * se - 1e-9) / 100)); }

/// The columns in which groups lie farthest apart against their widths, at most two.
std::vector<std::size_t> telling(const std::vector<Group>& groups) {
  const std::size_t columns = groups.front().means.size();
  std::vector<double> apart(columns, -1);
  for (std::size_t a = 0; a < columns; ++a) {
    double low = INFINITY, high = -INFINITY, width = 0;
    for (const Group& one : groups) {
      low = std::min(low, one.means[a]);
      high = std::max(high, one.means[a]);
      if (std::isfinite(one.sds[a]))
        width += one.sds[a] / double(groups.size());
    }
    if (const double ratio = (high - low) / (width + 1e-300); std::isfinite(ratio))
      apart[a] = ratio;
  }
  std::vector<std::size_t> order(columns);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return apart[a] > apart[b]; });
  order.resize(std::min(columns, most_places));
  if (order.size() == 2 && (apart[order[1]] < 2 || groups.size() < 3))
    order.pop_back();
  std::sort(order.begin(), order.end()); // the live page's compiler has no ranges
  return order;
}

} // namespace

std::string groups_counted(const std::vector<Group>& groups) {
  return groups.size() < most_groups
             ? fmt::format("{} separate groups", groups.size())
             : fmt::format("{} separate groups or more (the search counts at most {} modes)",
                           groups.size(), most_groups);
}

std::string groups_line(const std::vector<Group>& groups) {
  std::string text;
  for (const Group& one : groups)
    text += (text.empty() ? "" : " ") +
            (weighed(groups) ? part(one.share) : std::to_string(one.particles));
  if (weighed(groups))
    return fmt::format("groups: {} ({}, each +- {})", groups.size(), text,
                       error(largest_error(groups)));
  return fmt::format("groups: {} (of {} particles, not weighed)", groups.size(), text);
}

std::string group_places(const std::vector<Group>& groups, const std::vector<std::string>& names) {
  const std::vector<std::size_t> columns = telling(groups);
  std::string text;
  for (std::size_t g = 0; g < groups.size() && g < most_named; ++g) {
    const Group& one = groups[g];
    std::string where;
    for (const std::size_t a : columns)
      where += fmt::format("{}{} = {:.3g}", where.empty() ? "" : ", ", names.at(a), one.means[a]);
    const std::string what = std::isnan(one.se)
                                 ? fmt::format("{} particles", one.particles)
                                 : fmt::format("{} +- {}", part(one.share), error(one.se));
    text += fmt::format("{}{} at {}", text.empty() ? "" : "; ", what, where);
  }
  return groups.size() > most_named
             ? text + fmt::format("; and {} more", groups.size() - most_named)
             : text;
}

} // namespace starling::judge
