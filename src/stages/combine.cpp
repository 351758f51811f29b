// Groups of particles put together: particles by shares, one certificate, and what speaks against
// it.
#include <starling/stages/journey.hpp>

#include <starling/exact/sift.hpp>
#include <starling/random/permute.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace starling::stages {

namespace {

constexpr double most_missed = 0.02;    // of a group's particles
constexpr double least_effective = 100; // draws
// What whole particles may change in a mean, in sds, and in a variance.
constexpr double rounded_mean = 0.1, rounded_variance = 0.2;

/// Mean and sd of each column.
Pool moments(const Frame::Matrix& values) {
  Pool pool;
  for (Eigen::Index a = 0; a < values.cols(); ++a) {
    pool.means.push_back(values.col(a).mean());
    const double squares = (values.col(a).array() - pool.means.back()).square().sum();
    pool.sds.push_back(std::sqrt(squares / double(std::max<Eigen::Index>(1, values.rows() - 1))));
  }
  return pool;
}

/// Mean and variance of a mixture of groups with these means and sds.
std::pair<double, double> mixed(const std::vector<Pool>& groups, std::span<const double> parts,
                                std::size_t column) {
  double mean = 0, variance = 0;
  for (std::size_t g = 0; g < groups.size(); ++g)
    mean += parts[g] * groups[g].means[column];
  for (std::size_t g = 0; g < groups.size(); ++g)
    variance += parts[g] *
                (std::pow(groups[g].sds[column], 2) + std::pow(groups[g].means[column] - mean, 2));
  return {mean, variance};
}

/// Whether so many whole particles of each group cannot show its share: a light one that lies far
/// away changes the variance by a particle more or less.
bool rounded_off(const std::vector<Pool>& groups, std::span<const double> shares,
                 std::span<const double> particles) {
  for (std::size_t a = 0; a < groups[0].means.size(); ++a) {
    const auto [mean, variance] = mixed(groups, shares, a);
    const auto [given_mean, given_variance] = mixed(groups, particles, a);
    if (std::abs(given_mean - mean) > rounded_mean * std::sqrt(variance) ||
        std::abs(given_variance - variance) > rounded_variance * variance)
      return true;
  }
  return false;
}

std::vector<std::size_t> particles_of(const std::vector<scout::Share>& shares, std::size_t all) {
  std::vector<double> parts;
  for (const scout::Share& one : shares)
    parts.push_back(one.share);
  return scout::apportion(parts, all);
}

} // namespace

/// The cloud as it is, where there are several groups.
void Journey::follow() {
  if (!split()) {
    if (finished() && groups() > 1) // counted alone
      combined_.group_of_row = scout::assign_to_modes(cloud().position(), weights_.modes);
    return;
  }
  const std::vector<std::size_t> each = particles_of(weights_.shares, settings_.particles);
  std::vector<std::vector<std::size_t>> rows(each.size());
  for (std::size_t g = 0; g < each.size(); ++g)
    for (std::size_t i = 0; i < each[g]; ++i)
      rows[g].push_back(i % groups_[g]->positions().count);
  combined_ = gathered(rows);
}

/// The cloud of these rows of the groups' own, in one random order.
Combined Journey::gathered(const std::vector<std::vector<std::size_t>>& rows) const {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t g = 0; g < rows.size(); ++g)
    for (const std::size_t i : rows[g])
      all.emplace_back(g, i);
  std::vector<std::uint32_t> order(all.size());
  std::iota(order.begin(), order.end(), 0u);
  permute(order, Philox(settings_.seed), Stream::groups_order, 0);
  Combined made;
  Cloud& cloud = made.cloud;
  cloud.x.resize(Eigen::Index(all.size()), Eigen::Index(density_.dim));
  cloud.score.resize(cloud.x.rows(), cloud.x.cols());
  for (std::size_t n = 0; n < all.size(); ++n) {
    const auto [g, i] = all[order[n]];
    const Cloud& from = groups_[g]->state().cloud;
    cloud.x.row(Eigen::Index(n)) = from.x.row(Eigen::Index(i));
    cloud.score.row(Eigen::Index(n)) = from.score.row(Eigen::Index(i));
    cloud.log_density.push_back(from.log_density[i]);
    cloud.id.push_back(n);
    made.group_of_row.push_back(g);
  }
  return made;
}

