// A cloud where it is asked for.
#include <starling/cloud.hpp>

namespace starling {

Cloud cloud_at(Rows<const double> x, CountedDensity& density) {
  Cloud cloud;
  cloud.x = Frame::map(x);
  cloud.score.resize(cloud.x.rows(), cloud.x.cols());
  cloud.log_density.resize(x.count);
  cloud.id.resize(x.count);
  for (std::size_t i = 0; i < x.count; ++i)
    cloud.id[i] = i;
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

Cloud evenly(const Cloud& cloud, std::size_t count) {
  if (count >= cloud.count())
    return cloud;
  std::vector<std::size_t> rows(count);
  for (std::size_t i = 0; i < count; ++i)
    rows[i] = i * cloud.count() / count;
  return some_of(cloud, rows);
}

} // namespace starling
