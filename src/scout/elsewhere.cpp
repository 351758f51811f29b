// Places from which the score leads to no mode that is known.
#include <starling/scout/look.hpp>

#include "scout/starts.hpp"

#include <cmath>
#include <utility>

namespace starling::scout {

namespace {

constexpr std::size_t most_climbs = 16;
constexpr double away_from_it = 0.5; // the cosine between the score and the way to the middle

/// Cosines between each score and the way to the frame's middle, seen in the frame: 1 for a normal.
Eigen::VectorXd towards(const Frame& frame, const Cloud& places) {
  const Frame::Matrix y = frame.inverse(places.position()),
                      s = frame.pull(rows_of(std::as_const(places.score)));
  return -(y.array() * s.array()).rowwise().sum() /
         (y.rowwise().norm().array() * s.rowwise().norm().array());
}

} // namespace

Frame::Matrix led_elsewhere(const Cloud& places, std::span<const Frame> known, std::size_t most) {
  Eigen::VectorXd best = Eigen::VectorXd::Constant(places.x.rows(), -1);
  for (const Frame& one : known)
    best = best.cwiseMax(towards(one, places));
  std::vector<Eigen::Index> led;
  for (Eigen::Index i = 0; i < best.size(); ++i)
    if (std::isfinite(places.log_density[std::size_t(i)]) && best[i] < away_from_it)
      led.push_back(i);
  Frame::Matrix x(Eigen::Index(led.size()), places.x.cols());
  for (std::size_t n = 0; n < led.size(); ++n)
    x.row(Eigen::Index(n)) = places.x.row(led[n]);
  if (led.size() <= most)
    return x;
  Frame::Matrix direction = known.front().inverse(rows_of(std::as_const(x)));
  direction.rowwise().normalize();
  Frame::Matrix chosen(Eigen::Index(most), x.cols());
  const std::vector<Eigen::Index> apart = farthest_first(direction, most);
  for (std::size_t n = 0; n < most; ++n)
    chosen.row(Eigen::Index(n)) = x.row(apart[n]);
  return chosen;
}

std::vector<Mode> modes_led_to(const Cloud& places, CountedDensity& density,
                               std::span<const Mode> known, const ModeSearch& search) {
  std::vector<Frame> frames;
  Frame::Matrix tops(Eigen::Index(known.size()), places.x.cols());
  for (const Mode& one : known) {
    tops.row(Eigen::Index(frames.size())) = one.x;
    frames.push_back(one.frame);
  }
  const Frame::Matrix from = led_elsewhere(places, frames, most_climbs);
  if (from.rows() == 0)
    return {known.begin(), known.end()};
  Modes modes(density, frames.front(), search);
  modes.climb_from(stacked({tops, from})); // a known one may be the middle of a fit and no top
  return modes.found();
}

} // namespace starling::scout
