// Kernel Stein discrepancy over the pairs of batches: 0 when the cloud is a sample of pi.
#pragma once

#include <starling/batches.hpp>
#include <starling/kernel/bandwidth.hpp>
#include <starling/rows.hpp>
#include <starling/threads.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace starling {

/// All that the Stein kernel needs of two particles.
struct SteinPair {
  double r2;     // |x - y|^2
  double across; // (s_x - s_y).(x - y)
  double both;   // s_x.s_y
};

/// Rows longer than this are summed in vectors, block by block.
inline constexpr std::size_t stein_long = 4096;

template <typename Real>
SteinPair stein_pair(Rows<const Real> x, Rows<const Real> score, std::size_t i, std::size_t j) {
  SteinPair pair{0, 0, 0};
  const std::size_t body = x.dim > stein_long ? x.dim : 0;
  constexpr std::size_t block = 1024;
  for (std::size_t a = 0; a < body; a += block) {
    const auto at = [&](Rows<const Real> rows, std::size_t row) {
      return Eigen::Map<const Eigen::Array<Real, Eigen::Dynamic, 1>>(
          rows[row].data() + a, Eigen::Index(std::min(block, x.dim - a)));
    };
    const auto xi = at(x, i), xj = at(x, j), si = at(score, i), sj = at(score, j);
    pair.r2 += static_cast<double>((xi - xj).square().sum());
    pair.across += static_cast<double>(((si - sj) * (xi - xj)).sum());
    pair.both += static_cast<double>((si * sj).sum());
  }
  for (std::size_t a = body; a < x.dim; ++a) {
    const double delta = static_cast<double>(x[i][a]) - static_cast<double>(x[j][a]);
    const double sx = static_cast<double>(score[i][a]), sy = static_cast<double>(score[j][a]);
    pair.r2 += delta * delta;
    pair.across += (sx - sy) * delta;
    pair.both += sx * sy;
  }
  return pair;
}

/// A kernel k = f(r2) with its first two derivatives in r2.
struct Profile {
  double f, slope, bend;
};
/// k = exp(-r2 / 2h).
inline Profile gaussian_profile(double r2, double h) {
  const double f = std::exp(-r2 / (2 * h));
  return {f, -f / (2 * h), f / (4 * h * h)};
}
/// k = (1 + r2 / 2h)^(-1/2): of long range, so it sees particles that have strayed.
inline Profile multiquadric_profile(double r2, double h) {
  const double base = 1 + r2 / (2 * h), f = 1 / std::sqrt(base), slope = -f / (4 * h * base);
  return {f, slope, -3 * slope / (4 * h * base)};
}

/// k_pi = div_x div_y k + s_x . grad_y k + s_y . grad_x k + k s_x . s_y, where
/// grad_y k = -2 f' (x - y), grad_x k = 2 f' (x - y), div_x div_y k = -2 d f' - 4 r2 f''.
inline double stein_kernel(const SteinPair& pair, std::size_t dim, const Profile& k) {
  return -2 * static_cast<double>(dim) * k.slope - 4 * pair.r2 * k.bend -
         2 * k.slope * pair.across + k.f * pair.both;
}

struct Discrepancy {
  double value = std::numeric_limits<double>::quiet_NaN(); ///< squared; NaN where there is no pair
  double se = std::numeric_limits<double>::quiet_NaN();    ///< its standard error
};

/// Mean of a symmetric function of two particles over the pairs inside batches, a U-statistic, with
/// its standard error. Two pairs that share a particle are not independent, so the error is not
/// that of as many separate values: with v the variance over pairs, and u the variance over
/// particles of the mean over the partners,
///     se^2 = v / pairs + (4 / particles) max(0, u - v / partners)
/// which is Hoeffding's formula. For batches of two u = v, and the second term is zero. On exact
/// draws it is zero in truth too, but not its estimate: in one large batch se^2 then is up to twice
/// too large.
class PairMean {
public:
  /// The next batch, of that many members.
  void begin(std::size_t members) { sums_.assign(members, 0.0); }
  void add(std::size_t i, std::size_t j, double value) {
    sums_[i] += value;
    sums_[j] += value;
    sum_ += value;
    squares_ += value * value;
    ++pairs_;
  }
  void end() {
    for (const double sum : sums_) {
      const double mean = sum / static_cast<double>(sums_.size() - 1);
      row_squares_ += mean * mean;
    }
    rows_ += sums_.size();
  }

  /// A batch of two, which has one pair: the same sums.
  void add_two(double value) {
    const double own = 0.0 + value; // of either member
    sum_ += value;
    squares_ += value * value;
    row_squares_ += own * own;
    row_squares_ += own * own;
    ++pairs_;
    rows_ += 2;
  }

