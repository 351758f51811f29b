// Hamiltonian Monte Carlo in lock-step over particles.
#include <starling/exact/hmc.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace starling::exact {

namespace {

constexpr std::size_t tuned_on = 64, tuning_rounds = 10, averaged_rounds = 5;
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

/// With what momentum, in what steps and how many of them particles go.
struct Departures {
  Frame::Matrix momentum;
  std::vector<double> step;
  std::vector<std::size_t> leaps;

  Departures(std::size_t count, std::size_t dim)
      : momentum(Eigen::Index(count), Eigen::Index(dim)), step(count), leaps(count) {}
};

/// Where they arrive, row by row.
struct Arrivals {
  Cloud at;
  Frame::Matrix momentum;
  std::vector<double> gain; // the logarithm of the ratio of Metropolis

  bool diverged(std::size_t i) const { return gain[i] < divergence && gain[i] != outside; }
};

// The leaps are made in y, where the log density is that of x = forward(y) plus log |dx/dy|. A
// leapfrog step is  p += e/2 s_y;  y += e p;  p += e/2 s_y.  The two half steps between leaps are
// made apart, so that a particle may stop after any of them.
Arrivals leap(const Cloud& from, const Departures& departures, const Frame& frame,
              CountedDensity& density, const LogDensities& ends, Threads& threads) {
  const std::size_t n = from.count();
  const Eigen::Index d = from.x.cols();
  const auto for_rows = [&](std::size_t count, auto&& work) { // work(first row, rows, their range)
    threads.for_pieces(count, rows_a_piece, [&](std::size_t begin, std::size_t end) {
      work(Eigen::Index(begin), Eigen::Index(end - begin),
           [=](const auto& all) { return all.slice(begin, end); });
    });
  };
  const std::vector<std::size_t> order = longest_first(departures.leaps);
  Cloud at = some_of(from, order);
  Frame::Matrix p(Eigen::Index(n), d), y(Eigen::Index(n), d), slope(Eigen::Index(n), d);
  Eigen::VectorXd step(static_cast<Eigen::Index>(n)), energy(static_cast<Eigen::Index>(n));
  const Rows<double> x = rows_of(at.x), score = rows_of(at.score);
  for_rows(n, [&](Eigen::Index first, Eigen::Index rows, auto&& of) {
    const Frame::Way in = frame.way(frame.inverse(of(x)));
    y.middleRows(first, rows) = in.y;
    slope.middleRows(first, rows) = frame.pull(in, of(score));
    energy.segment(first, rows) = -frame.log_determinant(in);
    for (Eigen::Index row = first; row < first + rows; ++row) {
      const std::size_t i = order[std::size_t(row)];
      p.row(row) = departures.momentum.row(Eigen::Index(i));
      step[row] = departures.step[i];
      energy[row] += 0.5 * p.row(row).squaredNorm() - from.log_density[i];
    }
  });
  std::size_t going = n;
  std::vector<Frame::Way> ways((n + rows_a_piece - 1) / rows_a_piece); // of each piece
  for (std::size_t made = 1; going > 0; ++made) {
    for_rows(going, [&](Eigen::Index first, Eigen::Index rows, auto&&) {
      const auto e = step.segment(first, rows);
      p.middleRows(first, rows) += (0.5 * e).asDiagonal() * slope.middleRows(first, rows);
      y.middleRows(first, rows) += e.asDiagonal() * p.middleRows(first, rows);
      Frame::Way& way = ways[std::size_t(first) / rows_a_piece];
      way = frame.way(y.middleRows(first, rows));
      at.x.middleRows(first, rows) = frame.forward(way);
    });
    density(x.slice(0, going), score.slice(0, going), std::span(at.log_density).first(going));
    for_rows(going, [&](Eigen::Index first, Eigen::Index rows, auto&& of) {
      slope.middleRows(first, rows) =
          frame.pull(ways[std::size_t(first) / rows_a_piece], of(score));
      p.middleRows(first, rows) +=
          (0.5 * step.segment(first, rows)).asDiagonal() * slope.middleRows(first, rows);
    });
    while (going > 0 && departures.leaps[order[going - 1]] <= made)
      --going;
  }
  if (ends)
    ends(x, at.log_density);
  std::vector<std::size_t> row_of(n); // back to the rows that particles came from
  for (std::size_t row = 0; row < n; ++row)
    row_of[order[row]] = row;
  Arrivals arrivals{some_of(at, row_of), Frame::Matrix(Eigen::Index(n), d), std::vector<double>(n)};
  for_rows(n, [&](Eigen::Index first, Eigen::Index rows, auto&&) {
    const Eigen::VectorXd ended = frame.log_determinant(y.middleRows(first, rows));
    for (Eigen::Index row = first; row < first + rows; ++row) {
      const std::size_t i = order[std::size_t(row)];
      const double density_there = at.log_density[std::size_t(row)];
      const double change =
          energy[row] - (0.5 * p.row(row).squaredNorm() - density_there - ended[row - first]);
      arrivals.momentum.row(Eigen::Index(i)) = p.row(row);
      arrivals.gain[i] = std::isfinite(density_there) && change == change ? change : outside;
    }
  });
  return arrivals;
}

void put_row(const Cloud& from, std::size_t row, Cloud& walkers, std::size_t i) {
  walkers.x.row(Eigen::Index(i)) = from.x.row(Eigen::Index(row));
  walkers.score.row(Eigen::Index(i)) = from.score.row(Eigen::Index(row));
  walkers.log_density[i] = from.log_density[row];
}

/// The walkers of `refused`, whose first try diverged, go the same way again in shorter steps. The
/// way back would need a second try as well: a first one is made from the other end too, and where
/// that does not diverge, the walker stays (delayed rejection: Green and Mira, 2001).
void try_again(Cloud& walkers, const std::vector<std::size_t>& refused,
               const Departures& departures, const std::vector<double>& gain, const Frame& frame,
               double shorter, CountedDensity& density, const Philox& philox, Step move,
               const LogDensities& ends, Threads& threads) {
  const auto rejection = [](double of_gain) { return 1 - probability(of_gain); };
  Departures again(refused.size(), walkers.dim());
  for (std::size_t k = 0; k < refused.size(); ++k) {
    again.momentum.row(Eigen::Index(k)) = departures.momentum.row(Eigen::Index(refused[k]));
    again.step[k] = shorter * departures.step[refused[k]];
    again.leaps[k] = std::size_t(std::ceil(double(departures.leaps[refused[k]]) / shorter));
  }
  const Arrivals second = leap(some_of(walkers, refused), again, frame, density, ends, threads);
  std::vector<std::size_t> likely;
  std::vector<double> least(refused.size()); // probability that the first try back is refused
  for (std::size_t k = 0; k < refused.size(); ++k) {
    least[k] = uniform(philox(Stream::leap, move, second.at.id[k], 2)) *
               rejection(gain[refused[k]]) / std::exp(second.gain[k]);
    if (least[k] < 1)
      likely.push_back(k);
  }
  Departures back(likely.size(), walkers.dim());
  for (std::size_t k = 0; k < likely.size(); ++k) {
    back.momentum.row(Eigen::Index(k)) = -second.momentum.row(Eigen::Index(likely[k]));
    back.step[k] = departures.step[refused[likely[k]]];
    back.leaps[k] = departures.leaps[refused[likely[k]]];
  }
  const Arrivals first_back = leap(some_of(second.at, likely), back, frame, density, ends, threads);
  for (std::size_t k = 0; k < likely.size(); ++k)
    if (first_back.diverged(k) && least[likely[k]] < rejection(first_back.gain[k]))
      put_row(second.at, likely[k], walkers, refused[likely[k]]);
}

Counted move_together(Cloud& walkers, const Frame& frame, const Stride& stride,
                      CountedDensity& density, std::uint64_t seed, Step move,
                      const LogDensities& ends, Threads& threads) {
  const Philox philox(seed);
  const std::size_t n = walkers.count();
  Departures departures(n, walkers.dim());
  for_walkers(walkers, threads, [&](std::size_t i) {
    draw_momentum(walkers, philox, move, i, departures.momentum);
    departures.step[i] = stride.step;
    departures.leaps[i] = 1 + std::size_t(uniform(philox(Stream::leap, move, walkers.id[i])) *
                                          double(stride.most_leaps));
  });
  const Arrivals first = leap(walkers, departures, frame, density, ends, threads);
  std::vector<std::uint8_t> accepted(n);
  for_walkers(walkers, threads, [&](std::size_t i) {
    accepted[i] =
        uniform(philox(Stream::leap, move, walkers.id[i], 1)) < probability(first.gain[i]);
    if (accepted[i])
      put_row(first.at, i, walkers, i);
  });
  Counted counted{.of = n};
  std::vector<std::size_t> refused; // of those who diverged, all but one in many millions
  for (std::size_t i = 0; i < n; ++i) {
    counted.accepted += probability(first.gain[i]);
    counted.diverged += first.diverged(i);
    if (first.diverged(i) && !accepted[i])
      refused.push_back(i);
  }
  if (stride.shorter > 0 && !refused.empty())
    try_again(walkers, refused, departures, first.gain, frame, stride.shorter, density, philox,
              move, ends, threads);
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
  stride.shorter = 0;
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
