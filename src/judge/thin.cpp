// Stein thinning: the greedy choice, in blocks of rows that stay in the cache.
#include <starling/judge/thin.hpp>

#include <starling/error.hpp>
#include <starling/frame.hpp>
#include <starling/observe/stein.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace starling::judge {

namespace {

constexpr std::size_t block = 512;           // rows a turn: five arrays of it are 20 kB
constexpr std::size_t most_for_dense = 500;  // dimensions with a full covariance, as in a run
constexpr std::size_t most_distances = 2000; // for the median
constexpr std::size_t exchanges = 2;         // passes over the chosen; more change little
constexpr std::size_t most_kept = 1 << 25;   // numbers of the chosen ones' kernels: 256 MB

bool finite(std::span<const double> row) {
  return std::ranges::all_of(row, [](double v) { return std::isfinite(v); });
}

/// Positions and scores in the frame of the cloud, a column for each coordinate.
class Cloud {
public:
  Cloud(Rows<const double> x, Rows<const double> score) {
    for (std::size_t i = 0; i < x.count; ++i)
      if (finite(x[i]) && finite(score[i]))
        rows_.push_back(i);
    count_ = rows_.size();
    dim_ = x.dim;
    const auto n_rows = static_cast<Eigen::Index>(count_),
               n_columns = static_cast<Eigen::Index>(dim_);
    Frame::Matrix kept(n_rows, n_columns), scores(n_rows, n_columns);
    for (std::size_t n = 0; n < count_; ++n)
      for (std::size_t a = 0; a < dim_; ++a) {
        kept(Eigen::Index(n), Eigen::Index(a)) = x[rows_[n]][a];
        scores(Eigen::Index(n), Eigen::Index(a)) = score[rows_[n]][a];
      }
    const Frame::Matrix& all = kept;
    Frame frame(dim_);
    if (dim_ > 0 && count_ > 1) {
      frame = frame.refreshed(rows_of(all)); // first the scales, then the correlations
      if (dim_ <= most_for_dense)
        frame = frame.densely().refreshed(rows_of(all));
    }
    y_ = frame.inverse(rows_of(all));
    s_ = frame.pull(rows_of(std::as_const(scores)));
    h_ = half_squared_median();
  }

  std::size_t count() const { return count_; }
  std::size_t row(std::size_t n) const { return rows_[n]; }

  /// k_pi(y_m, y_n) for n in [begin, end), at most a block of them.
  void against(std::size_t m, std::size_t begin, std::size_t end, double* values) const {
    std::array<double, block> r2{}, across{}, both{};
    const auto first = Eigen::Index(begin);
    for (Eigen::Index a = 0; a < Eigen::Index(dim_); ++a) {
      const double *y = &y_(first, a), *s = &s_(first, a);
      const double own = y_(Eigen::Index(m), a), slope = s_(Eigen::Index(m), a);
      for (std::size_t n = 0; n < end - begin; ++n) {
        const double delta = own - y[n];
        r2[n] += delta * delta;
        across[n] += (slope - s[n]) * delta;
        both[n] += slope * s[n];
      }
    }
    for (std::size_t n = 0; n < end - begin; ++n)
      values[n] = stein_kernel({r2[n], across[n], both[n]}, dim_, multiquadric_profile(r2[n], h_));
  }
  double pair(std::size_t m, std::size_t n) const {
    double value = 0;
    against(m, n, n + 1, &value);
    return value;
  }

private:
  using Columns = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;

  /// Of each row to the one half of all rows on: particles have no order, so these are any pairs.
  double half_squared_median() const {
    std::vector<double> squared;
    const std::size_t stride = 1 + count_ / most_distances;
    for (std::size_t n = 0; n < count_; n += stride) {
      const auto i = Eigen::Index(n), j = Eigen::Index((n + count_ / 2) % count_);
      if (i != j)
        squared.push_back((y_.row(i) - y_.row(j)).squaredNorm());
    }
    if (squared.empty())
      return 1;
    const auto middle =
        kernel::ranked<double>(squared, (squared.size() - 1) / 2, squared.size() / 2);
    const double h = (middle.lower + middle.upper) / 4;
    return h > 0 ? h : 1;
  }

