// Looks around a cloud.
#include <starling/scout/look.hpp>

#include <starling/scout/shells.hpp>

#include "scout/starts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace starling::scout {

namespace {

constexpr std::size_t looks_for_a_row = 8, most_looks = 2000;
constexpr std::size_t climbed_from = 16;             // hits, and looks led elsewhere
constexpr std::size_t few_dimensions = 10;           // random directions find something
constexpr double nearest_far = 2, farthest_far = 32; // in widths, for each root of a dimension
constexpr double nearest_level = .5, farthest_level = 1.5; // against a mode's own distance
constexpr double least_level = 3; // of that distance in widths, for each root of a dimension
constexpr std::uint64_t level_from = std::uint64_t{1} << 32; // their numbers
constexpr double wider = 3;                                  // than the cloud
constexpr double nearest_look = 3, farthest_look = 1000;     // in widths
constexpr double half_side = 2;                              // of the cube, as the scout's
constexpr double away = 2;                                   // from rows, in what they are apart
constexpr std::size_t compared_with = 1024;                  // particles
constexpr std::size_t neighbours = 3;                        // two rows may be draws of one walker
enum class Kind { frame, columns, ball, cube, out, last = out };
constexpr std::size_t kinds = std::size_t(Kind::last) + 1;
constexpr Step top_step = Step{1} << 40; // beyond any round

/// Where the looks go. Each has its own address: the round, and its number.
class LookPlaces {
public:
  LookPlaces(const Frame& frame, Rows<const double> rows, std::uint64_t seed, Step round)
      : frame_(frame), rows_(rows), width_(frame.spreads()), philox_(seed), round_(round) {}

  /// Whether a look is in a random direction from the middle.
  static bool on_ray(std::uint64_t number) {
    return Kind(number % kinds) == Kind::out && number / kinds % 2 == 0;
  }

  Eigen::RowVectorXd operator()(std::uint64_t number) const {
    const auto d = width_.size();
    switch (Kind(number % kinds)) {
    case Kind::frame:
      return frame_.forward(wider * normals(number)).row(0);
    case Kind::columns:
      return frame_.mean().transpose() + normals(number).cwiseProduct(width_.transpose());
    case Kind::ball:
      return frame_.mean().transpose() + width_.maxCoeff() * normals(number);
    case Kind::cube: {
      Eigen::RowVectorXd at(d);
      for (Eigen::Index a = 0; a < d; ++a)
        at[a] = half_side * (2 * uniform(block(number, std::size_t(a))) - 1);
      return at;
    }
    case Kind::out:
      break;
    }
    const Block bits = block(number, std::size_t(d));
    const double far = nearest_look * std::pow(farthest_look / nearest_look, uniform(bits, 0));
    if (on_ray(number))
      return frame_.forward(far * normals(number).normalized()).row(0);
    // Along one parameter, from a particle: from the mean, which in many dimensions is much higher
    // than any of them, far places in a tail would seem high.
    const auto a = Eigen::Index(number / kinds / 2) % d;
    Eigen::RowVectorXd at = Frame::map(rows_).row(Eigen::Index(number / kinds / 2 % rows_.count));
    at[a] += (uniform(bits, 1) < 0.5 ? -far : far) * width_[a];
    return at;
  }

  /// In a random direction.
  Eigen::RowVectorXd far(std::uint64_t number) const {
    const double u = uniform(block(number, std::size_t(width_.size())));
    const double distance = nearest_far * std::pow(farthest_far / nearest_far, u);
    const double root = std::sqrt(double(width_.size()));
    return frame_.forward(distance * root * normals(number).normalized()).row(0);
  }

  /// Around the origin, about as far from it as a mode with this mean, in the mode's widths.
  Eigen::RowVectorXd level(std::uint64_t number, const Eigen::VectorXd& mean,
                           const Eigen::RowVectorXd& width) const {
    const double root = std::sqrt(double(width.size()));
    const double out = std::max(mean.transpose().cwiseQuotient(width).norm(), least_level * root);
    const double u = uniform(block(number, std::size_t(width.size())));
    const double distance = out * nearest_level * std::pow(farthest_level / nearest_level, u);
    return distance * normals(number).row(0).normalized().cwiseProduct(width);
  }

private:
  Block block(std::uint64_t number, std::size_t part) const {
    return philox_(Stream::look_around, round_, number * std::size_t(width_.size() + 1) + part);
  }
  Frame::Matrix normals(std::uint64_t number) const {
    Frame::Matrix z(1, width_.size());
    for (Eigen::Index a = 0; a < z.cols(); ++a)
      z(0, a) = normal_pair(block(number, std::size_t(a)))[0];
    return z;
  }