Combined Journey::put_together(const scout::Weighing& weighing) const {
  std::string doubt;
  std::vector<std::size_t> each = particles_of(weights_.shares, settings_.particles);
  const auto flown = [&](std::size_t g) { return groups_[g]->positions().count; };
  std::size_t over = 0; // what a group has too few for, others give
  for (std::size_t g = 0; g < each.size(); ++g)
    if (each[g] > flown(g)) {
      over += each[g] - flown(g);
      each[g] = flown(g);
      doubt = fmt::format(
          "the first estimate of the shares was wrong, so group {} has too few particles", g + 1);
    }
  for (std::size_t g = 0; g < each.size(); ++g) {
    const std::size_t more = std::min(over, flown(g) - each[g]);
    each[g] += more;
    over -= more;
  }
  std::vector<std::vector<std::size_t>> rows(each.size());
  for (std::size_t g = 0; g < each.size(); ++g) {
    const State& own = groups_[g]->state();
    if (each[g] == own.cloud.count() || each[g] == 0) {
      rows[g].resize(each[g]);
      std::iota(rows[g].begin(), rows[g].end(), std::size_t{0});
      continue;
    }
    const Frame::Matrix values = groups_[g]->columns(own.cloud.x);
    const Pool aim = own.pool.means.empty() ? moments(values) : own.pool;
    rows[g] = exact::sift(rows_of(values), each[g], aim.means, aim.sds, seed_of(g));
  }
  Combined made = gathered(rows);
  for (std::size_t g = 0; g < groups_.size() && groups_.size() > 1; ++g) {
    const Cloud& own = groups_[g]->state().cloud;
    const scout::Share& share = weights_.shares[g];
    if (share.effective < least_effective)
      doubt =
          fmt::format("the share of group {} rests on {:.0f} independent draws, which is too few",
                      g + 1, share.effective);
    else if (weighing.missed(own.position(), own.log_density, g) > most_missed)
      doubt = fmt::format("the fit that gives the share of group {} misses a part of it", g + 1);
  }
  std::vector<Pool> groups;
  std::vector<double> shares, given;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    groups.push_back(moments(groups_[g]->columns(groups_[g]->state().cloud.x)));
    shares.push_back(weights_.shares[g].share);
    given.push_back(double(each[g]) / double(settings_.particles));
  }
  if (rounded_off(groups, shares, given))
    doubt = fmt::format("{} particles are too few to show the share of each: take more --particles",
                        settings_.particles);
  made.doubt = std::move(doubt);
  certify(made);
  return made;
}

void Journey::certify(Combined& made) const {
  std::vector<judge::GroupCertificate> parts;
  bool pooled = true;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const State& own = groups_[g]->state();
    Pool moments_of_cloud = moments(groups_[g]->columns(own.cloud.x));
    pooled = pooled && !own.pool.means.empty();
    if (!own.certificate)
      return;
    parts.push_back({weights_.shares[g].share, weights_.shares[g].se, *own.certificate,
                     std::move(moments_of_cloud.means), std::move(moments_of_cloud.sds)});
  }
  made.certificate = judge::combine_certificates(parts);
  if (made.certificate->finding == judge::Finding::confirmed && !made.doubt.empty())
    made.certificate->finding = judge::Finding::undecided;
  Pool& all = made.pool;
  all.means.assign(pooled ? parts[0].means.size() : 0, 0);
  all.sds = all.means;
  for (std::size_t a = 0; a < all.means.size(); ++a) {
    for (std::size_t g = 0; g < groups_.size(); ++g)
      all.means[a] += weights_.shares[g].share * groups_[g]->state().pool.means[a];
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const Pool& own = groups_[g]->state().pool;
      all.sds[a] += weights_.shares[g].share *
                    (std::pow(own.sds[a], 2) + std::pow(own.means[a] - all.means[a], 2));
    }
    all.sds[a] = std::sqrt(all.sds[a]);
  }
}

} // namespace starling::stages
