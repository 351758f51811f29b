// The cloud after exact moves: sifted from many, then the best of its polish.
#include <starling/run/journey.hpp>

#include <starling/exact/sift.hpp>

#include <algorithm>
#include <cmath>

namespace starling::run {

namespace {

constexpr std::size_t most_clouds = 10, most_numbers = 8'000'000; // kept to sift from
constexpr double near_enough = 0.05; // in sds: no goal below it can be seen in few particles

} // namespace

/// Ten clouds spread over the moves that count, fewer where they are large; the last of them is
/// now.
void Journey::keep_for_sifting(std::uint64_t moves) {
  const std::size_t fit = most_numbers / (walkers_.count() * dim_),
                    wanted = most_clouds * cloud_.count() / walkers_.count();
  const std::uint64_t clouds = std::clamp<std::uint64_t>(fit, 1, wanted);
  const std::uint64_t counted = moves - moves / 2,
                      every = std::max<std::uint64_t>(1, counted / clouds);
  if ((moves - in_part_) % every != 0 || (moves - in_part_) / every >= clouds)
    return;
  kept_.insert(kept_.end(), walkers_.x.data(), walkers_.x.data() + walkers_.x.size());
}

/// Makes the cloud of those draws that together have the pool's moments.
void Journey::sift() {
  // Where few particles were moved for many: draws come again, so that there are as many as
  // particles.
  const std::size_t once = kept_.size(), wanted = cloud_.count() * dim_;
  kept_.reserve(std::max(once, wanted));
  for (std::size_t at = 0; kept_.size() < wanted; ++at)
    kept_.push_back(kept_[at]);
  const Rows<const double> all{kept_.data(), kept_.size() / dim_, dim_};
  const Frame::Matrix values = columns(Frame::map(all));
  std::vector<double> sds = pooled_sds_;
  for (std::size_t a = 0; a < sds.size(); ++a)
    if (!test_->has_moments(a))
      sds[a] = 0; // no moments to have
  const std::vector<std::size_t> chosen =
      exact::sift(rows_of(values), cloud_.count(), pooled_means_, sds, settings_.seed);
  for (std::size_t i = 0; i < chosen.size(); ++i)
    next_.row(Eigen::Index(i)) = Frame::map(all).row(Eigen::Index(chosen[i]));
  kept_.clear();
  if (!few_)
    cloud_ = walkers_;
  arrive(true);
  exact_ = cloud_;
  next_ = cloud_.x;
}

/// Of the clouds along the polish, the last whose means and sds are near enough to the pool's, or
/// else the nearest, by the worst column: the polish spreads the cloud evenly, and may go too far
/// where tails are heavy.
void Journey::keep_if_better() {
  const Frame::Matrix all = columns(cloud_.x);
  const auto n = static_cast<double>(all.rows());
  double misfit = near_enough;
  for (Eigen::Index a = 0; a < all.cols(); ++a) {
    const double sd = pooled_sds_[std::size_t(a)];
    if (!(sd > 0) || !test_->has_moments(std::size_t(a)))
      continue;
    const double mean = all.col(a).mean();
    const double own = std::sqrt((all.col(a).array() - mean).square().sum() / (n - 1));
    misfit = std::max(
        {misfit, std::abs(mean - pooled_means_[std::size_t(a)]) / sd, std::abs(own / sd - 1)});
  }
  if (best_.count() > 0 && !(misfit <= misfit_))
    return;
  best_ = cloud_;
  misfit_ = misfit;
}

} // namespace starling::run
