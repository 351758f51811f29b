// Separate modes: ends of ways up, joined where no dip lies between them.
#include <starling/scout/modes.hpp>

#include <starling/scout/candidates.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace starling::scout {

namespace {

constexpr double same = 0.01;       // ends of ways to one top, in the frame
constexpr Eigen::Index points = 15; // looked at on a segment
constexpr int most_bends = 4;       // halvings of a way that bends: 16 straight pieces
constexpr double way_made = 0.05;   // of the way, at least, that the middle is from either end
constexpr std::size_t tops_for_a_mode = 4; // many a top is negligible, which is seen at the end

} // namespace

Modes::Modes(CountedDensity& density, Frame frame, const ModeSearch& search)
    : density_(density), frame_(std::move(frame)), search_(search) {}

Place Modes::framed(const Place& at) const {
  return {frame_.inverse({at.x.data(), 1, frame_.dim()}).row(0),
          frame_.pull({at.score.data(), 1, frame_.dim()}).row(0), at.log_density};
}

void Modes::evaluate(const Frame::Matrix& y, Frame::Matrix& score,
                     std::vector<double>& log_density) {
  const Frame::Matrix x = frame_.forward(y);
  score.resize(y.rows(), y.cols());
  log_density.resize(std::size_t(y.rows()));
  density_(rows_of(x), rows_of(score), log_density);
  score = frame_.pull(rows_of(std::as_const(score)));
}

void Modes::add(const Place& end, bool arrived) { absorb(framed(end), arrived); }

void Modes::add(std::span<const Mode> known) {
  if (known.empty())
    return;
  Frame::Matrix x(Eigen::Index(known.size()), known[0].x.size()), score(x.rows(), x.cols());
  std::vector<double> heights(known.size());
  for (std::size_t k = 0; k < known.size(); ++k)
    x.row(Eigen::Index(k)) = known[k].x;
  density_(rows_of(std::as_const(x)), rows_of(score), heights);
  for (Eigen::Index k = 0; k < x.rows(); ++k)
    add({x.row(k), score.row(k), heights[std::size_t(k)]}, true);
}

void Modes::climb_from(const Frame::Matrix& x) {
  for (const Climb& climb : climbed(frame_.inverse(rows_of(x)))) {
    if (stopped_) // to compare one more with all there are would cost more than its climb
      return;
    absorb(climb.top(), climb.path().size() <= search_.iterations);
  }
}

/// Ways up in the frame, in lock-step. Matrices of another size are new ones: Eigen frees the old
/// numbers before it asks for room, and frees them again where there is none.
std::vector<Climb> Modes::climbed(const Frame::Matrix& starts) {
  std::vector<Climb> climbs;
  std::vector<double> log_density;
  {
    Frame::Matrix score;
    evaluate(starts, score, log_density);
    for (Eigen::Index i = 0; i < starts.rows(); ++i)
      if (const double height = log_density[std::size_t(i)]; std::isfinite(height))
        climbs.emplace_back(Place{starts.row(i), score.row(i), search_.has_density ? height : 0},
                            search_.iterations);
  }
  climbs_ += climbs.size();
  std::vector<Climb*> going;
  for (;;) {
    going.clear();
    for (Climb& climb : climbs)
      if (!climb.ended())
        going.push_back(&climb);
    if (going.empty())
      return climbs;
    Frame::Matrix y(Eigen::Index(going.size()), starts.cols()), score;
    for (std::size_t i = 0; i < going.size(); ++i)
      y.row(Eigen::Index(i)) = going[i]->wanted();
    evaluate(y, score, log_density);
    for (std::size_t i = 0; i < going.size(); ++i) {
      const Eigen::VectorXd there = score.row(Eigen::Index(i));
      const Place& here = going[i]->top();
      const bool sound = std::isfinite(log_density[i]);
      const double gain = 0.5 * (here.score + there).dot(going[i]->wanted() - here.x);
      going[i]->answer(there,
                       search_.has_density || !sound ? log_density[i] : here.log_density + gain);
    }
  }
}

/// No dip on the straight way from a to b; nor, where that has one, on a way that bends.
bool Modes::joined(const Place& a, const Place& b) {
  if ((b.x - a.x).norm() < same)
    return true;
  if (!search_.has_density)
    return lowest_by_scores(a, b) < search_.dip;
  const double floor = std::min(a.log_density, b.log_density) - search_.dip;
  return no_lower(a, b, floor, most_bends);
}