  std::vector<std::size_t> rows_; // those with numbers in them
  std::size_t count_ = 0, dim_ = 0;
  Columns y_, s_;
  double h_ = 1;
};

/// The best row of a piece.
struct Best {
  double cost = std::numeric_limits<double>::infinity();
  std::size_t row = 0;
};

} // namespace

Thinned thin(Rows<const double> x, Rows<const double> score, std::size_t count, bool weigh,
             Threads& threads) {
  if (count == 0)
    reject("to", "at least 1", "0");
  if (x.count != score.count || x.dim != score.dim)
    reject("scores", "of the shape of the positions", "another");
  const Cloud cloud(x, score);
  const std::size_t n = cloud.count();
  if (count > n)
    reject("to", "at most the number of particles with finite scores, " + std::to_string(n),
           std::to_string(count));

  // cost of row i: k(i, i)/2 + sum over the chosen c of k(c, i); the least makes w^T K w least.
  std::vector<double> cost(n);
  threads.for_pieces(n, block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      cost[i] = cloud.pair(i, i) / 2;
  });
  Thinned thinned;
  double diagonal = 0;
  for (const double half : cost)
    diagonal += 2 * half / static_cast<double>(n);
  thinned.of_independent = std::sqrt(diagonal / static_cast<double>(count));
  thinned.of_all = std::sqrt(diagonal / static_cast<double>(n));

  std::vector<Best> best((n + block - 1) / block);
  std::vector<std::size_t> chosen;
  std::vector<char> is_chosen(n); // not again
  const auto look_for_best = [&](std::size_t begin, std::size_t end) {
    Best least;
    for (std::size_t i = begin; i < end; ++i)
      if (!is_chosen[i] && cost[i] < least.cost)
        least = {cost[i], i};
    best[begin / block] = least;
  };
  threads.for_pieces(n, block, look_for_best);
  const bool exchanged =
      count > 1 && count <= most_kept / n; // for that the chosen ones' kernels are kept
  std::vector<std::vector<double>> kept(exchanged ? count : 1, std::vector<double>(n));
  const auto evaluate = [&](std::size_t row, std::vector<double>& values) {
    threads.for_pieces(n, block, [&](std::size_t begin, std::size_t end) {
      cloud.against(row, begin, end, &values[begin]);
    });
  };
  const auto add = [&](const std::vector<double>& values, double sign) {
    threads.for_pieces(n, block, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        cost[i] += sign * values[i];
      look_for_best(begin, end);
    });
  };
  const auto best_row = [&] {
    return std::ranges::min_element(best, {}, &Best::cost)->row;
  }; // the first of equals
  while (chosen.size() < count) {
    std::vector<double>& values = kept[exchanged ? chosen.size() : 0];
    chosen.push_back(best_row());
    is_chosen[chosen.back()] = true;
    evaluate(chosen.back(), values);
    add(values, 1);
  }
  // The first were chosen when there were few: each is taken back and the best row put in its
  // place, which may be itself.
  for (std::size_t pass = 0; exchanged && pass < exchanges; ++pass)
    for (std::size_t c = 0; c < count; ++c) {
      is_chosen[chosen[c]] = false;
      add(kept[c], -1);
      if (const std::size_t other = best_row(); other != chosen[c])
        evaluate(chosen[c] = other, kept[c]);
      is_chosen[chosen[c]] = true;
      add(kept[c], 1);
    }

  std::vector<double> k(count * count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      k[i * count + j] = k[j * count + i] = cloud.pair(chosen[i], chosen[j]);
  thinned.weights =
      weigh ? stein_weights(k, count) : std::vector<double>(count, 1 / static_cast<double>(count));
  double square = 0;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j)
      square += thinned.weights[i] * thinned.weights[j] * k[i * count + j];
  thinned.discrepancy = std::sqrt(std::max(0.0, square));
  for (const std::size_t i : chosen)
    thinned.chosen.push_back(cloud.row(i));
  return thinned;
}

} // namespace starling::judge
