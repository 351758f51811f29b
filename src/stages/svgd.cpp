// Steps of SVGD, and the density where they lead.
#include <starling/stages/svgd.hpp>

#include "stages/svgd_step.hpp"

#include <starling/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace starling::stages {

namespace {

/// Where the log density is as high as that of most particles, a score that is not finite would
/// cut off a part of the density and leave no trace. Far out, where steps may lead, it does not
/// matter.
void refuse_failed_score(const CountedDensity& density, const Cloud& cloud, Step step) {
  const std::optional<FailedScore>& failed = density.failed_score();
  if (!failed)
    return;
  std::vector<double> inside = cloud.log_density;
  const auto quarter = inside.begin() + std::ptrdiff_t(inside.size() / 4);
  std::nth_element(inside.begin(), quarter, inside.end());
  if (failed->log_density >= *quarter)
    throw TargetError(
        step, failed->row,
        fmt::format("the score of parameter {} is {} where the log density is {:.4g}, "
                    "as high as inside the cloud",
                    failed->parameter, failed->score, failed->log_density));
}

} // namespace

Svgd::Svgd() = default;
Svgd::Svgd(const Cloud& cloud) : next_(cloud.x) {}
Svgd::Svgd(Svgd&&) noexcept = default;
Svgd& Svgd::operator=(Svgd&&) noexcept = default;
Svgd::~Svgd() = default;

SvgdStep& Svgd::roles(const Context& context, const Cloud& cloud) {
  if (!roles_)
    roles_ =
        std::make_unique<SvgdStep>(context.settings, cloud.count(), context.dim(), context.threads);
  return *roles_;
}

void Svgd::arrive(const Context& context, Cloud& cloud, Step k, bool at_end) {
  Guide& guide = context.guide;
  if (!at_end && guide.scores_stay() && next_ == cloud.x)
    return;
  Frame::Matrix& score = roles(context, cloud).room();
  std::vector<double> log_density(cloud.count());
  if (at_end)
    guide.density()(rows_of(next_), rows_of(score), log_density);
  else
    guide.score(k, rows_of(next_), rows_of(score), log_density);
  if (guide.rows() == 0)
    refuse_failed_score(guide.density(), cloud, k);
  context.threads.for_pieces(cloud.count(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = Eigen::Index(i);
      if (!std::isfinite(log_density[i]))
        continue;
      cloud.x.row(row) = next_.row(row);
      cloud.score.row(row) = score.row(row);
      cloud.log_density[i] = log_density[i];
    }
  });
}

void Svgd::step(const Context& context, const Cloud& cloud, const Frame& frame, Step k,
                double step_size) {
  roles(context, cloud).step(cloud, frame, k, step_size, next_);
}

void Svgd::check(const Context& context, std::size_t rows) const {
  must_fit(std::size_t(next_.rows()) == rows && std::size_t(next_.cols()) == context.dim());
}

} // namespace starling::stages
