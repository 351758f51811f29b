// The live page's engine as plain functions: two flocks on one target, what is seen of them, and
// how far they are from it.
#include "flock.hpp"

#include <starling/judge/by_balance.hpp>
#include <starling/observe/balance.hpp>
#include <starling/observe/stein.hpp>

#include <array>
#include <exception>
#include <memory>
#include <numbers>
#include <string>

namespace live {

namespace {

constexpr std::size_t grid_side = 160, directions = 16, reference_points = 4096;

struct Seen {
  std::vector<starling::judge::TraceRow> trace;
  std::string verdict, sentence;
  double ksd = NAN, ksd_se = NAN, distance = NAN, shift = NAN, least = NAN, most = NAN, sd = NAN,
         mean = NAN;
};

struct World {
  Shape shape;
  double reach = 5;
  std::array<std::unique_ptr<Flock>, 2> flocks;
  std::array<Seen, 2> seen;
  std::array<Choice, 2> choices;
  std::vector<double> grid, drawn; // density for the picture; log density by hand
  std::vector<std::vector<double>>
      reference; // sorted projections of draws of the target, one list a direction
  std::vector<Code> program;
  std::vector<float> out;
  std::string said;
};

World& world() {
  static World one;
  return one;
}

Shape shape_of(int which) {
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

double direction_of(std::size_t k, int axis) {
  const double angle = std::numbers::pi * double(k) / double(directions);
  return axis == 0 ? std::cos(angle) : std::sin(angle);
}

/// The density on the picture's grid, and draws of it, each from its own share of the whole: even,
/// so few suffice.
void look_at_target() {
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
double distance_of(Flock& flock) {
  const World& w = world();
  const auto x = flock.particles().position();
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

/// A look: identities, discrepancy over the pairs of some particles, the verdict as a run would
/// give it.
void look(std::size_t which) {
  World& w = world();
  Flock& flock = *w.flocks[which];
  Seen& seen = w.seen[which];
  const auto& particles = flock.particles();
  const std::size_t dim = particles.dim(), count = particles.count();
  std::vector<double> score(count * dim), slope(2);
  const auto x = std::as_const(particles).position();
  for (std::size_t i = 0; i < count; ++i) {
    w.shape.at(x[i].first(w.shape.own), std::span<double>(score).subspan(i * dim, w.shape.own));
    for (std::size_t a = w.shape.own; a < dim; ++a)
      score[i * dim + a] = -x[i][a];
  }
  const starling::Rows<const double> s{score.data(), count, dim};
  const auto balances = starling::balance<double>(x, s);
  seen.shift = 0, seen.least = INFINITY, seen.most = -INFINITY;
  double squares = 0, centre = 0;
  for (const auto& one : balances) {
    seen.shift = std::max(seen.shift, std::abs(one.shift));
    seen.least = std::min(seen.least, one.spread);
    seen.most = std::max(seen.most, one.spread);
    squares += one.sd * one.sd;
    centre += one.mean;
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
  std::vector<std::string> names = {"x", "y"};
  for (std::size_t a = 2; a < dim; ++a)
    names.push_back("z" + std::to_string(a - 1));
  starling::judge::TraceRow row;
  row.step = flock.done();
  row.spread = std::sqrt(squares / double(dim));
  row.centre = centre / std::sqrt(double(dim));
  row.least_identity = seen.least, row.most_identity = seen.most, row.shift = seen.shift;
  if (seen.trace.empty() || seen.trace.back().step < row.step)
    seen.trace.push_back(row);
  if (seen.trace.size() > 400)
    seen.trace.erase(seen.trace.begin(), seen.trace.begin() + 200);
  const auto judgement =
      starling::judge::judge_by_balance(balances, count, names, false, seen.trace);
  seen.verdict = word(judgement);
  seen.sentence = sentence(judgement);
  seen.distance = distance_of(flock);
}

/// Runs it; what went wrong is kept in words and told as 1.
template <typename Work>
int guarded(Work&& work) {
  try {
    work();
    world().said.clear();
    return 0;
  } catch (const std::exception& error) {
    world().said = error.what();
    return 1;
  }
}

} // namespace

extern "C" {

/// Room for a density drawn by hand: log densities, grid_side x grid_side, from the bottom row up.
double* live_canvas() {
  world().drawn.resize(grid_side * grid_side, 0.0);
  return world().drawn.data();
}
int live_grid_side() { return int(grid_side); }

void live_formula_clear() { world().program.clear(); }
void live_formula_add(int op, double value) { world().program.push_back({Op(op), value}); }

int live_target(int which, double reach) {
  return guarded([&] {
    World& w = world();
    w.shape = shape_of(which);
    w.reach = reach;
    look_at_target();
  });
}
const double* live_density() { return world().grid.data(); }
int live_density_width() { return int(world().shape.own == 2 ? grid_side : world().grid.size()); }

/// Begins both flocks anew: 0 with batches of p, 1 with everyone.
int live_begin(double seed, int particles, int batch, int dim, int kernel, double bandwidth,
               int rule, double step_size, double start_mean, double start_sd, int batch_mean) {
  return guarded([&] {
    World& w = world();
    Choice c;
    c.seed = static_cast<std::uint64_t>(seed);
    c.particles = std::size_t(particles), c.batch = std::size_t(std::min(batch, particles));
    c.dim = std::max<std::size_t>(w.shape.own, std::size_t(dim));
    c.kernel = kernel, c.bandwidth = bandwidth, c.rule = rule, c.step_size = step_size;
    c.start_mean = start_mean, c.start_sd = start_sd, c.batch_mean = batch_mean != 0;
    for (std::size_t which = 0; which < 2; ++which) {
      w.seen[which] = {};
      w.choices[which] = c;
      if (which == 1)
        w.choices[which].batch = c.particles, w.choices[which].batch_mean = false;
      w.flocks[which] = std::make_unique<Flock>(w.choices[which], w.shape);
    }
  });
}

int live_take(int which, int steps) {
  return guarded([&] { world().flocks[std::size_t(which)]->take(Step(steps)); });
}
int live_look(int which) {
  return guarded([&] { look(std::size_t(which)); });
}
double live_steps(int which) { return double(world().flocks[std::size_t(which)]->done()); }
double live_pairs(int which) { return world().flocks[std::size_t(which)]->pairs(); }
double live_pairs_a_step(int which) { return world().flocks[std::size_t(which)]->pairs_a_step(); }

/// Positions in the order of ids, two numbers each (on the line the second is 0): particles keep
/// their colours.
const float* live_positions(int which) {
  World& w = world();
  const auto& particles = w.flocks[std::size_t(which)]->particles();
  w.out.assign(2 * particles.count(), 0);
  for (std::size_t i = 0; i < particles.count(); ++i) {
    const std::size_t to = 2 * std::size_t(particles.id()[i]);
    w.out[to] = float(particles.position()[i][0]);
    w.out[to + 1] = w.shape.own == 2 ? float(particles.position()[i][1]) : 0;
  }
  return w.out.data();
}
/// The ids of the last batches, batch after batch, as floats; each batch ends with -1. Its length
/// is in the first.
const float* live_batches(int which) {
  World& w = world();
  Flock& flock = *w.flocks[std::size_t(which)];
  w.out.assign(1, 0);
  if (const Batches* batches = flock.batches())
    for (std::size_t q = 0; q < batches->count(); ++q) {
      for (const std::uint32_t row : (*batches)[q])
        w.out.push_back(float(flock.particles().id()[row]));
      w.out.push_back(-1);
    }
  w.out[0] = float(w.out.size() - 1);
  return w.out.data();
}
/// distance, ksd, its error, shift, least and most identity, mean, sd, bandwidth.
double live_figure(int which, int figure) {
  const Seen& s = world().seen[std::size_t(which)];
  const double all[] = {s.distance, s.ksd,   s.ksd_se,
                        s.shift,    s.least, s.most,
                        s.mean,     s.sd,    world().flocks[std::size_t(which)]->bandwidth()};
  return all[std::size_t(figure)];
}
/// One coordinate of one particle, all its digits.
double live_coordinate(int which, int id, int axis) {
  const auto& particles = world().flocks[std::size_t(which)]->particles();
  for (std::size_t i = 0; i < particles.count(); ++i)
    if (particles.id()[i] == std::uint64_t(id))
      return particles.position()[i][std::size_t(axis)];
  return NAN;
}
const char* live_verdict(int which) { return world().seen[std::size_t(which)].verdict.c_str(); }
const char* live_sentence(int which) { return world().seen[std::size_t(which)].sentence.c_str(); }
const char* live_said() { return world().said.c_str(); }

} // extern "C"

} // namespace live
