// The live page's engine as plain functions, which the page calls: targets, flocks, a default
// run, looks at them.
#include "world.hpp"

#include <exception>

namespace live {

namespace {

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

/// Begins all anew: flock 0 with batches of p, 1 with everyone, and the default run, which is 2.
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
    w.seen[2] = {};
    w.default_run = std::make_unique<DefaultRun>(c.seed, c.particles, c.dim, w.shape);
  });
}

int live_take(int which, int steps) {
  return guarded([&] { world().flocks[std::size_t(which)]->take(Step(steps)); });
}
int live_look(int which) {
  return guarded([&] { which == 2 ? look_at_default() : look(std::size_t(which)); });
}
int live_unit() {
  return guarded([] { world().default_run->unit(); });
}
double live_units() { return double(world().default_run->units()); }
double live_gradients() { return world().default_run->gradients(); }
int live_over() { return world().default_run->over() ? 1 : 0; }
int live_has_cloud() { return world().default_run->has_cloud() ? 1 : 0; }
const char* live_stage() {
  world().stage = world().default_run->stage();
  return world().stage.c_str();
}
double live_steps(int which) { return double(world().flocks[std::size_t(which)]->done()); }
double live_pairs(int which) { return world().flocks[std::size_t(which)]->pairs(); }
double live_pairs_a_step(int which) { return world().flocks[std::size_t(which)]->pairs_a_step(); }

/// Positions in the order of ids, two numbers each (on the line the second is 0): particles keep
/// their colours.
const float* live_positions(int which) {
  World& w = world();
  if (which == 2) {
    const std::size_t dim = w.choices[0].dim, count = w.choices[0].particles;
    const std::vector<double>& x = w.default_run->positions();
    w.out.assign(2 * count, 0);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t a = 0; a < w.shape.own; ++a)
        w.out[2 * i + a] = float(x[i * dim + a]);
    return w.out.data();
  }
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
  const double bandwidth = which == 2 ? NAN : world().flocks[std::size_t(which)]->bandwidth();
  const double all[] = {s.distance, s.ksd,  s.ksd_se, s.shift,  s.least,
                        s.most,     s.mean, s.sd,     bandwidth};
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