  const Frame& frame_;
  Rows<const double> rows_;
  Eigen::VectorXd width_;
  Philox philox_;
  Step round_;
};

double lower_quartile(std::vector<double> values) {
  const auto at = values.begin() + std::ptrdiff_t(values.size() / 4);
  std::ranges::nth_element(values, at);
  return *at;
}

/// Squared distances to the nearest rows, nearest first: as many as are asked for.
std::vector<double> to_nearest(const Eigen::RowVectorXd& y, const Frame::Matrix& rows,
                               std::size_t count) {
  std::vector<double> all(std::size_t(rows.rows()));
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    all[std::size_t(i)] = (rows.row(i) - y).squaredNorm();
  count = std::min(count, all.size());
  std::partial_sort(all.begin(), all.begin() + std::ptrdiff_t(count), all.end());
  all.resize(count);
  return all;
}

/// All looks, those far out last.
Cloud looks_at(const Rows<const double> rows, const Frame& frame, CountedDensity& density,
               std::uint64_t seed, Step round, std::size_t looks) {
  const std::size_t far = rows.dim > 1 && rows.dim <= few_dimensions ? looks : 0;
  Frame::Matrix x(Eigen::Index(looks + far), Eigen::Index(rows.dim));
  const LookPlaces place(frame, rows, seed, round);
  for (std::size_t n = 0; n < looks; ++n)
    x.row(Eigen::Index(n)) = place(n);
  for (std::size_t n = looks; n < looks + far; ++n)
    x.row(Eigen::Index(n)) = place.far(n);
  return cloud_at(rows_of(std::as_const(x)), density);
}

/// Modes of one density are often about as far from the origin as each other: signs may be free, or
/// labels, and where parameters begin is their middle. A mode that is half as wide as another draws
/// nothing beyond a ball around it, of which directions from the other mode meet very little in
/// many dimensions; directions from the origin meet a hundred times as much of it.
Cloud level_looks(const Rows<const double> rows, const Frame& frame, std::span<const Frame> modes,
                  CountedDensity& density, std::uint64_t seed, Step round, std::size_t looks) {
  Frame::Matrix x(Eigen::Index(looks), Eigen::Index(rows.dim));
  const LookPlaces place(frame, rows, seed, round);
  std::vector<Eigen::RowVectorXd> widths;
  for (const Frame& mode : modes)
    widths.emplace_back(mode.spreads().transpose());
  for (std::size_t n = 0; n < looks; ++n) {
    const std::size_t k = n % modes.size();
    x.row(Eigen::Index(n)) = place.level(level_from + n, modes[k].mean(), widths[k]);
  }
  return cloud_at(rows_of(std::as_const(x)), density);
}

/// Places that hit, a row each.
Frame::Matrix hits_of(const Cloud& places, const Cloud& cloud, const Frame& frame) {
  const double high = lower_quartile(cloud.log_density);
  const Frame::Matrix near = frame.inverse(cloud.position()), y = frame.inverse(places.position());
  double apart = 0;
  for (Eigen::Index i = 0; i < near.rows(); ++i)
    if (cloud.log_density[std::size_t(i)] >= high)
      apart = std::max(apart, to_nearest(near.row(i), near, neighbours + 1).back()); // itself first
  std::vector<Eigen::Index> hit;
  for (Eigen::Index n = 0; n < y.rows(); ++n)
    if (places.log_density[std::size_t(n)] >= high &&
        to_nearest(y.row(n), near, 1)[0] > away * away * apart)
      hit.push_back(n);
  Frame::Matrix found(Eigen::Index(hit.size()), y.cols());
  for (std::size_t n = 0; n < hit.size(); ++n)
    found.row(Eigen::Index(n)) = places.x.row(hit[n]);
  return found;
}

/// Looks in random directions, whose distances have even logarithms: which they are, and of the
/// volume around the cloud, in the frame, the logarithm of what each stands for.
struct Rays {
  std::vector<std::size_t> looks;
  std::vector<double> log_volume;
};
Rays rays_of(const Cloud& all, std::size_t near, const Frame& frame) {
  Rays rays;
  for (std::size_t n = 0; n < all.count(); ++n)
    if (n >= near || LookPlaces::on_ray(n))
      rays.looks.push_back(n);
  const double d = double(all.dim()), root = std::sqrt(d), far = double(all.count() - near);
  const auto per_log = [](double r, double from, double to) {
    return r >= from && r <= to ? 1 / std::log(to / from) : 0.0;
  };
  const double sphere = std::log(2) + d / 2 * std::log(std::numbers::pi) - std::lgamma(d / 2);
  const Eigen::VectorXd distance = frame.inverse(all.position()).rowwise().norm();
  for (const std::size_t n : rays.looks) {
    const double r = distance[Eigen::Index(n)];
    const double looks =
        (double(rays.looks.size()) - far) * per_log(r, nearest_look, farthest_look) +
        far * per_log(r, nearest_far * root, farthest_far * root);
    rays.log_volume.push_back(frame.log_determinant() + sphere + d * std::log(r) - std::log(looks));
  }
  return rays;
}

Mode middle_of(const Frame& frame) {
  Mode mode;
  mode.x = frame.mean();
  mode.frame = frame;
  return mode;
}

/// What lies around the cloud's own middle and is missing from it.
std::optional<MissedPart> missed_part(const Cloud& rows, const Frame& frame, const Cloud& looks,
                                      std::size_t near, const Mode& top, CountedDensity& density,
                                      const ModeSearch& search, Step round) {
  const Rays rays = rays_of(looks, near, frame);
  if (auto out = mass_farther_out(rows, frame, some_of(looks, rays.looks), rays.log_volume))
    return out;
  return mass_at_top(rows, frame, top, density, Philox(search.seed), top_step + round);
}

} // namespace

