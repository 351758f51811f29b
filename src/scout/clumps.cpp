// The modes under a cloud, and which of its rows belongs to which.
#include <starling/scout/modes.hpp>

#include "scout/starts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace starling::scout {

namespace {

constexpr std::size_t most_rows = 1024;              // that starts are chosen from
constexpr std::size_t far_apart = 8, at_random = 16; // starts of each kind
constexpr int rounds = 5;

} // namespace

Frame frame_of(Rows<const double> x, std::size_t dense_up_to) {
  const Frame widths = Frame(x.dim).refreshed(x);
  return x.dim <= dense_up_to && x.count > x.dim ? widths.densely().refreshed(x) : widths;
}

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

StartRows::StartRows(Rows<const double> cloud, const ModeSearch& search) {
  const std::size_t every = (cloud.count + most_rows - 1) / most_rows, count = cloud.count / every;
  rows.resize(Eigen::Index(count), Eigen::Index(cloud.dim));
  for (std::size_t i = 0; i < count; ++i) {
    chosen.push_back(i * every);
    rows.row(Eigen::Index(i)) = Frame::map(cloud).row(Eigen::Index(i * every));
  }
  frame = frame_of(rows_of(std::as_const(rows)), search.dense_up_to);
  std::vector<Eigen::Index> from;
  if (count <= far_apart + at_random) {
    for (std::size_t i = 0; i < count; ++i)
      from.push_back(Eigen::Index(i));
  } else {
    from = farthest_first(frame.inverse(rows_of(std::as_const(rows))), far_apart);
    for (std::size_t n = 0; n < at_random; ++n)
      from.push_back(Philox(search.seed).below(std::uint32_t(count), Stream::groups_pick, 0, n));
  }
  starts.resize(Eigen::Index(from.size()), rows.cols());
  for (std::size_t n = 0; n < from.size(); ++n)
    starts.row(Eigen::Index(n)) = rows.row(from[n]);
}

Frame::Matrix stacked(const std::vector<Frame::Matrix>& parts) {
  Eigen::Index rows = 0;
  for (const Frame::Matrix& part : parts)
    rows += part.rows();
  Frame::Matrix all(rows, parts.front().cols());
  Eigen::Index at = 0;
  for (const Frame::Matrix& part : parts) {
    all.middleRows(at, part.rows()) = part;
    at += part.rows();
  }
  return all;
}

std::vector<Mode> modes_of_cloud(Rows<const double> cloud, CountedDensity& density, bool afar,
                                 const ModeSearch& search) {
  const StartRows some(cloud, search);
  Modes modes(density, some.frame, search);
  std::vector<Frame::Matrix> starts = {some.starts};
  if (afar)
    starts.push_back(modes.starts_afar(some.frame, Philox(search.seed), some.around));
  modes.climb_from(stacked(starts));
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
