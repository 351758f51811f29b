// The groups of a journey put together: particles by shares, one certificate, and what makes it
// unsure.
#include <starling/run/grouped_journey.hpp>

#include <starling/exact/sift.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace starling::run {

namespace {

constexpr double most_missed = 0.02;    // of a group's particles
constexpr double least_effective = 100; // draws

/// Mean and sd of each column.
std::pair<std::vector<double>, std::vector<double>> moments(const Frame::Matrix& values) {
  std::vector<double> means, sds;
  for (Eigen::Index a = 0; a < values.cols(); ++a) {
    means.push_back(values.col(a).mean());
    const double squares = (values.col(a).array() - means.back()).square().sum();
    sds.push_back(std::sqrt(squares / double(std::max<Eigen::Index>(1, values.rows() - 1))));
  }
  return {means, sds};
}

} // namespace

Frame::Matrix GroupedJourney::columns(const exact::Walkers& cloud) const {
  Frame::Matrix all(cloud.x.rows(), cloud.x.cols() + Eigen::Index(read_.count));
  all.leftCols(cloud.x.cols()) = cloud.x;
  if (read_.count > 0) {
    const std::vector<double> read = read_.of(cloud.position());
    all.rightCols(Eigen::Index(read_.count)) =
        Frame::map({read.data(), cloud.count(), read_.count});
  }
  return all;
}

void GroupedJourney::put_together(const scout::Weighing& weighing) {
  doubt_.clear();
  shares_ = weighing.shares();
  std::vector<double> shares;
  for (const scout::Share& one : shares_)
    shares.push_back(one.share);
  std::vector<std::size_t> each = scout::apportion(shares, settings_.particles);
  std::size_t over = 0; // what a group has too few for, others give
  for (std::size_t g = 0; g < each.size(); ++g)
    if (each[g] > flown_[g]) {
      over += each[g] - flown_[g];
      each[g] = flown_[g];
      doubt_ = fmt::format(
          "the first weighing was far off, so that group {} has fewer particles than its share",
          g + 1);
    }
  for (std::size_t g = 0; g < each.size(); ++g) {
    const std::size_t more = std::min(over, std::size_t(flown_[g]) - each[g]);
    each[g] += more;
    over -= more;
  }
  std::vector<std::vector<std::size_t>> rows(each.size());
  for (std::size_t g = 0; g < each.size(); ++g) {
    const exact::Walkers& own = journeys_[g]->cloud();
    if (each[g] == own.count() || each[g] == 0) {
      rows[g].resize(each[g]);
      std::iota(rows[g].begin(), rows[g].end(), std::size_t{0});
      continue;
    }
    const Frame::Matrix values = columns(own);
    auto [means, sds] = moments(values);
    if (journeys_[g]->pooled_means().size() == means.size()) {
      means = journeys_[g]->pooled_means();
      sds = journeys_[g]->pooled_sds();
    }
    rows[g] = exact::sift(rows_of(values), each[g], means, sds, seed_of(g));
  }
  gather(rows);
  for (std::size_t g = 0; g < modes_.size() && modes_.size() > 1; ++g) {
    const exact::Walkers& own = journeys_[g]->cloud();
    if (shares_[g].effective < least_effective)
      doubt_ = fmt::format(
          "the draws that weigh group {} are worth {:.0f} independent ones, too few to trust",
          g + 1, shares_[g].effective);
    else if (weighing.missed(own.position(), own.log_density, g) > most_missed)
      doubt_ = fmt::format("the fits that weigh group {} miss a part of it", g + 1);
  }
  certify();
}

void GroupedJourney::certify() {
  std::vector<judge::GroupCertificate> parts;
  certificate_.reset();
  bool pooled = true;
  for (std::size_t g = 0; g < modes_.size(); ++g) {
    auto [means, sds] = moments(columns(journeys_[g]->cloud()));
    pooled = pooled && journeys_[g]->pooled_means().size() == means.size();
    if (!journeys_[g]->certificate())
      return;
    parts.push_back({shares_[g].share, shares_[g].se, *journeys_[g]->certificate(),
                     std::move(means), std::move(sds)});
  }
  certificate_ = judge::combine_certificates(parts);
  if (certificate_->finding == judge::Finding::confirmed && !doubt_.empty())
    certificate_->finding = judge::Finding::undecided;
  pooled_means_.assign(pooled ? parts[0].means.size() : 0, 0);
  pooled_sds_ = pooled_means_;
  for (std::size_t a = 0; a < pooled_means_.size(); ++a) {
    for (std::size_t g = 0; g < modes_.size(); ++g)
      pooled_means_[a] += shares_[g].share * journeys_[g]->pooled_means()[a];
    for (std::size_t g = 0; g < modes_.size(); ++g)
      pooled_sds_[a] +=
          shares_[g].share * (std::pow(journeys_[g]->pooled_sds()[a], 2) +
                              std::pow(journeys_[g]->pooled_means()[a] - pooled_means_[a], 2));
    pooled_sds_[a] = std::sqrt(pooled_sds_[a]);
  }
}

} // namespace starling::run
