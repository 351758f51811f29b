// Hamiltonian Monte Carlo in lock-step over particles.
#include <starling/exact/hmc.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace starling::exact {

namespace {

constexpr std::size_t tuned_on = 128, tuning_rounds = 10, averaged_rounds = 5;
constexpr double at_walls = 0.3;             // of the moves, at most, that leave the support
constexpr Step tuning_moves = Step{1} << 40; // addresses no run of moves reaches
constexpr std::size_t least_together = 4096, numbers_together = std::size_t{1} << 18;
constexpr std::size_t rows_a_piece = 1024; // of a frame's products
constexpr double divergence = -20;         // log probability of acceptance, at most

/// Calls one(i) for every walker, shared out: what each of them does for itself.
template <typename One>
void for_walkers(const Cloud& walkers, Threads& threads, One&& one) {
  const std::size_t together = std::max<std::size_t>(8, 512 / walkers.dim());
  threads.for_pieces(walkers.count(), together, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      one(i);
  });
}

void draw_momentum(const Cloud& walkers, const Philox& philox, Step move, std::size_t i,
                   Frame::Matrix& p) {
  const std::size_t d = walkers.dim(), blocks = (d + 1) / 2; // two coordinates share one
  for (std::size_t a = 0; a < d; a += 2) {
    const auto pair = normal_pair(philox(Stream::momentum, move, walkers.id[i] * blocks + a / 2));
    p(Eigen::Index(i), Eigen::Index(a)) = pair[0];
    if (a + 1 < d)
      p(Eigen::Index(i), Eigen::Index(a + 1)) = pair[1];
  }
}

/// Who goes longest comes first, those who go equally long as they stand: so those who still go are
/// always the first rows.
std::vector<std::size_t> longest_first(const std::vector<std::size_t>& length) {
  const std::size_t most = length.empty() ? 0 : *std::ranges::max_element(length);
  std::vector<std::size_t> next(most + 2),
      order(length.size()); // next: places taken by those who go longer
  for (const std::size_t one : length)
    ++next[most - one + 1];
  for (std::size_t shorter = 1; shorter < next.size(); ++shorter)
    next[shorter] += next[shorter - 1];
  for (std::size_t i = 0; i < length.size(); ++i)
    order[next[most - length[i]]++] = i;
  return order;
}

/// Sums over the moves of a full step.
struct Counted {
  double accepted = 0;
  std::size_t diverged = 0, of = 0;

  Counted& operator+=(const Counted& more) {
    accepted += more.accepted;
    diverged += more.diverged;
    of += more.of;
    return *this;
  }
};

constexpr double outside = -std::numeric_limits<double>::infinity(); // of the support

/// Of acceptance; `gain` is the logarithm of the ratio of Metropolis.
double probability(double gain) { return std::min(1.0, std::exp(gain)); }

