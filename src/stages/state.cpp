// Columns and frames of a cloud, and checks of a saved state.
#include <starling/stages/state.hpp>

#include <starling/judge/certified.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace starling::stages {

namespace {

constexpr std::uint64_t rows_a_dimension = 8, recent_clouds = 8, recent_numbers = 4'000'000; // most

} // namespace

/// Evenly among the moves of the latter half, as far as that can be without knowing the end.
void Recent::add(const Cloud& walkers) {
  ++moves;
  const std::size_t rows = walkers.count(), numbers = rows * walkers.dim();
  const std::uint64_t clouds = std::min({rows_a_dimension * walkers.dim() / rows, moves / 2,
                                         recent_clouds, recent_numbers / numbers});
  if (clouds < 2 || moves % std::max<std::uint64_t>(1, moves / (2 * recent_clouds)) > 0)
    return;
  const std::size_t all = cloud.count(), kept = std::min(all, std::size_t(clouds - 1) * rows);
  cloud = joined(slice(cloud, all - kept, all), walkers);
}

const Cloud& Recent::or_alone(const Cloud& walkers) const {
  return cloud.count() > walkers.count() ? cloud : walkers;
}

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
  const bool of_draws =
      guide.rows() == 0 && settings.certify_moves > 0 && settings.settle_rounds > 0;
  return of_draws ? std::min(settings.walkers, settings.particles) : settings.particles;
}

namespace {

/// The affine frame of a cloud, seen from the one before it where there is one in these
/// coordinates; else widths come first: few particles would blur the scales.
Frame affine(Metric metric, const Frame* before, Rows<const double> x, Rows<const double> score) {
  const auto widths = [&] { return Frame(x.dim).refreshed(x, score); };
  switch (metric) {
  case Metric::none:
    return Frame(x.dim);
  case Metric::diagonal:
    return widths();
  case Metric::low_rank:
    return (before && before->form() == Frame::Form::low_rank ? *before : widths().with_few())
        .refreshed(x, score);
  case Metric::dense:
  case Metric::by_size:
  case Metric::bent:
    break;
  }
  return (before ? *before : widths().densely()).refreshed(x, score);
}

} // namespace

bool Context::identities_hold(const Cloud& cloud) const {
  return guide.rows() > 0 ||
         judge::identities_hold(cloud.position(), rows_of(cloud.score), threads);
}

Frame Context::reframed(const Frame& frame, const Cloud& cloud) const {
  const Rows<const double> x = cloud.position(), score = rows_of(cloud.score);
  std::optional<Bend> bend;
  if (settings.bends != Bends::never)
    bend = fit_bend(x, score, settings.bends == Bends::better,
                    frame.bend() ? &*frame.bend() : nullptr);
  if (!bend)
    return affine(settings.metric, frame.bend() ? nullptr : &frame, x, score);
  const Frame::Matrix t = bend->inverse(x), in_t = bend->pull(t, score);
  return affine(settings.metric, nullptr, rows_of(t), rows_of(in_t)).bent_by(std::move(*bend));
}

Frame Context::straightened(const Cloud& cloud) const {
  return affine(settings.metric, nullptr, cloud.position(), rows_of(cloud.score));
}

void must_fit(bool fits) {
  if (!fits)
    throw std::invalid_argument("state: its columns and counts do not fit each other");
}

void must_fit(const Cloud& cloud, std::size_t dim, std::size_t count, bool may_be_empty) {
  must_fit((may_be_empty && cloud.count() == 0) || (cloud.count() == count && cloud.dim() == dim));
}

} // namespace starling::stages
