// The first two stages: a start, and SVGD from there.
#include <starling/stages/stages.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace starling::stages {

namespace {

constexpr double good_unrest = 1.5, bad_unrest = 4; // against the last good cloud's

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// The square of a particle's score in the frame, for each dimension: about 1 in a cloud that fits
/// its frame. The median, which a few strays do not move; infinite where it is not a number.
double unrest(const Cloud& cloud, const Frame& frame) {
  const Frame::Matrix score =
      frame.pull(frame.inverse(cloud.position()), rows_of(std::as_const(cloud.score)));
  std::vector<double> squares(cloud.count());
  for (std::size_t i = 0; i < squares.size(); ++i) {
    squares[i] = score.row(Eigen::Index(i)).squaredNorm() / double(cloud.dim());
    if (std::isnan(squares[i]))
      squares[i] = std::numeric_limits<double>::infinity();
  }
  return median(std::move(squares));
}

} // namespace

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
  state.scouted = {report.modes, report.by_pathfinder, report.elbo, std::move(report.found),
                   std::move(report.on_ways)};
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
    svgd_.arrive(context, state.cloud, state.next.steps, false);
    state.frame = std::move(frame);
    if (turns_back(context, state) && state.turned_back == most_turns)
      done_ = all;
  }
  if (done_ < all) {
    const double share = static_cast<double>(done_) / static_cast<double>(all);
    const double step_size = settings.step_size / (1 + settings.decay * share);
    svgd_.step(context, state.cloud, state.frame, state.next.steps,
               std::ldexp(step_size, -int(state.turned_back)));
    ++state.next.steps;
    ++done_;
  }
  if (done_ < all)
    return false;
  svgd_.arrive(context, state.cloud, state.next.steps, true);
  turns_back(context, state);
  context.guide.look(state.cloud, state.frame);
  return true;
}

/// The flight goes on from the last good cloud, where this one is no longer good.
bool Fly::turns_back(const Context& context, State& state) {
  if (good_.count() == 0) {
    good_ = state.cloud;
    return false;
  }
  const double now = unrest(state.cloud, state.frame);
  const double then = // at least 1: most often nobody needs to know
      now <= good_unrest ? 1 : std::max(1.0, unrest(good_, state.frame));
  const double fallen =
      context.guide.rows() > 0 ? 0 : median(good_.log_density) - median(state.cloud.log_density);
  const double far = 10 + 2 * double(context.dim()); // a normal's log density falls by d/2
  if (now <= good_unrest * then && fallen <= far / 2)
    good_ = state.cloud;
  if (now <= bad_unrest * then && fallen <= far)
    return false;
  state.cloud = good_;
  svgd_ = Svgd(good_);
  ++state.turned_back;
  return true;
}

void Fly::check(const Context& context, const State&) const {
  must_fit(done_ <= context.settings.steps);
  must_fit(good_, context.dim(), good_.count(), true);
  if (done_ > 0)
    svgd_.check(context, good_.count());
}

} // namespace starling::stages
