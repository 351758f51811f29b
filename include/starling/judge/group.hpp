// A separate group of a cloud: its share, its particles, its place; and words for a list of them.
#pragma once

#include <starling/rows.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace starling::judge {

/// With so many the search for groups stops counting, and what is said of them says so.
inline constexpr std::size_t most_groups = 32;

/// A group of particles, heaviest modes first; means and sds are those of its own particles, of the
/// columns that users read.
struct Group {
  double share = NAN; ///< of the density: weighed, or where nothing weighed it, of the particles
  double se = NAN;    ///< NAN: not weighed
  std::size_t particles = 0;
  std::vector<double> means, sds;
};

/// Groups from rows of the columns that users read, and the group of each row.
std::vector<Group> groups_of(Rows<const double> columns, const std::vector<std::size_t>& group,
                             std::size_t count);

/// "groups: 4 (.10 .20 .30 .40, each +- .01)"; of groups that nothing weighed, the particles of
/// each.
std::string groups_line(const std::vector<Group>& groups);

/// "3 separate groups"; of as many as are counted, that there may be more.
std::string groups_counted(const std::vector<Group>& groups);

/// The groups with share, error and place, in the parameters that tell them apart best.
std::string group_places(const std::vector<Group>& groups, const std::vector<std::string>& names);

} // namespace starling::judge
