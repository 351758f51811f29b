// Steps of SVGD, and the density where they lead.
#include <starling/stages/svgd.hpp>

#include "stages/svgd_step.hpp"

#include <cmath>
#include <vector>

namespace starling::stages {

Svgd::Svgd() = default;
Svgd::Svgd(const Cloud& cloud) : next_(cloud.x) {}
Svgd::Svgd(Svgd&&) noexcept = default;
Svgd& Svgd::operator=(Svgd&&) noexcept = default;
Svgd::~Svgd() = default;

void Svgd::arrive(const Context& context, State& state, bool at_end) const {
  Cloud& cloud = state.cloud;
  Guide& guide = context.guide;
  if (!at_end && guide.scores_stay() && next_ == cloud.x)
    return;
  Frame::Matrix score(next_.rows(), next_.cols());
  std::vector<double> log_density(cloud.count());
  if (at_end)
    guide.density()(rows_of(next_), rows_of(score), log_density);
  else
    guide.score(state.next.steps, rows_of(next_), rows_of(score), log_density);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const auto row = Eigen::Index(i);
    if (!std::isfinite(log_density[i]))
      continue;
    cloud.x.row(row) = next_.row(row);
    cloud.score.row(row) = score.row(row);
    cloud.log_density[i] = log_density[i];
  }
}

void Svgd::step(const Context& context, State& state, double step_size) {
  if (!roles_)
    roles_ = std::make_unique<SvgdStep>(context.settings, context.dim(), context.threads);
  next_ = roles_->step(state.cloud, state.frame, state.next.steps, step_size);
  ++state.next.steps;
}

void Svgd::check(const Context& context) const {
  must_fit(std::size_t(next_.rows()) == context.settings.particles &&
           std::size_t(next_.cols()) == context.dim());
}

} // namespace starling::stages
