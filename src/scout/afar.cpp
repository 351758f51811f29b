// Where to climb from, far from a mode: places all around, and where the density rises along rays.
#include <starling/scout/modes.hpp>

#include <starling/scout/candidates.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace starling::scout {

namespace {

constexpr double distances[] = {2, 4, 8, 16, 64, 256, 1024}; // of places all around, in the frame
constexpr double radii[] = {3,  5,  8,   13,  21,  34,       // along rays
                            55, 90, 150, 250, 400, 650, 1000};
constexpr std::size_t most_bumps = 32; // that are climbed from, of one set of rays: the highest
constexpr double aside = 0.1;          // from places that are marked by symmetry, in the frame
constexpr Eigen::Index most_axes = 32, random_rays = 12;

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

/// In y: where models have modes that no random direction meets in many dimensions. All parameters
/// together, each by as much or by as many of its widths; and through the origin, since signs may
/// be free.
Frame::Matrix common_directions(const Frame& around) {
  const Eigen::VectorXd& mean = around.mean();
  const Eigen::VectorXd width = around.spreads();
  Frame::Matrix to(3, mean.size());
  to << (mean.array() + width.mean()).matrix().transpose(), (mean + width).transpose(),
      Eigen::RowVectorXd::Zero(mean.size());
  Frame::Matrix y = around.inverse(rows_of(std::as_const(to)));
  const Eigen::Index many = y.row(2).norm() > 0 ? 3 : 2;
  return y.topRows(many).rowwise().normalized();
}

} // namespace

Frame::Matrix Modes::starts_afar(const Frame& around, const Philox& philox, Step address) {
  const auto d = Eigen::Index(frame_.dim());
  const Frame::Matrix z =
      standard_normals(std::size(distances) + random_rays, frame_.dim(), philox, address);
  Frame::Matrix y = Frame::Matrix::Zero(2 * Eigen::Index(std::size(distances)), d);
  for (Eigen::Index i = 0; i < y.rows(); ++i)
    y.row(i) = (i % 2 == 0 ? 1 : -1) * distances[i / 2] * z.row(i / 2);

  // Rays: coordinates one by one, as many as there is room for, random directions, and those that
  // models share; all both ways.
  const Frame::Matrix common = d > 1 ? common_directions(around) : Frame::Matrix(0, d);
  const Eigen::Index axes = std::min(d, most_axes), drawn = axes + (d > 1 ? random_rays : 0),
                     rays = 2 * (drawn + common.rows());
  const auto first = Eigen::Index(philox.below(std::uint32_t(d), Stream::groups_pick, address, 0));
  Frame::Matrix direction = Frame::Matrix::Zero(rays, d);
  for (Eigen::Index i = 0; i < rays; ++i) {
    const double sign = i % 2 == 0 ? 1 : -1;
    if (i / 2 < axes)
      direction(i, (first + i / 2) % d) = sign;
    else if (i / 2 >= drawn)
      direction.row(i) = sign * common.row(i / 2 - drawn);
    else
      direction.row(i) =
          sign * random_direction(z.row(Eigen::Index(std::size(distances)) + i / 2 - axes), i / 2,
                                  philox, address);
  }
  const Frame::Matrix mirrored = -around.mean().transpose();
  Frame::Matrix marked = stacked({mirrored, where_it_rises(around, direction)});
  // Not quite there: by symmetry a climb may end at a saddle, and all modes around it would be one.
  for (Eigen::Index i = 0; i < marked.rows(); ++i)
    marked.row(i) += aside * around.along_rows(z.row(i % z.rows()));
  return stacked({around.forward(y), marked});
}

/// Going outwards from the middle of one group the density falls; where it rises again there may be
/// another.
Frame::Matrix Modes::where_it_rises(const Frame& around, const Frame::Matrix& direction) {
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
    // Of a narrow mode the near side may be lower than the place before it, and rise all the same.
    const bool rises = score.row(i).dot(direction.row(i / on_a_ray)) > 0 ||
                       (search_.has_density && i % on_a_ray > 0 && height[at] > height[at - 1]);
    const bool and_on =
        search_.has_density && i % on_a_ray + 1 < on_a_ray && height[at + 1] > height[at];
    if (rises && !and_on && std::isfinite(height[at]))
      bumps.push_back(i);
  }
  if (bumps.size() > most_bumps) {
    std::ranges::stable_sort(bumps, std::ranges::greater{},
                             [&](Eigen::Index i) { return height[std::size_t(i)]; });
    bumps.resize(most_bumps);
  }
  Frame::Matrix starts(Eigen::Index(bumps.size()), x.cols());
  for (std::size_t n = 0; n < bumps.size(); ++n)
    starts.row(Eigen::Index(n)) = x.row(bumps[n]);
  return starts;
}

} // namespace starling::scout
