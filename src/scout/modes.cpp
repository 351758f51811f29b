// Separate modes: ends of ways up, joined where no dip lies between them.
#include <starling/scout/modes.hpp>

#include <starling/scout/candidates.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace starling::scout {

namespace {

constexpr double same = 0.01;                     // ends of ways to one top, in the frame
constexpr Eigen::Index points = 15;               // looked at on a segment
constexpr double distances[] = {2, 4, 8, 16};     // of places all around, in the frame
constexpr double radii[] = {3, 5, 8, 13, 21, 34}; // along rays
constexpr Eigen::Index most_axes = 32, random_rays = 12;
constexpr std::size_t tops_for_a_mode = 4; // many a top is negligible, which is seen at the end

/// A random direction: every other one in two coordinates alone, since in many dimensions no other
/// leads anywhere near a mode.
Eigen::RowVectorXd random_direction(Eigen::RowVectorXd z, Eigen::Index number, const Philox& philox,
                                    Step address) {
  const auto d = std::uint32_t(z.size());
  if (number % 2 == 0 && d > 2) {
    const auto pick = [&](std::uint64_t n) {
      return philox.below(d, Stream::groups_pick, address, n);
    };
    const std::uint32_t one = pick(2 * std::uint64_t(number) + 1),
                        step = 1 + pick(2 * std::uint64_t(number) + 2) % (d - 1);
    for (std::uint32_t a = 0; a < d; ++a)
      if (a != one && a != (one + step) % d)
        z[Eigen::Index(a)] = 0;
  }
  return z.normalized();
}

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

void Modes::climb_from(const Frame::Matrix& x) {
  Frame::Matrix y = frame_.inverse(rows_of(x)), score;
  std::vector<double> log_density;
  evaluate(y, score, log_density);
  std::vector<Climb> climbs;
  for (Eigen::Index i = 0; i < y.rows(); ++i)
    if (const double height = log_density[std::size_t(i)]; std::isfinite(height))
      climbs.emplace_back(Place{y.row(i), score.row(i), search_.has_density ? height : 0},
                          search_.iterations);
  std::vector<Climb*> going;
  for (;;) { // in lock-step
    going.clear();
    for (Climb& climb : climbs)
      if (!climb.ended())
        going.push_back(&climb);
    if (going.empty())
      break;
    y.resize(Eigen::Index(going.size()), y.cols());
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
  for (const Climb& climb : climbs)
    absorb(climb.top(), climb.path().size() <= search_.iterations);
}

void Modes::climb_from_afar(const Frame& around, const Philox& philox, Step address) {
  const auto d = Eigen::Index(frame_.dim());
  const Frame::Matrix z =
      standard_normals(std::size(distances) + random_rays, frame_.dim(), philox, address);
  Frame::Matrix y = Frame::Matrix::Zero(2 * Eigen::Index(std::size(distances)), d);
  for (Eigen::Index i = 0; i < y.rows(); ++i)
    y.row(i) = (i % 2 == 0 ? 1 : -1) * distances[i / 2] * z.row(i / 2);
  climb_from(around.forward(y));

  // Rays: coordinates one by one, as many as there is room for, and random directions; both ways.
  const Eigen::Index axes = std::min(d, most_axes), rays = 2 * (axes + (d > 1 ? random_rays : 0));
  const auto first = Eigen::Index(philox.below(std::uint32_t(d), Stream::groups_pick, address, 0));
  Frame::Matrix direction = Frame::Matrix::Zero(rays, d);
  for (Eigen::Index i = 0; i < rays; ++i) {
    const double sign = i % 2 == 0 ? 1 : -1;
    if (i / 2 < axes)
      direction(i, (first + i / 2) % d) = sign;
    else
      direction.row(i) =
          sign * random_direction(z.row(Eigen::Index(std::size(distances)) + i / 2 - axes), i / 2,
                                  philox, address);
  }
  climb_where_it_rises(around, direction);
}

/// Going outwards from the middle of one group the density falls; where it rises again there may be
/// another.
void Modes::climb_where_it_rises(const Frame& around, const Frame::Matrix& direction) {
  constexpr auto on_a_ray = Eigen::Index(std::size(radii));
  Frame::Matrix y(on_a_ray * direction.rows(), direction.cols());
  for (Eigen::Index i = 0; i < y.rows(); ++i)
    y.row(i) = radii[i % on_a_ray] * direction.row(i / on_a_ray);
  const Frame::Matrix x = around.forward(y);
  Frame::Matrix score(x.rows(), x.cols());
  std::vector<double> height(std::size_t(x.rows()));
  density_(rows_of(x), rows_of(score), height);
  score = around.pull(rows_of(std::as_const(score)));
  std::vector<Eigen::Index> bumps;
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    const auto at = std::size_t(i);
    const bool from_here = i % on_a_ray > 0;
    const bool rises = search_.has_density ? from_here && height[at] > height[at - 1]
                                           : score.row(i).dot(direction.row(i / on_a_ray)) > 0;
    const bool and_on =
        search_.has_density && i % on_a_ray + 1 < on_a_ray && height[at + 1] > height[at];
    if (rises && !and_on && std::isfinite(height[at]))
      bumps.push_back(i);
  }
  Frame::Matrix starts(Eigen::Index(bumps.size()), x.cols());
  for (std::size_t n = 0; n < bumps.size(); ++n)
    starts.row(Eigen::Index(n)) = x.row(bumps[n]);
  if (!bumps.empty())
    climb_from(starts);
}

/// No dip on the straight way from a to b.
bool Modes::joined(const Place& a, const Place& b) {
  const Eigen::VectorXd way = b.x - a.x;
  if (way.norm() < same)
    return true;
  Frame::Matrix y(points, way.size()), score;
  std::vector<double> height;
  for (Eigen::Index i = 0; i < points; ++i)
    y.row(i) = a.x + double(i + 1) / double(points + 1) * way;
  evaluate(y, score, height);
  double first = a.log_density, last = b.log_density;
  if (!search_.has_density) { // heights above a, by the scores along the way
    double sum = first = 0, slope = a.score.dot(way);
    for (std::size_t i = 0; i < height.size(); ++i) {
      const double next = score.row(Eigen::Index(i)).dot(way);
      sum += 0.5 * (slope + next) / double(points + 1);
      slope = next;
      if (std::isfinite(height[i]))
        height[i] = sum;
    }
    last = sum + 0.5 * (slope + b.score.dot(way)) / double(points + 1);
  }
  return std::min(first, last) - std::ranges::min(height) < search_.dip;
}

/// Joins what it connects; of those that belong together the highest stays.
void Modes::absorb(Place end, bool arrived) {
  std::vector<std::size_t> together;
  for (std::size_t k = 0; k < tops_.size(); ++k) {
    if (!joined(end, tops_[k].place))
      continue;
    together.push_back(k);
    if ((end.x - tops_[k].place.x).norm() < same)
      break; // its connections are known
  }
  if (together.empty()) {
    if (tops_.size() >= tops_for_a_mode * search_.most)
      stopped_ = true;
    else if (arrived || tops_.empty())
      tops_.push_back({std::move(end), std::nullopt});
    return;
  }
  Top& first = tops_[together.front()];
  const bool compare = search_.has_density;
  if (compare && arrived && end.log_density > first.place.log_density) {
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
