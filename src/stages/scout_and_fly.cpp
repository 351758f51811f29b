// The first two stages: a start, and SVGD from there.
#include <starling/stages/stages.hpp>

namespace starling::stages {

bool Scout::unit(const Context& context, State& state) {
  scout::Report report;
  under_way_ = true;
  try {
    if (!context.guide.scout(context.settings, report))
      return false;
    const bool flies = context.settings.steps > 0;
    Cloud cloud = context.guide.start(report.frame, context.settings, context.crew(), flies);
    state.frame = context.guide.reframes(context.settings.metric)
                      ? context.reframed(report.frame, cloud)
                      : report.frame;
    state.cloud = std::move(cloud);
  } catch (...) { // it begins again
    context.guide.forget_scout();
    under_way_ = false;
    throw;
  }
  state.scouted = {report.modes, report.by_pathfinder, report.elbo, std::move(report.found)};
  context.guide.forget_scout();
  under_way_ = false;
  return true;
}

bool Fly::unit(const Context& context, State& state) {
  const Settings& settings = context.settings;
  const std::uint64_t all = settings.steps;
  if (done_ == 0 && svgd_.next().size() == 0)
    svgd_ = Svgd(state.cloud);
  if (done_ < all) {
    Frame frame = state.frame;
    for (const std::uint64_t part : {8u, 4u, 2u, 1u}) // of the first half
      if (done_ > 0 && done_ == all / 2 / part)
        frame = context.reframed(frame, state.cloud);
    svgd_.arrive(context, state, false);
    state.frame = std::move(frame);
    const double share = static_cast<double>(done_) / static_cast<double>(all);
    svgd_.step(context, state, settings.step_size / (1 + settings.decay * share));
    ++done_;
  }
  if (done_ < all)
    return false;
  svgd_.arrive(context, state, true);
  context.guide.look(state.cloud, state.frame);
  return true;
}

void Fly::check(const Context& context, const State&) const {
  must_fit(done_ <= context.settings.steps);
  if (done_ > 0)
    svgd_.check(context);
}

} // namespace starling::stages
