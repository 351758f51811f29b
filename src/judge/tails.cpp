// Tails: whether mean and variance of a column mean something.
#include <starling/judge/move_test.hpp>

#include "judge/moments.hpp"

#include <cmath>
#include <limits>

namespace starling::judge {

namespace {

/// From the means of four powers.
double kurtosis_of(double mean, double square, double cube, double fourth) {
  const double variance = square - mean * mean;
  const double central =
      fourth - 4 * mean * cube + 6 * mean * mean * square - 3 * mean * mean * mean * mean;
  return central / (variance * variance);
}

} // namespace

/// A mode far away is no tail: it lies beyond both distances, or beyond one.
bool MoveTest::power_tail(std::size_t column) const {
  constexpr double small_share = 0.1, least = 1.0 / 8, most = 0.7;
  constexpr double enough = 8; // twice as far out, or chance decides
  const double* const sums = pooled_sums(column);
  const double far = sums[2], farther = sums[3];
  return farther >= enough && farther >= least * far && farther <= most * far &&
         far <= small_share * double(count_) * double(added_);
}

/// Of some column or direction: then no direction has moments.
bool MoveTest::any_power_tail() const {
  for (std::size_t a = 0; a < columns_; ++a)
    if (of(a) != TraitOf::log_density && !scale_[a].unread && power_tail(a))
      return true;
  return false;
}

/// Of a position that is not read the moves may show the tail as well, which few particles meet
/// before them. Of what is read they have to show one that no cloud of this size can have: else a
/// tail that the cloud does not have is its fault, and so are strays that moves bring back.
bool MoveTest::has_moments(std::size_t column) const {
  constexpr double beyond_clouds = 3;
  const Scale& scale = scale_[column];
  if (added_ == 0)
    return !scale.heavy;
  if (scale.heavy)
    return !goes_out_far(column);
  if (of(column) == TraitOf::direction ? any_power_tail() : power_tail(column))
    return false;
  const double most = scale.unread || scale.wild ? most_kurtosis : beyond_clouds * most_kurtosis;
  return !(pooled_kurtosis(column) > most);
}

bool MoveTest::began_far_out(std::size_t particle, std::size_t column) const {
  const Scale& scale = scale_[column];
  const double z = before_[kinds * (particle * columns_ + column)];
  return std::abs(scale.mean + scale.sd * z - scale.median) > far_away * scale.unit;
}

/// In a tail heavier than an exponential's.
bool MoveTest::goes_out_far(std::size_t column) const {
  constexpr double exponential = 9;
  return kurtosis_from_inside(column) > exponential;
}

/// Infinite where none began there.
double MoveTest::kurtosis_from_inside(std::size_t column) const {
  const double* const sums = pooled_sums(column);
  const double n = sums[4];
  return n > 0 ? kurtosis_of(sums[5] / n, sums[6] / n, sums[7] / n, sums[8] / n)
               : std::numeric_limits<double>::infinity();
}

double MoveTest::pooled_kurtosis(std::size_t column) const {
  const double all = double(count_) * double(added_);
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    mean += sums_[kinds * (i * columns_ + column)] / all;
    square += sums_[kinds * (i * columns_ + column) + 2] / all;
  }
  const double* const sums = pooled_sums(column);
  return kurtosis_of(mean, square, sums[0] / all, sums[1] / all);
}

} // namespace starling::judge
