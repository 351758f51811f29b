// Parts of exact draws that lie along ways of their own, as the arms of a cross do.
#include <starling/scout/modes.hpp>

#include "scout/starts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace starling::scout {

namespace {

constexpr std::size_t most_parts = 4, of_each_number = 24; // attempts
constexpr std::size_t rows_a_number = 4;                   // at least, of a normal's covariance
constexpr std::size_t least_rows = 16;
constexpr double worth_it = 20; // of log likelihood, beside what one more normal costs
constexpr Step parts_address = Step{1} << 40; // of the rows that of_each_number begin with

/// The normals that `attempt` begins with: of the rows nearest to some that are drawn.
std::vector<Mode> begun(const Frame::Matrix& y, std::size_t parts, std::size_t near,
                        const Philox& philox, Step attempt) {
  std::vector<Mode> modes;
  for (std::size_t k = 0; k < parts; ++k) {
    const auto at = Eigen::Index(
        philox.below(std::uint32_t(y.rows()), Stream::groups_pick, parts_address + attempt, k));
    const Eigen::VectorXd far = (y.rowwise() - y.row(at)).rowwise().squaredNorm();
    std::vector<Eigen::Index> order(std::size_t(y.rows()));
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = Eigen::Index(i);
    std::ranges::nth_element(order, order.begin() + std::ptrdiff_t(near), {},
                             [&](Eigen::Index i) { return far[i]; });
    Frame::Matrix own(Eigen::Index(near), y.cols());
    for (std::size_t n = 0; n < near; ++n)
      own.row(Eigen::Index(n)) = y.row(order[n]);
    Mode& one = modes.emplace_back();
    one.frame = frame_of(rows_of(std::as_const(own)), std::size_t(y.cols()));
    one.x = one.frame.mean();
  }
  return modes;
}

/// The normal of each part, and the log likelihood of all rows, each in its part.
struct Parted {
  std::vector<Mode> modes;
  double likelihood = -std::numeric_limits<double>::infinity();
};

Parted parted(const Frame::Matrix& y, const std::vector<std::size_t>& part, std::size_t parts) {
  Parted made;
  double sum = 0;
  for (std::size_t k = 0; k < parts; ++k) {
    Frame::Matrix own(std::ranges::count(part, k), y.cols());
    const auto least = std::max(least_rows, rows_a_number * std::size_t(y.cols()));
    if (std::size_t(own.rows()) < least)
      return {};
    for (Eigen::Index i = 0, n = 0; i < y.rows(); ++i)
      if (part[std::size_t(i)] == k)
        own.row(n++) = y.row(i);
    Mode& one = made.modes.emplace_back();
    one.frame = frame_of(rows_of(std::as_const(own)), std::size_t(y.cols()));
    one.x = one.frame.mean();
    const Frame::Matrix z = one.frame.inverse(rows_of(std::as_const(own)));
    for (Eigen::Index n = 0; n < z.rows(); ++n)
      sum += one.frame.log_normal(z.row(n).squaredNorm());
    sum += double(own.rows()) * std::log(double(own.rows()) / double(y.rows()));
  }
  made.likelihood = sum;
  return made;
}

} // namespace

std::vector<Mode> parts_of_draws(Rows<const double> x, std::uint64_t seed) {
  const Frame whole = frame_of(x, x.dim);
  const Frame::Matrix y = whole.inverse(x);
  const double numbers = double(x.dim) * double(x.dim + 3) / 2 + 1;
  const double cost = numbers * std::log(double(x.count)) / 2 + worth_it;
  Parted best = parted(y, std::vector<std::size_t>(x.count, 0), 1);
  const std::size_t near = std::max({least_rows, rows_a_number * x.dim, x.count / 16});
  for (std::size_t parts = 2; parts <= most_parts && parts * near <= x.count; ++parts) {
    const double least = best.likelihood + cost;
    for (Step attempt = 0; attempt < of_each_number; ++attempt) {
      const std::vector<Mode> from = begun(y, parts, near, Philox(seed), attempt);
      Parted now = parted(y, assign_to_modes(rows_of(y), from), parts);
      for (int more = 0; more < 2 && !now.modes.empty(); ++more)
        now = parted(y, assign_to_modes(rows_of(y), now.modes), parts);
      if (now.likelihood > std::max(best.likelihood, least))
        best = std::move(now);
    }
    if (best.modes.size() < parts)
      break;
  }
  if (best.modes.size() < 2)
    return {};
  // In x: of the rows that each part has.
  const std::vector<std::size_t> part = assign_to_modes(rows_of(y), best.modes);
  const Parted own = parted(Frame::map(x), part, best.modes.size());
  return own.modes;
}

} // namespace starling::scout
