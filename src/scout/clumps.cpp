// The modes under a cloud, and which of its rows belongs to which.
#include <starling/scout/modes.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace starling::scout {

namespace {

constexpr std::size_t most_rows = 1024;              // that starts are chosen from
constexpr std::size_t far_apart = 8, at_random = 16; // starts of each kind
constexpr int rounds = 5;
enum UseOfClumps : Step { around_clumps = 3000 };

/// The cloud's own frame; widths first, else few rows would blur the scales.
Frame frame_of(Rows<const double> x, std::size_t dense_up_to) {
  const Frame widths = Frame(x.dim).refreshed(x);
  return x.dim <= dense_up_to && x.count > x.dim ? widths.densely().refreshed(x) : widths;
}

/// Each the farthest from those before it: every clump that stands apart has one soon. O(rows x
/// count).
std::vector<Eigen::Index> farthest_first(const Frame::Matrix& y, std::size_t count) {
  std::vector<Eigen::Index> chosen;
  Eigen::VectorXd nearest = y.rowwise().squaredNorm();
  for (std::size_t n = 0; n < count; ++n) {
    Eigen::Index next = 0;
    nearest.maxCoeff(&next);
    chosen.push_back(next);
    const Eigen::VectorXd from = (y.rowwise() - y.row(next)).rowwise().squaredNorm();
    nearest = n == 0 ? from : Eigen::VectorXd(nearest.cwiseMin(from));
  }
  return chosen;
}

} // namespace

std::vector<Mode> modes_of_cloud(Rows<const double> cloud, CountedDensity& density, bool afar,
                                 const ModeSearch& search) {
  const std::size_t every = (cloud.count + most_rows - 1) / most_rows, rows = cloud.count / every;
  Frame::Matrix some(Eigen::Index(rows), Eigen::Index(cloud.dim));
  for (std::size_t i = 0; i < rows; ++i)
    some.row(Eigen::Index(i)) = Frame::map(cloud).row(Eigen::Index(i * every));
  const Frame frame = frame_of(rows_of(std::as_const(some)), search.dense_up_to);
  const Philox philox(search.seed);
  std::vector<Eigen::Index> starts;
  if (rows <= far_apart + at_random) {
    for (std::size_t i = 0; i < rows; ++i)
      starts.push_back(Eigen::Index(i));
  } else {
    starts = farthest_first(frame.inverse(rows_of(std::as_const(some))), far_apart);
    for (std::size_t n = 0; n < at_random; ++n)
      starts.push_back(philox.below(std::uint32_t(rows), Stream::groups_pick, 0, n));
  }
  Frame::Matrix x(Eigen::Index(starts.size()), some.cols());
  for (std::size_t n = 0; n < starts.size(); ++n)
    x.row(Eigen::Index(n)) = some.row(starts[n]);
  Modes modes(density, frame, search);
  modes.climb_from(x);
  if (afar)
    modes.climb_from_afar(frame, philox, around_clumps);
  return modes.found();
}

std::vector<std::size_t> assign_to_modes(Rows<const double> x, const std::vector<Mode>& modes) {
  std::vector<std::size_t> group(x.count, 0);
  if (modes.size() < 2)
    return group;
  const bool is_dense =
      std::ranges::all_of(modes, [](const Mode& mode) { return mode.frame.is_dense(); });
  std::vector<Frame> frames;
  std::vector<double> log_weight(modes.size(), 0);
  const Frame common = frame_of(x, 0);
  const auto scale = common.numbers();
  for (const Mode& mode : modes) // where Laplace's are not known, all alike
    frames.push_back(mode.frame.dim() > 0
                         ? mode.frame
                         : Frame::diagonal(mode.x, Eigen::Map<const Eigen::VectorXd>(
                                                       scale.data(), Eigen::Index(scale.size()))));
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> best(x.count, -std::numeric_limits<double>::infinity());
    for (std::size_t g = 0; g < frames.size(); ++g) {
      const Frame::Matrix y = frames[g].inverse(x);
      for (std::size_t i = 0; i < x.count; ++i) {
        const double here =
            frames[g].log_normal(y.row(Eigen::Index(i)).squaredNorm()) + log_weight[g];
        if (here > best[i]) {
          best[i] = here;
          group[i] = g;
        }
      }
    }
    for (std::size_t g = 0; g < frames.size(); ++g) {
      Frame::Matrix own(std::ranges::count(group, g), Eigen::Index(x.dim));
      log_weight[g] = std::log((double(own.rows()) + 0.5) / double(x.count));
      if (own.rows() < 8)
        continue; // too few to tell a width
      for (Eigen::Index i = 0, k = 0; i < Eigen::Index(x.count); ++i)
        if (group[std::size_t(i)] == g)
          own.row(k++) = Frame::map(x).row(i);
      frames[g] = frame_of(rows_of(std::as_const(own)), is_dense ? x.dim : 0);
    }
  }
  return group;
}

} // namespace starling::scout