// Moves are made in y, where the log density is that of x = forward(y) plus log |dx/dy|. A leapfrog
// step is  p += e/2 s_y;  y += e p;  p += e/2 s_y.  The two half steps between leaps are made
// apart, so that a particle may stop after any of them.
Counted move_together(Cloud& walkers, const Frame& frame, const Stride& stride,
                      CountedDensity& density, std::uint64_t seed, Step move,
                      const LogDensities& ends, Threads& threads) {
  const Philox philox(seed);
  const std::size_t n = walkers.count();
  const Eigen::Index d = walkers.x.cols();
  Frame::Matrix p(Eigen::Index(n), d);
  std::vector<double> energy(n), step(n);
  std::vector<std::size_t> length(n);
  for_walkers(walkers, threads, [&](std::size_t i) {
    draw_momentum(walkers, philox, move, i, p);
    const Block bits = philox(Stream::leap, move, walkers.id[i]);
    length[i] = 1 + std::size_t(uniform(bits, 0) * double(stride.most_leaps));
    step[i] = stride.step * (uniform(bits, 1) < stride.short_share ? stride.short_step : 1.0);
    energy[i] = 0.5 * p.row(Eigen::Index(i)).squaredNorm() - walkers.log_density[i];
  });
  const std::vector<std::size_t> order = longest_first(length);
  Frame::Matrix x(Eigen::Index(n), d), score(Eigen::Index(n), d), momentum(Eigen::Index(n), d);
  Eigen::VectorXd e(static_cast<Eigen::Index>(n));
  std::vector<double> log_density(n);
  for_walkers(walkers, threads, [&](std::size_t r) {
    const auto i = Eigen::Index(order[r]), row = Eigen::Index(r);
    x.row(row) = walkers.x.row(i);
    score.row(row) = walkers.score.row(i);
    momentum.row(row) = p.row(i);
    e[row] = step[order[r]];
    log_density[r] = walkers.log_density[order[r]];
  });
  const Rows<double> all_scores = rows_of(score), all_x = rows_of(x);
  const auto for_rows = [&](std::size_t count, auto&& work) { // work(first row, rows, their range)
    threads.for_pieces(count, rows_a_piece, [&](std::size_t begin, std::size_t end) {
      work(Eigen::Index(begin), Eigen::Index(end - begin),
           [=](const auto& all) { return all.slice(begin, end); });
    });
  };
  Frame::Matrix y(Eigen::Index(n), d), slope(Eigen::Index(n), d);
  Eigen::VectorXd began(static_cast<Eigen::Index>(n)), ended(static_cast<Eigen::Index>(n));
  for_rows(n, [&](Eigen::Index first, Eigen::Index rows, auto&& of) {
    const Frame::Matrix in = frame.inverse(of(all_x));
    y.middleRows(first, rows) = in;
    slope.middleRows(first, rows) = frame.pull(in, of(all_scores));
    began.segment(first, rows) = frame.log_determinant(in);
  });
  std::size_t going = n;
  for (std::size_t leap = 1; going > 0; ++leap) {
    for_rows(going, [&](Eigen::Index first, Eigen::Index rows, auto&&) {
      const auto leaps = e.segment(first, rows);
      momentum.middleRows(first, rows) +=
          (0.5 * leaps).asDiagonal() * slope.middleRows(first, rows);
      const Frame::Matrix to =
          y.middleRows(first, rows) + leaps.asDiagonal() * momentum.middleRows(first, rows);
      y.middleRows(first, rows) = to;
      x.middleRows(first, rows) = frame.forward(to);
    });
    density(all_x.slice(0, going), all_scores.slice(0, going), std::span(log_density).first(going));
    for_rows(going, [&](Eigen::Index first, Eigen::Index rows, auto&& of) {
      slope.middleRows(first, rows) = frame.pull(y.middleRows(first, rows), of(all_scores));
      momentum.middleRows(first, rows) +=
          (0.5 * e.segment(first, rows)).asDiagonal() * slope.middleRows(first, rows);
    });
    while (going > 0 && length[order[going - 1]] <= leap)
      --going;
  }
  for_rows(n, [&](Eigen::Index first, Eigen::Index rows, auto&&) {
    ended.segment(first, rows) = frame.log_determinant(y.middleRows(first, rows));
  });
  if (ends)
    ends(rows_of(std::as_const(x)), log_density);
  std::vector<double>& gain = energy; // in whose place: log of the ratio that decides
  for_walkers(walkers, threads, [&](std::size_t r) {
    const std::size_t i = order[r];
    const auto row = Eigen::Index(r), to = Eigen::Index(i);
    const double change = energy[i] - began[row] -
                          (0.5 * momentum.row(row).squaredNorm() - log_density[r] - ended[row]);
    gain[i] = std::isfinite(log_density[r]) && change == change ? change : outside;
    if (uniform(philox(Stream::leap, move, walkers.id[i], 1)) >= probability(gain[i]))
      return;
    walkers.x.row(to) = x.row(row);
    walkers.score.row(to) = score.row(row);
    walkers.log_density[i] = log_density[r];
  });
  Counted counted;
  for (const std::size_t i : order)
    if (step[i] == stride.step) {
      counted.accepted += probability(gain[i]);
      counted.diverged += gain[i] < divergence && gain[i] != outside ? 1 : 0;
      ++counted.of;
    }
  return counted;
}

} // namespace

Moved move(Cloud& walkers, const Frame& frame, const Stride& stride, CountedDensity& density,
           std::uint64_t seed, Step move, const LogDensities& ends, Threads& threads) {
  const std::size_t n = walkers.count();
  const std::size_t together = std::max(least_together, numbers_together / walkers.dim());
  Counted counted;
  if (n <= together)
    counted = move_together(walkers, frame, stride, density, seed, move, ends, threads);
  for (std::size_t begin = 0; n > together && begin < n; begin += together) {
    Cloud some = slice(walkers, begin, std::min(n, begin + together));
    counted += move_together(some, frame, stride, density, seed, move, ends, threads);
    put(some, walkers, begin);
  }
  if (counted.of == 0)
    return {};
  const auto of = double(counted.of);
  return {counted.accepted / of, double(counted.diverged) / of};
}

double tune(const Cloud& walkers, const Frame& frame, Stride stride, double acceptance,
            CountedDensity& density, std::uint64_t seed, std::uint64_t use) {
  Cloud few = evenly(walkers, tuned_on);
  stride.short_share = 0;
  double log_step = std::log(stride.step), sum = 0;
  for (std::size_t round = 0; round < tuning_rounds; ++round) {
    stride.step = std::exp(log_step);
    const std::uint64_t zero = density.failures().zero, asked = density.gradients();
    const double seen =
        move(few, frame, stride, density, seed, tuning_moves + 64 * use + round).accepted;
    // What leaves the support is refused at any step: near a wall only short ways, which hardly
    // move, would be accepted as often as elsewhere.
    const double outside = double(density.failures().zero - zero) /
                           double(std::max<std::uint64_t>(1, density.gradients() - asked));
    const double inside = std::min(seen / std::max(1 - outside, 1e-3), seen + at_walls);
    log_step += (inside - acceptance) * (round < 4 ? 1.5 : 0.75);
    if (round + averaged_rounds >= tuning_rounds)
      sum += log_step;
  }
  return std::exp(sum / double(averaged_rounds));
}

} // namespace starling::exact
