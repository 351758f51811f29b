// Columns and frames of a cloud, and checks of a saved state.
#include <starling/stages/state.hpp>

#include <algorithm>
#include <stdexcept>

namespace starling::stages {

Frame::Matrix Context::columns(const Frame::Matrix& x) const {
  Frame::Matrix all(x.rows(), x.cols() + Eigen::Index(read.count));
  all.leftCols(x.cols()) = x;
  if (read.count > 0) {
    const std::vector<double> values = read.of(rows_of(x));
    all.rightCols(Eigen::Index(read.count)) =
        Frame::map({values.data(), std::size_t(x.rows()), read.count});
  }
  return all;
}

std::size_t Context::crew() const {
  const bool of_draws = guide.rows() == 0 && settings.certify_moves > 0 && settings.settle_rounds > 0;
  return of_draws ? std::min(settings.walkers, settings.particles) : settings.particles;
}

Frame Context::reframed(const Frame& frame, const Cloud& cloud) const {
  const Rows<const double> x = cloud.position(), score = rows_of(cloud.score);
  switch (settings.metric) {
  case Metric::none:
    return Frame(dim());
  case Metric::diagonal:
    return Frame(dim()).refreshed(x, score);
  case Metric::low_rank:
    return (frame.form() == Frame::Form::low_rank ? frame
                                                  : Frame(dim()).refreshed(x, score).with_few())
        .refreshed(x, score);
  case Metric::dense:
  case Metric::by_size:
    break;
  }
  return frame.refreshed(x, score);
}

void must_fit(bool fits) {
  if (!fits)
    throw std::invalid_argument("state: its columns and counts do not fit each other");
}

void must_fit(const Cloud& cloud, std::size_t dim, std::size_t count, bool may_be_empty) {
  must_fit((may_be_empty && cloud.count() == 0) || (cloud.count() == count && cloud.dim() == dim));
}

} // namespace starling::stages
