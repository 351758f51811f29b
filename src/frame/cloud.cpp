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

Cloud evenly(const Cloud& cloud, std::size_t count) {
  if (count >= cloud.count())
    return cloud;
  Cloud few;
  few.x.resize(Eigen::Index(count), cloud.x.cols());
  few.score.resize(few.x.rows(), few.x.cols());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = i * cloud.count() / count;
    few.x.row(Eigen::Index(i)) = cloud.x.row(Eigen::Index(from));
    few.score.row(Eigen::Index(i)) = cloud.score.row(Eigen::Index(from));
    few.log_density.push_back(cloud.log_density[from]);
    few.id.push_back(cloud.id[from]);
  }
  return few;
}

} // namespace starling