  Discrepancy result() const {
    if (pairs_ == 0)
      return {};
    const auto pairs = static_cast<double>(pairs_), rows = static_cast<double>(rows_);
    const double mean = sum_ / pairs, v = std::max(0.0, squares_ / pairs - mean * mean);
    const double u = row_squares_ / rows - mean * mean, partners = 2 * pairs / rows;
    return {mean, std::sqrt(v / pairs + 4 / rows * std::max(0.0, u - v / partners))};
  }

private:
  std::vector<double> sums_; // of each member of the batch, over its partners
  double sum_ = 0, squares_ = 0, row_squares_ = 0;
  std::size_t pairs_ = 0, rows_ = 0;
};

/// Squared discrepancies, with both kernels.
struct SteinDiscrepancies {
  Discrepancy multiquadric, gaussian;
};

/// What a measurement fills and nobody reads afterwards. Those who measure often keep it, else the
/// system clears it anew each time.
struct SteinRoom {
  struct Values {
    double multiquadric, gaussian;
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> who;
  std::vector<std::size_t> members; // of each batch
  UnwrittenColumn<SteinPair> pairs;
  std::vector<double> squared;
  UnwrittenColumn<Values> values;

  /// Adds up the values of one kernel, batch by batch, in their order.
  Discrepancy mean_of(double Values::*kernel) const {
    PairMean mean;
    auto value = values.begin();
    for (const std::size_t count : members) {
      if (count == 2) {
        mean.add_two(*value++.*kernel);
        continue;
      }
      mean.begin(count);
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < i; ++j)
          mean.add(i, j, *value++.*kernel);
      mean.end();
    }
    return mean.result();
  }
};

/// From the pairs already formed: of each batch, and of the batches, as many as make `most_pairs`.
/// The bandwidth is such that 2h is the squared median distance of (up to 2000 of) these pairs.
/// Pairs are measured on all threads and added in their order.
template <typename Real>
SteinDiscrepancies stein_discrepancy(Rows<const Real> x, Rows<const Real> score,
                                     const Batches& batches, std::size_t most_pairs,
                                     Threads& threads, SteinRoom& room) {
  auto& who = room.who;
  auto& members = room.members;
  auto& pairs = room.pairs;
  auto& squared = room.squared;
  auto& values = room.values;
  // m members make m(m-1)/2 pairs; at least two, so that there is a pair
  const auto most_members = std::max<std::size_t>(
      2, static_cast<std::size_t>((1 + std::sqrt(1 + 8 * static_cast<double>(most_pairs))) / 2));
  who.clear();
  who.reserve(most_pairs + most_members);
  members.clear();
  for (std::size_t q = 0; q < batches.count() && (q == 0 || who.size() < most_pairs); ++q) {
    const auto batch = batches[q].first(std::min(batches[q].size(), most_members));
    if (batch.size() < 2)
      continue;
    members.push_back(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        who.emplace_back(batch[i], batch[j]);
  }
  pairs.resize(who.size());
  const std::size_t grain = 1 + 4096 / (x.dim + 16); // pairs, some ten microseconds
  threads.for_pieces(who.size(), grain, [&](std::size_t begin, std::size_t end) {
    constexpr std::size_t ahead =
        8; // pairs whose rows, which may be anywhere, are asked for before their turn
    for (std::size_t m = begin; m < end; ++m) {
      if (m + ahead < end)
        for (const std::size_t i : {who[m + ahead].first, who[m + ahead].second}) {
          __builtin_prefetch(x[i].data());
          __builtin_prefetch(score[i].data());
        }
      pairs[m] = stein_pair(x, score, who[m].first, who[m].second);
    }
  });

  squared.clear();
  for (std::size_t m = 0; m < pairs.size(); m += 1 + pairs.size() / 2000)
    squared.push_back(pairs[m].r2);
  // bandwidth_of answers med^2 / (2 log N)
  const double h = kernel::bandwidth_of(std::span(squared), x.count, kernel::ranked<double>) *
                   std::log(static_cast<double>(x.count));
  values.resize(pairs.size());
  threads.for_pieces(pairs.size(), 128, [&](std::size_t begin, std::size_t end) {
    for (std::size_t m = begin; m < end; ++m)
      values[m] = {stein_kernel(pairs[m], x.dim, multiquadric_profile(pairs[m].r2, h)),
                   stein_kernel(pairs[m], x.dim, gaussian_profile(pairs[m].r2, h))};
  });
  SteinDiscrepancies found;
  threads.for_pieces(2, pairs.size() < 4096 ? 2 : 1, [&](std::size_t begin, std::size_t end) {
    if (begin == 0)
      found.multiquadric = room.mean_of(&SteinRoom::Values::multiquadric);
    if (end == 2)
      found.gaussian = room.mean_of(&SteinRoom::Values::gaussian);
  });
  return found;
}

template <typename Real>
SteinDiscrepancies stein_discrepancy(Rows<const Real> x, Rows<const Real> score,
                                     const Batches& batches, std::size_t most_pairs,
                                     Threads& threads = Threads::alone()) {
  SteinRoom room;
  return stein_discrepancy(x, score, batches, most_pairs, threads, room);
}

} // namespace starling
