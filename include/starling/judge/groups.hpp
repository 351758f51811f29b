// Separate groups of a cloud judged as one: a certificate from those of all, and the verdict.
#pragma once

#include <starling/judge/group.hpp>
#include <starling/judge/move_test.hpp>
#include <starling/judge/verdict.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace starling::judge {

/// What is known of a group when its moves are done, in the certificate's columns.
struct GroupCertificate {
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
Certificate combine_certificates(std::span<const GroupCertificate> parts,
                                 const Bounds& bounds = {});

/// The verdict of a cloud in groups that were weighed; `doubt` says why the shares cannot be
/// trusted, or nothing.
Judgement judge_weighed_groups(const Certificate& whole, const std::vector<std::string>& columns,
                               const std::vector<Group>& groups,
                               const std::vector<std::string>& names, const std::string& doubt);

/// The same judgement, unless there are several groups that nothing weighed: tests around single
/// particles cannot say "converged" of them, and "cannot tell" has this reason.
Judgement judge_unweighed_groups(const Judgement& judgement, const std::vector<Group>& groups,
                                 const std::vector<std::string>& names);

} // namespace starling::judge