/// A way from a to b on which the log density stays above the floor: straight, or by way of where a
/// climb from the middle ends. Around a ring or along a banana that is a third place; between two
/// modes it is one of them.
bool Modes::no_lower(const Place& a, const Place& b, double floor, int halvings) {
  const Eigen::VectorXd way = b.x - a.x;
  Frame::Matrix y(points, way.size()), score;
  std::vector<double> height;
  for (Eigen::Index i = 0; i < points; ++i)
    y.row(i) = a.x + double(i + 1) / double(points + 1) * way;
  evaluate(y, score, height);
  if (std::ranges::min(height) > floor)
    return true;
  if (halvings == 0)
    return false;
  const std::vector<Climb> up = climbed((a.x + 0.5 * way).transpose());
  if (up.empty() || !(up[0].top().log_density > floor))
    return false;
  const Place& middle = up[0].top();
  const double from_a = (middle.x - a.x).norm(), from_b = (middle.x - b.x).norm(),
               whole = way.norm();
  const bool between = std::min(from_a, from_b) > way_made * whole &&
                       std::max(from_a, from_b) < (1 - way_made) * whole;
  return between && no_lower(a, middle, floor, halvings - 1) &&
         no_lower(middle, b, floor, halvings - 1);
}

/// The depth of the dip on the straight way, where heights are sums of scores.
double Modes::lowest_by_scores(const Place& a, const Place& b) {
  const Eigen::VectorXd way = b.x - a.x;
  Frame::Matrix y(points, way.size()), score;
  std::vector<double> height;
  for (Eigen::Index i = 0; i < points; ++i)
    y.row(i) = a.x + double(i + 1) / double(points + 1) * way;
  evaluate(y, score, height);
  double sum = 0, slope = a.score.dot(way); // above a
  for (std::size_t i = 0; i < height.size(); ++i) {
    const double next = score.row(Eigen::Index(i)).dot(way);
    sum += 0.5 * (slope + next) / double(points + 1);
    slope = next;
    if (std::isfinite(height[i]))
      height[i] = sum;
  }
  const double last = sum + 0.5 * (slope + b.score.dot(way)) / double(points + 1);
  return std::min(0.0, last) - std::ranges::min(height);
}

/// Joins what it connects; of those that belong together the highest stays. Where a way was given
/// up is no top, and to find out what it connects would cost more than all else.
void Modes::absorb(Place end, bool arrived) {
  if (!arrived && !tops_.empty())
    return;
  std::vector<std::size_t> together;
  const auto known = std::ranges::find_if(
      tops_, [&](const Top& top) { return (end.x - top.place.x).norm() < same; });
  if (known != tops_.end()) // and so are its connections
    together.push_back(std::size_t(known - tops_.begin()));
  for (std::size_t k = 0; k < tops_.size() && known == tops_.end(); ++k)
    if (joined(end, tops_[k].place))
      together.push_back(k);
  if (together.empty()) {
    if (tops_.size() >= tops_for_a_mode * search_.most)
      stopped_ = true;
    else
      tops_.push_back({std::move(end), std::nullopt});
    return;
  }
  Top& first = tops_[together.front()];
  const bool compare = search_.has_density;
  if (compare && end.log_density > first.place.log_density) {
    if ((end.x - first.place.x).norm() >= same)
      first.mode.reset();
    first.place = std::move(end);
  }
  for (std::size_t n = together.size(); n-- > 1;) {
    Top& other = tops_[together[n]];
    if (compare && other.place.log_density > first.place.log_density)
      first = std::move(other);
    tops_.erase(tops_.begin() + std::ptrdiff_t(together[n]));
  }
}

Mode Modes::mode_at(const Place& top, std::size_t number) {
  Mode mode;
  mode.x = frame_.forward(top.x.transpose()).row(0);
  mode.log_density = top.log_density;
  if (tops_.size() == 1 || !search_.has_density)
    return mode;
  Frame::Matrix x = mode.x.transpose(), score(1, x.cols());
  std::vector<double> height(1);
  density_(rows_of(std::as_const(x)), rows_of(score), height);
  const Place at{mode.x, score.row(0), height[0]};
  mode.frame =
      frame_.dim() <= search_.dense_up_to
          ? laplace(at, density_)
          : laplace_diagonal(at, density_, Philox(search_.seed), scout_mode_probes + number);
  mode.log_mass = mode.log_density + mode.frame.log_determinant();
  const bool stands = mode.frame.pull(rows_of(std::as_const(score))).norm() <= still_climbing;
  if (!stands || !std::isfinite(mode.log_mass)) // it was on its way still
    mode.log_mass = -std::numeric_limits<double>::infinity();
  return mode;
}

std::vector<Mode> Modes::found() {
  std::vector<Mode> modes;
  for (std::size_t k = 0; k < tops_.size(); ++k) {
    Top& top = tops_[k];
    if (!top.mode || (tops_.size() > 1 && top.mode->frame.dim() == 0))
      top.mode = mode_at(top.place, k);
    modes.push_back(*top.mode);
  }
  std::ranges::stable_sort(modes, std::ranges::greater{}, &Mode::log_mass);
  while (modes.size() > 1 &&
         !(modes.front().log_mass - modes.back().log_mass <= search_.negligible))
    modes.pop_back();
  if (modes.size() >= search_.most) {
    stopped_ = true;
    modes.resize(search_.most);
  }
  return modes;
}

} // namespace starling::scout
