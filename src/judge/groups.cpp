// Groups in numbers: their moments, one certificate from those of all, the verdict.
#include <starling/judge/groups.hpp>

#include <starling/judge/certified.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace starling::judge {

namespace {

double square(double v) { return v * v; }

using Key = std::pair<std::size_t, Trait>;

std::map<Key, Displacement> by_trait(const Certificate& certificate) {
  std::map<Key, Displacement> all;
  for (const Displacement& one : certificate.all)
    all[{one.parameter, one.trait}] = one;
  return all;
}

/// Errors of the whole in one parameter, all traits; `found` are those of the parts.
void add_parameter(std::size_t a, std::span<const GroupCertificate> parts,
                   const std::vector<std::map<Key, Displacement>>& found,
                   std::vector<Displacement>& all) {
  double mean = 0, variance = 0;
  for (const GroupCertificate& part : parts)
    mean += part.share * part.means[a];
  for (const GroupCertificate& part : parts)
    variance += part.share * (square(part.sds[a]) + square(part.means[a] - mean));
  if (!(variance > 0) || !std::isfinite(variance))
    return;
  const double sd = std::sqrt(variance);
  for (const Trait trait : {Trait::value, Trait::winsorised, Trait::square}) {
    Displacement whole{a, trait, 0, 0, 0};
    const bool followed = std::ranges::all_of(found, [&](const auto& own) {
      return own.contains({a, trait}) &&
             (trait != Trait::square || own.contains({a, Trait::value}));
    });
    if (!followed) // by every group: of the others it says nothing
      continue;
    for (std::size_t g = 0; g < parts.size(); ++g) {
      const GroupCertificate& part = parts[g];
      const double p = part.share, off = (part.means[a] - mean) / sd, width = part.sds[a] / sd;
      const Displacement& own = found[g].at({a, trait});
      whole.memory = std::max(whole.memory, own.memory);
      if (trait == Trait::square) {
        const Displacement& own_value = found[g].at({a, Trait::value});
        whole.error += p * (own.error * square(width) + 2 * off * own_value.error * width);
        whole.se += square(p * own.se * square(width)) +
                    square(2 * p * off * own_value.se * width) +
                    square(part.se * (square(off) + square(width) - 1));
      } else {
        whole.error += p * own.error * width;
        whole.se += square(p * own.se * width) + square(part.se * off);
      }
    }
    whole.se = std::sqrt(whole.se);
    all.push_back(whole);
  }
}

} // namespace

std::vector<Group> groups_of(Rows<const double> columns, const std::vector<std::size_t>& group,
                             std::size_t count) {
  std::vector<Group> all(count);
  for (Group& one : all) {
    one.means.assign(columns.dim, 0);
    one.sds.assign(columns.dim, 0);
  }
  for (std::size_t i = 0; i < columns.count; ++i) {
    Group& own = all[group[i]];
    ++own.particles;
    for (std::size_t a = 0; a < columns.dim; ++a)
      own.means[a] += columns[i][a];
  }
  for (Group& one : all) {
    one.share = double(one.particles) / double(columns.count);
    for (double& mean : one.means)
      mean /= double(one.particles); // NAN where there are none
  }
  for (std::size_t i = 0; i < columns.count; ++i)
    for (std::size_t a = 0; a < columns.dim; ++a)
      all[group[i]].sds[a] += square(columns[i][a] - all[group[i]].means[a]);
  for (Group& one : all)
    for (double& sd : one.sds)
      sd = one.particles > 1 ? std::sqrt(sd / double(one.particles - 1)) : NAN;
  return all;
}

Certificate combine_certificates(std::span<const GroupCertificate> parts, const Bounds& bounds) {
  Certificate whole;
  std::vector<std::map<Key, Displacement>> found;
  bool moved = false, confirmed = true;
  double against = -1; // the worst, against its own bound
  for (const GroupCertificate& part : parts) {
    const Certificate& own = part.certificate;
    found.push_back(by_trait(own));
    confirmed = confirmed && own.finding == Finding::confirmed && 2 * part.se < most_share_error;
    whole.moves = std::max(whole.moves, own.moves);
    whole.acceptance += own.acceptance / double(parts.size());
    whole.diverged = std::max(whole.diverged, own.diverged);
    whole.particles += own.particles;
    for (const std::size_t column : own.heavy)
      if (std::ranges::find(whole.heavy, column) == whole.heavy.end())
        whole.heavy.push_back(column);
    whole.joint.insert(whole.joint.end(), own.joint.begin(), own.joint.end());
    const Displacement& worst = own.worst;
    const bool outweighs = own.finding == Finding::moved && !moved;
    const bool same_kind = (own.finding == Finding::moved) == moved;
    moved = moved || own.finding == Finding::moved;
    if (const double now =
            (std::abs(worst.error) + confirming_errors * worst.se) / confirmed_below(worst, bounds);
        outweighs || (same_kind && now > against)) {
      against = now;
      whole.worst = worst;
    }
  }
  for (std::size_t a = 0; !parts.empty() && a < parts[0].means.size(); ++a) {
    const std::size_t before = whole.all.size();
    add_parameter(a, parts, found, whole.all);
    if (whole.all.size() == before)
      ++whole.not_followed;
  }
  for (const Displacement& one : whole.all)
    if (std::abs(one.error) + confirming_errors * one.se >= confirmed_below(one, bounds)) {
      if (confirmed && !moved)
        whole.worst = one;
      confirmed = false;
    }
  whole.finding = moved ? Finding::moved : confirmed ? Finding::confirmed : Finding::undecided;
  return whole;
}

Judgement judge_weighed_groups(const Certificate& whole, const std::vector<std::string>& columns,
                               const std::vector<Group>& groups,
                               const std::vector<std::string>& names, const std::string& doubt) {
  Judgement judgement = judge_by_moves(whole, columns, 1);
  const bool shares_known = std::ranges::all_of(
      groups, [](const Group& one) { return !(2 * one.se >= most_share_error); });
  if (!doubt.empty() && whole.finding != Finding::moved)
    judgement = {Verdict::cannot_tell, evidence::SharesNotKnown{doubt}};
  else if (!shares_known && whole.finding == Finding::undecided)
    judgement = {Verdict::cannot_tell, evidence::SharesNotKnown{}};
  else if (judgement.converged() && groups.size() >= most_groups)
    judgement = {Verdict::cannot_tell, evidence::GroupsNotAllCounted{}};
  judgement.remark(evidence::InGroups{groups, names});
  return judgement;
}

Judgement judge_unweighed_groups(const Judgement& judgement, const std::vector<Group>& groups,
                                 const std::vector<std::string>& names) {
  const bool unopposed = judgement.converged() || judgement.verdict == Verdict::cannot_tell;
  if (groups.size() < 2 || !unopposed)
    return judgement;
  return {Verdict::cannot_tell, evidence::GroupsNotWeighed{groups, names}};
}

} // namespace starling::judge
