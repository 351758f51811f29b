// What the live page shows: two flocks and a default run on one target, its density on a grid, and
// how far from it they are.
#pragma once

#include "default_run.hpp"
#include "flock.hpp"

#include <starling/judge/by_balance.hpp>
#include <starling/observe/balance.hpp>
#include <starling/observe/stein.hpp>

#include <array>
#include <memory>
#include <numbers>
#include <string>

namespace live {

inline constexpr std::size_t grid_side = 160, directions = 16, reference_points = 4096;

/// What the last look at a flock found.
struct Seen {
  std::vector<starling::judge::TraceRow> trace;
  std::string verdict, sentence;
  double ksd = NAN, ksd_se = NAN, distance = NAN, shift = NAN, least = NAN, most = NAN, sd = NAN,
         mean = NAN;
};

/// All that the page sees.
struct World {
  Shape shape;
  double reach = 5;
  std::array<std::unique_ptr<Flock>, 2> flocks;
  std::unique_ptr<DefaultRun> default_run;
  std::array<Seen, 3> seen; // the last: of the default run
  std::array<Choice, 2> choices;
  std::vector<double> grid, drawn; // density for the picture; log density by hand
  std::vector<std::vector<double>>
      reference; // sorted projections of draws of the target, one list a direction
  std::vector<Code> program;
  std::vector<float> out;
  std::string said, stage;
};

inline World& world() {
  static World one;
  return one;
}

inline Shape shape_of(int which) {
  switch (which) {
  case 1:
    return {2, [m = three()](std::span<const double> x, std::span<double> s) { return m(x, s); }};
  case 2:
    return {2, starling::Banana<double>(0.5, 1)};
  case 3:
    return {2, starling::Funnel<double>(2, 1.5)};
  case 4:
    return ring(2.5, 0.35);
  case 5:
    return {2, Drawn(world().drawn, grid_side, 5)};
  case 6:
    return formula(world().program);
  default:
    return {1, [m = starling::Mixture<double>::paper()](std::span<const double> x,
                                                        std::span<double> s) { return m(x, s); }};
  }
}

inline double direction_of(std::size_t k, int axis) {
  const double angle = std::numbers::pi * double(k) / double(directions);
  return axis == 0 ? std::cos(angle) : std::sin(angle);
}

/// The density on the picture's grid, and draws of it, each from its own share of the whole: even,
/// so few suffice.
inline void look_at_target() {
  World& w = world();
  const bool plane = w.shape.own == 2;
  const std::size_t side = plane ? grid_side : 4096, rows = plane ? side : 1;
  w.grid.assign(side * rows, 0);
  std::vector<double> slope(2);
  double top = -INFINITY;
  const auto place = [&](double i) { return w.reach * (2 * (i + 0.5) / double(side) - 1); };
  for (std::size_t j = 0; j < rows; ++j)
    for (std::size_t i = 0; i < side; ++i) {
      const double x[2] = {place(double(i)), place(double(j))};
      const double value = w.shape.at(std::span<const double>(x, w.shape.own), slope);
      w.grid[j * side + i] = value;
      if (std::isfinite(value))
        top = std::max(top, value);
    }
  double total = 0;
  for (double& value : w.grid)
    total += value = std::isfinite(value) && std::isfinite(top) ? std::exp(value - top) : 0;
  w.reference.assign(plane ? directions : 1, {});
  const starling::Philox philox(1);
  double below = 0;
  std::size_t drawn = 0;
  for (std::size_t n = 0; n < w.grid.size() && total > 0; ++n) {
    below += w.grid[n];
    for (; drawn < reference_points && below >= total * (double(drawn) + 0.5) / reference_points;
         ++drawn) {
      const auto bits = philox(starling::Stream::user, 0, drawn); // somewhere in the cell
      const double x = place(double(n % side) + starling::uniform(bits, 0) - 0.5);
      const double y = plane ? place(double(n / side) + starling::uniform(bits, 1) - 0.5) : 0;
      for (std::size_t k = 0; k < w.reference.size(); ++k)
        w.reference[k].push_back(direction_of(k, 0) * x + direction_of(k, 1) * y);
    }
  }
  for (auto& list : w.reference)
    std::sort(list.begin(), list.end());
}

/// The mean over directions of the distance W1 between the projections of cloud and target.
inline double distance_of(starling::Rows<const double> x) {
  const World& w = world();
  const std::size_t count = x.count;
  std::vector<double> along(count);
  double sum = 0;
  for (std::size_t k = 0; k < w.reference.size(); ++k) {
    for (std::size_t i = 0; i < count; ++i)
      along[i] =
          direction_of(k, 0) * x[i][0] + (w.shape.own == 2 ? direction_of(k, 1) * x[i][1] : 0);
    std::sort(along.begin(), along.end());
    const auto& exact = w.reference[k];
    for (std::size_t m = 0; m < exact.size(); ++m)
      sum += std::abs(exact[m] - along[std::min(count - 1, m * count / exact.size())]) /
             double(exact.size());
  }
  return sum / double(w.reference.size());
}

/// What is seen of a cloud at one time: how far it is from the target, identities, discrepancy over
/// the pairs of some particles. Answers the balance of each coordinate.
inline std::vector<starling::Balance> look_at(starling::Rows<const double> x, Seen& seen) {
  const std::size_t dim = x.dim, count = x.count;
  std::vector<double> score(count * dim);
  for (std::size_t i = 0; i < count; ++i)
    world().shape.everywhere(x[i], std::span<double>(score).subspan(i * dim, dim));
  const starling::Rows<const double> s{score.data(), count, dim};
  const auto balances = starling::balance<double>(x, s);
  seen.shift = 0, seen.least = INFINITY, seen.most = -INFINITY;
  for (const auto& one : balances) {
    seen.shift = std::max(seen.shift, std::abs(one.shift));
    seen.least = std::min(seen.least, one.spread);
    seen.most = std::max(seen.most, one.spread);
  }
  seen.mean = balances[0].mean, seen.sd = balances[0].sd;
  // Discrepancy: pairs of the first particles, enough for its error.
  const std::size_t some = std::min<std::size_t>(count, 400);
  std::vector<double> rows(some, 0.0);
  double h = 0;
  for (std::size_t i = 1; i < some; ++i)
    h += starling::kernel::squared_distance<double>(x, i, i - 1) / double(some);
  h = std::max(h / 2, 1e-12);
  for (std::size_t i = 0; i < some; ++i)
    for (std::size_t j = 0; j < some; ++j)
      if (i != j) {
        const auto pair = starling::stein_pair<double>(x, s, i, j);
        rows[i] += starling::stein_kernel(pair, dim, starling::multiquadric_profile(pair.r2, h)) /
                   double(some - 1);
      }
  double sum = 0, square = 0;
  for (const double row : rows)
    sum += row, square += row * row;
  seen.ksd = sum / double(some);
  seen.ksd_se =
      2 * std::sqrt(std::max(0.0, square / double(some) - seen.ksd * seen.ksd) / double(some));
  seen.distance = distance_of(x);
  return balances;
}

/// A look at a flock, with the verdict as a run would give it.
inline void look(std::size_t which) {
  Flock& flock = *world().flocks[which];
  Seen& seen = world().seen[which];
  const auto x = std::as_const(flock.particles()).position();
  const auto balances = look_at(x, seen);
  double squares = 0, centre = 0;
  for (const auto& one : balances) {
    squares += one.sd * one.sd;
    centre += one.mean;
  }
  const auto dim = double(x.dim);
  starling::judge::TraceRow row;
  row.step = flock.done();
  row.spread = std::sqrt(squares / dim);
  row.centre = centre / std::sqrt(dim);
  row.least_identity = seen.least, row.most_identity = seen.most, row.shift = seen.shift;
  if (seen.trace.empty() || seen.trace.back().step < row.step)
    seen.trace.push_back(row);
  if (seen.trace.size() > 400)
    seen.trace.erase(seen.trace.begin(), seen.trace.begin() + 200);
  const auto judgement =
      starling::judge::judge_by_balance(balances, x.count, names_of(x.dim), false, seen.trace);
  seen.verdict = word(judgement);
  seen.sentence = sentence(judgement);
}

/// A look at the default run, whose verdict is its own.
inline void look_at_default() {
  const DefaultRun& run = *world().default_run;
  if (!run.has_cloud())
    return;
  Seen& seen = world().seen[2];
  const Choice& choice = world().choices[0];
  look_at({run.positions().data(), choice.particles, choice.dim}, seen);
  seen.verdict = run.verdict();
  seen.sentence = run.said();
}

} // namespace live
