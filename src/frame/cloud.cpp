// A cloud where it is asked for.
#include <starling/cloud.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace starling {

Cloud cloud_at(Frame::Matrix x, CountedDensity& density) {
  const auto count = std::size_t(x.rows());
  Cloud cloud;
  cloud.x = std::move(x);
  cloud.score.resize(cloud.x.rows(), cloud.x.cols());
  cloud.log_density.resize(count);
  cloud.id.resize(count);
  std::iota(cloud.id.begin(), cloud.id.end(), std::uint64_t{0});
  density(cloud.position(), rows_of(cloud.score), cloud.log_density);
  return cloud;
}

Cloud some_of(const Cloud& cloud, std::span<const std::size_t> rows) {
  Cloud some;
  some.x.resize(Eigen::Index(rows.size()), cloud.x.cols());
  some.score.resize(some.x.rows(), some.x.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    some.x.row(Eigen::Index(i)) = cloud.x.row(Eigen::Index(rows[i]));
    some.score.row(Eigen::Index(i)) = cloud.score.row(Eigen::Index(rows[i]));
    some.log_density.push_back(cloud.log_density[rows[i]]);
    some.id.push_back(cloud.id[rows[i]]);
  }
  return some;
}

Cloud slice(const Cloud& cloud, std::size_t begin, std::size_t end) {
  const auto first = Eigen::Index(begin), rows = Eigen::Index(end - begin);
  const auto of = [&](const auto& column) {
    const auto at = column.begin() + std::ptrdiff_t(begin);
    return std::vector(at, at + std::ptrdiff_t(end - begin));
  };
  return {cloud.x.middleRows(first, rows), cloud.score.middleRows(first, rows),
          of(cloud.log_density), of(cloud.id)};
}

void put(const Cloud& some, Cloud& cloud, std::size_t begin) {
  cloud.x.middleRows(Eigen::Index(begin), some.x.rows()) = some.x;
  cloud.score.middleRows(Eigen::Index(begin), some.x.rows()) = some.score;
  std::ranges::copy(some.log_density, cloud.log_density.begin() + std::ptrdiff_t(begin));
  std::ranges::copy(some.id, cloud.id.begin() + std::ptrdiff_t(begin));
}

Cloud joined(const Cloud& one, const Cloud& other) {
  if (one.count() == 0)
    return other;
  const auto both = [](auto first, const auto& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  Cloud all{Frame::Matrix(one.x.rows() + other.x.rows(), one.x.cols()),
            Frame::Matrix(one.x.rows() + other.x.rows(), one.x.cols()),
            both(one.log_density, other.log_density), both(one.id, other.id)};
  all.x << one.x, other.x;
  all.score << one.score, other.score;
  return all;
}

Cloud evenly(const Cloud& cloud, std::size_t count) {
  if (count >= cloud.count())
    return cloud;
  std::vector<std::size_t> rows(count);
  for (std::size_t i = 0; i < count; ++i)
    rows[i] = i * cloud.count() / count;
  return some_of(cloud, rows);
}

} // namespace starling
