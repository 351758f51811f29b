// Separate groups of a cloud: what each weighs, one certificate from those of all, and words for
// it.
#pragma once

#include <starling/judge/move_test.hpp>
#include <starling/judge/verdict.hpp>

#include <cmath>
#include <cstddef>
#include <span>
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

/// What is known of a group when its moves are done, in the certificate's columns.
struct Part {
  double share = 0, se = 0;
  Certificate certificate;
  std::vector<double> means, sds;
};

/// Whether the shares are known well enough: twice the largest error of a share.
constexpr double most_share_error = 0.03;

/// One certificate for the cloud of all parts. An error of the whole is that of its parts and that
/// of their shares:
///     m = sum p m_g,  dm = sum p e_g s_g,  se^2 = sum (p se_g s_g)^2 + sum (se_p (m_g - m))^2
/// and likewise for variances. Moved if any part is; confirmed if all are, twice the error of every
/// share is below .03, and the whole is within bounds.
Certificate together(std::span<const Part> parts, const Bounds& bounds = {});

/// "groups: 4 (.10 .20 .30 .40, each +- .01)"; of groups that nothing weighed, the particles of
/// each.
std::string line(const std::vector<Group>& groups);

/// The groups with share, error and place, in the parameters that tell them apart best.
std::string places(const std::vector<Group>& groups, const std::vector<std::string>& names);

/// The verdict of a cloud in groups that were weighed; `doubt` says what makes the shares unsure,
/// or nothing.
Verdict certified(const Certificate& whole, const std::vector<std::string>& columns,
                  const std::vector<Group>& groups, const std::vector<std::string>& names,
                  const std::string& doubt);

/// The same verdict, unless it is "converged" by local tests alone, which cannot weigh several
/// groups, or "cannot tell" for another reason.
Verdict not_by_local_tests(const Verdict& verdict, const std::vector<Group>& groups,
                           const std::vector<std::string>& names);

} // namespace starling::judge
