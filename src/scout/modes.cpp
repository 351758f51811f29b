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
constexpr double distances[] = {2, 4, 8, 16};
enum UseOfModes : Step { for_frames = 1'000'000 };

} // namespace

Modes::Modes(CountedDensity& density, Frame frame, const Search& search)
    : density_(density), frame_(std::move(frame)), search_(search) {}

Place Modes::framed(const Place& at) const {
  return {frame_.in({at.x.data(), 1, frame_.dim()}).row(0), frame_.score_in({at.score.data(), 1, frame_.dim()}).row(0),
          at.log_density};
}

void Modes::evaluate(const Frame::Matrix& y, Frame::Matrix& score, std::vector<double>& log_density) {
  const Frame::Matrix x = frame_.out(y);
  score.resize(y.rows(), y.cols());
  log_density.resize(std::size_t(y.rows()));
  density_(rows_of(x), rows_of(score), log_density);
  score = frame_.score_in(rows_of(std::as_const(score)));
}

void Modes::add(const Place& end, bool arrived) { absorb(framed(end), arrived); }

void Modes::climb_from(const Frame::Matrix& x) {
  Frame::Matrix y = frame_.in(rows_of(x)), score;
  std::vector<double> log_density;
  evaluate(y, score, log_density);
  std::vector<Climb> climbs;
  for (Eigen::Index i = 0; i < y.rows(); ++i)
    if (const double height = log_density[std::size_t(i)]; std::isfinite(height))
      climbs.emplace_back(Place{y.row(i), score.row(i), search_.has_density ? height : 0}, search_.iterations);
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
      const double rise = 0.5 * (here.score + there).dot(going[i]->wanted() - here.x);
      going[i]->answer(there, search_.has_density || !sound ? log_density[i] : here.log_density + rise);
    }
  }
  for (const Climb& climb : climbs)
    absorb(climb.top(), climb.path().size() <= search_.iterations);
}

void Modes::climb_from_afar(std::size_t count, const Frame& around, const Philox& philox, Step address) {
  const std::size_t d = frame_.dim(), pairs = (count + 1) / 2;
  Frame::Matrix y = Frame::Matrix::Zero(Eigen::Index(count), Eigen::Index(d));
  const Frame::Matrix z = standard_normals(pairs, d, philox, address);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t pair = i / 2;
    const double far = (i % 2 == 0 ? 1 : -1) * distances[pair / 2 % std::size(distances)];
    const auto row = Eigen::Index(i), from = Eigen::Index(pair);
    if (pair % 2 == 0) {
      y.row(row) = far * z.row(from);
    } else { // along one coordinate: what differs in one alone is hard to meet otherwise
      const auto a = Eigen::Index(philox.below(std::uint32_t(d), Stream::groups_pick, address, pair));
      y(row, a) = 2 * far * std::max(0.5, std::abs(z(from, a)));
    }
  }
  climb_from(around.out(y));
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
    if (arrived || tops_.empty())
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
  mode.x = frame_.out(top.x.transpose()).row(0);
  mode.log_density = top.log_density;
  if (tops_.size() == 1 || !search_.has_density)
    return mode;
  Frame::Matrix x = mode.x.transpose(), score(1, x.cols());
  std::vector<double> height(1);
  density_(rows_of(std::as_const(x)), rows_of(score), height);
  const Place at{mode.x, score.row(0), height[0]};
  mode.frame = frame_.dim() <= search_.dense_up_to
                   ? laplace(at, density_)
                   : laplace_diagonal(at, density_, Philox(search_.seed), for_frames + number);
  mode.log_mass = mode.log_density + mode.frame.log_determinant();
  const bool stands = mode.frame.score_in(rows_of(std::as_const(score))).norm() <= still_climbing;
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
  while (modes.size() > 1 && !(modes.front().log_mass - modes.back().log_mass <= search_.negligible))
    modes.pop_back();
  return modes;
}

} // namespace starling::scout
