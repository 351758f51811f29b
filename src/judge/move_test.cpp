// The move test.
#include <starling/judge/move_test.hpp>

#include "judge/moments.hpp"

#include <starling/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace starling::judge {

namespace {

constexpr double clip = 3, normal_mad = 1.4826; // sd of a normal over its median absolute deviation

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double winsorised(double value, double median, double robust) {
  return std::clamp(value, median - clip * robust, median + clip * robust);
}

/// Whether users read this position as it is, so that its own moments matter: a scale is read, not
/// its logarithm.
bool read_as_it_is(Rows<const double> cloud, std::size_t position, std::size_t positions,
                   std::size_t columns) {
  bool read = positions >= columns; // nothing else is
  for (std::size_t a = positions; a < columns && !read; ++a) {
    read = true;
    for (std::size_t i = 0; i < cloud.count && read; ++i)
      read = cloud[i][a] == cloud[i][position];
  }
  return read;
}

} // namespace

bool heavy_tailed(std::span<const double> values) { return moments_of(values).heavy; }

MoveTest::MoveTest(Rows<const double> cloud, Rows<const double> moved, std::size_t positions,
                   const Joint& joint)
    : count_(moved.count), columns_(cloud.dim), joint_(joint), whole_(kinds * cloud.dim),
      before_(kinds * moved.size()), sums_(kinds * moved.size() + pooled * cloud.dim) {
  if (count_ < 4)
    reject("particles", "at least 4 for the move test", std::to_string(count_));
  if (moved.dim != cloud.dim)
    reject("moved", std::to_string(cloud.dim) + " columns", std::to_string(moved.dim));
  if (joint.columns() > columns_)
    reject("columns", "at least those of the joint, " + std::to_string(joint.columns()),
           std::to_string(columns_));
  const std::size_t read = columns_ - joint.columns();
  const std::size_t all = cloud.count;
  const auto n = static_cast<double>(all);
  std::vector<double> column(all);
  for (std::size_t a = 0; a < columns_; ++a) {
    Scale scale{};
    bool finite = true;
    for (std::size_t i = 0; i < all; ++i) {
      column[i] = cloud[i][a];
      finite = finite && std::isfinite(column[i]);
      scale.mean += column[i] / n;
    }
    double sum = 0;
    for (const double value : column)
      sum += (value - scale.mean) * (value - scale.mean);
    scale.sd = std::sqrt(sum / (n - 1));
    scale.followed = finite && std::isfinite(scale.sd) && scale.sd > 1e-13 * std::abs(scale.mean) &&
                     scale.sd > 0;
    if (scale.followed) {
      scale.unread = a < positions && !read_as_it_is(cloud, a, positions, read);
      const bool tail = heavy_tailed(column), made = a >= positions || a >= read || scale.unread;
      scale.heavy = tail && made;
      scale.made = made;
      scale.wild = tail && !made;
      scale.median = median_of(column);
      for (std::size_t i = 0; i < all; ++i)
        column[i] = std::abs(cloud[i][a] - scale.median);
      scale.robust = normal_mad * median_of(column);
      if (!(scale.robust > 0)) // more than half of them in one place
        scale.robust = scale.sd;
      scale.unit = scale.robust;
      if (scale.wild) // the middle alone, about as a rank: beyond it such a tail is most of the sd
        scale.robust /= clip;
      double mean = 0, square = 0;
      for (std::size_t i = 0; i < all; ++i) {
        const double kept = winsorised(cloud[i][a], scale.median, scale.robust) - scale.median;
        mean += kept / n;
        square += kept * kept / n;
      }
      scale.kept_mean = scale.median + mean;
      scale.kept_sd = std::sqrt(std::max(square - mean * mean, 0.0));
      scale.followed = scale.kept_sd > 0;
    }
    scale_.push_back(scale);
    for (std::size_t i = 0; i < count_; ++i)
      traits(moved[i][a], scale, before_.data() + kinds * (i * columns_ + a));
    double four[kinds];
    for (std::size_t i = 0; i < all; ++i) {
      traits(cloud[i][a], scale, four);
      for (std::size_t t = 0; t < kinds; ++t)
        whole_[kinds * a + t] += four[t] / n;
    }
  }
}

/// Standardised by the cloud, so that errors come out in its sd.
void MoveTest::traits(double value, const Scale& scale, double* four) {
  if (!scale.followed) {
    std::fill_n(four, kinds, 0.0);
    return;
  }
  const double z = (value - scale.mean) / scale.sd;
  four[0] = z;
  four[1] = (winsorised(value, scale.median, scale.robust) - scale.kept_mean) / scale.kept_sd;
  four[2] = z * z;
  four[3] = four[1] * four[1];
}

void MoveTest::add(Rows<const double> values) {
  double four[kinds], *sums = sums_.data();
  for (std::size_t i = 0; i < count_; ++i)
    for (std::size_t a = 0; a < columns_; ++a, sums += kinds) {
      const Scale& scale = scale_[a];
      const double value = values[i][a];
      traits(value, scale, four);
      for (std::size_t t = 0; t < kinds; ++t)
        sums[t] += four[t];
      double* const all = sums_.data() + kinds * count_ * columns_ + pooled * a;
      const double away = std::abs(value - scale.median);
      all[0] += four[0] * four[2];
      all[1] += four[2] * four[2];
      all[2] += away > far_away * scale.unit ? 1 : 0;
      all[3] += away > 2 * far_away * scale.unit ? 1 : 0;
      if (began_far_out(i, a))
        continue;
      all[4] += 1;
      all[5] += four[0];
      all[6] += four[2];
      all[7] += four[0] * four[2];
      all[8] += four[2] * four[2];
    }
  ++added_;
}

