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

} // namespace starling