Looked look_around(const Cloud& cloud, CountedDensity& density, std::span<const Mode> known,
                   const ModeSearch& search, Step round) {
  const StartRows some(cloud.position(), search);
  Modes modes(density, some.frame, search);
  modes.add(known);
  std::vector<Frame::Matrix> starts = {
      some.starts, modes.starts_afar(some.frame, Philox(search.seed), some.around)};

  Looked looked;
  const std::size_t few = std::min(most_looks, looks_for_a_row * cloud.count());
  const Cloud looks = looks_at(rows_of(some.rows), some.frame, density, search.seed, round, few);
  looked.looks = looks.count();
  const Cloud rows = some_of(cloud, some.chosen);
  const Frame::Matrix hits = hits_of(looks, rows, some.frame);
  looked.hits = std::size_t(hits.rows());
  if (hits.rows() > 0) {
    const std::vector<Eigen::Index> apart =
        farthest_first(some.frame.inverse(rows_of(hits)), std::min(climbed_from, looked.hits));
    Frame::Matrix& from = starts.emplace_back(Eigen::Index(apart.size()), hits.cols());
    for (std::size_t n = 0; n < apart.size(); ++n)
      from.row(Eigen::Index(n)) = hits.row(apart[n]);
    looked.hit = from;
  }
  std::vector<Frame> frames = {some.frame};
  for (const Mode& one : known)
    if (one.frame.dim() > 0)
      frames.push_back(one.frame);
  starts.push_back(led_elsewhere(looks, frames, climbed_from));
  const std::size_t level_times = cloud.dim() < 2 ? 0 : cloud.dim() > few_dimensions ? 2 : 1;
  if (const std::size_t count = level_times * few * search.level_looks; count > 0) {
    const std::span<const Frame> tops = std::span(frames).subspan(frames.size() > 1 ? 1 : 0);
    const Cloud level =
        level_looks(rows_of(some.rows), some.frame, tops, density, search.seed, round, count);
    looked.looks += level.count();
    starts.push_back(led_elsewhere(level, tops, climbed_from));
  }
  modes.climb_from(stacked(starts));
  looked.modes = modes.found();
  looked.climbs = modes.climbs();
  if (looked.modes.size() == 1 && known.size() < 2 && looked.hits == 0)
    if (const auto part =
            missed_part(rows, some.frame, looks, few, looked.modes[0], density, search, round)) {
      looked.missed = part->share;
      looked.modes = {middle_of(some.frame), middle_of(part->frame)};
    }
  return looked;
}

std::size_t unmet(const Cloud& places, const Cloud& cloud, const Frame& frame) {
  return std::size_t(hits_of(places, evenly(cloud, compared_with), frame).rows());
}

} // namespace starling::scout