void MoveTest::restored() const {
  if (const std::size_t wanted = (kinds * count_ + pooled) * columns_; sums_.size() != wanted)
    reject("move test", std::to_string(wanted) + " sums", std::to_string(sums_.size()));
}

std::vector<double> MoveTest::pooled_means() const {
  std::vector<double> means(columns_);
  const double all = double(count_) * double(std::max<std::uint64_t>(added_, 1));
  for (std::size_t a = 0; a < columns_; ++a) {
    double sum = 0;
    for (std::size_t i = 0; i < count_; ++i)
      sum += sums_[kinds * (i * columns_ + a)];
    means[a] = scale_[a].followed ? scale_[a].mean + scale_[a].sd * sum / all : scale_[a].mean;
  }
  return means;
}

std::vector<double> MoveTest::pooled_sds() const {
  std::vector<double> sds(columns_);
  const double all = double(count_) * double(std::max<std::uint64_t>(added_, 1));
  for (std::size_t a = 0; a < columns_; ++a) {
    double first = 0, second = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      first += sums_[kinds * (i * columns_ + a)];
      second += sums_[kinds * (i * columns_ + a) + 2];
    }
    const double variance = second / all - (first / all) * (first / all);
    sds[a] = scale_[a].followed ? scale_[a].sd * std::sqrt(std::max(variance, 0.0)) : 0.0;
  }
  return sds;
}

double MoveTest::effective(std::size_t column) const {
  constexpr double normal = 3, exponential = 9; // kurtosis; what is winsorised has about the first
  if (!scale_[column].followed || added_ == 0)
    return std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(count_), m = static_cast<double>(added_);
  const bool plain = has_moments(column) && !scale_[column].unread;
  const std::size_t value = plain ? 0 : 1, squared = value + 2;
  const auto average = [&](std::size_t i, std::size_t trait) {
    return sums_[kinds * (i * columns_ + column) + trait] / m;
  };
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    mean += average(i, value) / n;
    square += average(i, squared) / n;
  }
  const double variance = square - mean * mean;
  double of_means = 0, of_variances = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const double own = average(i, squared) - 2 * mean * average(i, value) + mean * mean;
    of_means += std::pow(average(i, value) - mean, 2) / (n - 1);
    of_variances += std::pow(own - variance, 2) / (n - 1);
  }
  const double by_mean = n * variance / of_means;
  if (plain && !judges_squares(column))
    return by_mean;
  const double kurtosis = plain ? pooled_kurtosis(column) : normal;
  const double by_variance = n * (kurtosis - 1) * variance * variance / of_variances;
  return std::min(by_mean, by_variance * std::min(1.0, (exponential - 1) / (kurtosis - 1)));
}

bool MoveTest::drifted() const {
  constexpr double little = 0.05; // in sds of the pool
  constexpr double most_kurtosis_of_drift = 10;
  const auto n = static_cast<double>(count_), m = static_cast<double>(added_);
  const std::vector<double> sds = pooled_sds();
  const double beyond = 1 + moving_errors(3 * columns_); // many columns are skewed
  for (std::size_t a = 0; a < columns_; ++a)
    for (const Trait judged : judged_by(a)) {
      if (judged != Trait::winsorised && has_moments(a) &&
          pooled_kurtosis(a) > most_kurtosis_of_drift)
        continue; // mean and variance of such a column are known too badly
      const std::size_t which = kind(a, judged);
      double mean = 0, squares = 0;
      for (std::size_t i = 0; i < count_; ++i) {
        const std::size_t at = kinds * (i * columns_ + a) + which;
        const double carried = sums_[at] / m - before_[at];
        mean += carried / n;
        squares += carried * carried / n;
      }
      const double se = std::sqrt(std::max(squares - mean * mean, 0.0) / (n - 1));
      const double sd = sds[a] / scale_[a].sd;
      const double unit = which == std::size_t(Trait::value)    ? sd
                          : which == std::size_t(Trait::square) ? 2 * sd * sd
                                                                : 1;
      if (!(std::abs(mean) <= std::max(beyond * se, little * unit)))
        return true;
    }
  return false;
}

Certificate MoveTest::judge(const Bounds& bounds) const { return judge_by(whole_, bounds); }

std::vector<double> MoveTest::means_over(Rows<const double> some, std::size_t all) const {
  if (some.dim != columns_ || some.count == 0)
    reject("cloud", "rows of " + std::to_string(columns_) + " columns",
           std::to_string(some.count) + " of " + std::to_string(some.dim));
  std::vector<double> means(kinds * columns_);
  double four[kinds];
  for (std::size_t i = 0; i < some.count; ++i)
    for (std::size_t a = 0; a < columns_; ++a) {
      traits(some[i][a], scale_[a], four);
      for (std::size_t t = 0; t < kinds; ++t)
        means[kinds * a + t] += four[t] / double(all);
    }
  return means;
}

Certificate MoveTest::judge_other(Rows<const double> cloud, const Bounds& bounds) const {
  return judge_by(means_over(cloud, cloud.count), bounds);
}

} // namespace starling::judge
