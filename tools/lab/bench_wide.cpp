// bench wide: few particles in very many dimensions, against the memory that a step cannot avoid to
// touch.
#include "bench.hpp"

#include <starling/observe/guard.hpp>
#include <starling/random/start.hpp>
#include <starling/run/lookout.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <thread>

namespace starling::tool {

namespace {

using Json = nlohmann::ordered_json;

/// Seconds of one read of position and score and one write of position and memory at the rate at
/// which these threads copy.
template <typename Real>
double least_seconds(Ensemble<Real>& particles, Threads& threads) {
  const std::size_t numbers = particles.count() * particles.dim();
  const auto copy = [&](Rows<const Real> from, Rows<Real> to) {
    threads.for_pieces(numbers, 65536, [&](std::size_t begin, std::size_t end) {
      std::memcpy(to.data + begin, from.data + begin, (end - begin) * sizeof(Real));
    });
  };
  return median_seconds(3, [&] {
    copy(std::as_const(particles).position(), particles.memory(0));
    copy(std::as_const(particles).score(), particles.drift());
  });
}

template <typename Real>
Json one_size(std::size_t n, std::size_t dim, std::size_t p, std::size_t repeats,
              Threads& threads) {
  const double before = forget_peak();
  Ensemble<Real> particles(n, dim);
  particles.remember(1);
  start_normal(particles.position(), 1, 0, 1, IdIsRow(), threads);
  start_normal(particles.score(), 2, 0, 1, IdIsRow(),
               threads); // the target's own work is not measured
  using Gauss = kernel::Gaussian<Real>;
  run::AnyDrift<Real> drift =
      cpu::PairwiseDrift<Real, Gauss>(Gauss(static_cast<Real>(dim)), threads);
  cpu::ExplicitStep<Real, FadingAdaGrad<Real>> advance(FadingAdaGrad<Real>(Real(0.1)), threads);
  const Guard guard({}, threads, true); // as runs have it
  const run::Lookout<Real> lookout(1, false, run::numbered("x", dim), threads);
  Shuffle deal(1, p);
  std::vector<double> least, whole, drifting, moving, guarding, looking;
  std::vector<judge::TraceRow> trace;
  using reproduce::Clock;
  using reproduce::seconds_since;
  auto begin = Clock::now();
  const auto lap = [&](Step k, std::vector<double>& to) {
    if (k > 0) // the first to warm up
      to.push_back(seconds_since(begin));
    begin = Clock::now();
  };
  for (Step k = 0; k <= repeats;
       ++k) { // step after step, as copies are made copy after copy: caches hold what they can
    const Batches& batches = deal(k, particles);
    begin = Clock::now();
    drift(k, particles, batches);
    lap(k, drifting);
    advance(k, particles, batches, [] {});
    lap(k, moving);
    guard(k, particles, batches);
    lap(k, guarding);
    if (k > 0)
      whole.push_back(drifting.back() + moving.back() + guarding.back());
  }
  for (Step k = 0; k <= repeats; ++k) { // looks are rare, and leave other things in the caches
    const Batches& batches = deal(k, particles);
    drift(k, particles, batches);
    begin = Clock::now();
    lookout.look(k, particles, batches, drift, 0, trace);
    lap(k, looking);
  }
  const double peak = resident("VmHWM") - before;
  for (std::size_t r = 0; r < repeats; ++r)
    least.push_back(least_seconds(particles, threads));
  const double columns = static_cast<double>(n * dim) * 4 * sizeof(Real); // x, s, phi, memory
  const double rate = columns / median(least), ratio = median(whole) / median(least);
  const char* name = sizeof(Real) == 8 ? "double" : "single";
  fmt::print("{:>5} {:>8} {:>4} {:>7} {:9.2f} {:9.2f} {:9.2f} {:9.2f} {:9.2f} {:7.2f} {:9.2f} "
             "{:9.2f} {:7.1f}\n",
             n, dim, p, name, 1e3 * median(whole), 1e3 * median(drifting), 1e3 * median(moving),
             1e3 * median(guarding), 1e3 * median(least), ratio, median(looking) / median(whole),
             peak / columns, rate / 1e9);
  std::fflush(stdout);
  return {{"particles", n},
          {"dim", dim},
          {"batch", p},
          {"precision", name},
          {"step", median(whole)},
          {"drift", median(drifting)},
          {"advance", median(moving)},
          {"guard", median(guarding)},
          {"least", median(least)},
          {"step_over_least", ratio},
          {"look_over_step", median(looking) / median(whole)},
          {"memory_over_columns", peak / columns},
          {"copy_bytes_per_second", rate}};
}

} // namespace

Json bench_wide(const BenchScope& scope) {
  Threads threads(0);
  fmt::print("wide: {} threads, ms; least: position and score read once, position and memory "
             "written once, as fast as copies go\n"
             "{:>5} {:>8} {:>4} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7} {:>9} {:>9} {:>7}\n",
             threads.count(), "N", "d", "p", "", "step", "drift", "advance", "guard", "least",
             "ratio", "look/step", "memory", "GB/s");
  Json j = Json::array();
  const std::size_t shrink = scope.quick ? 10 : 1;
  j.push_back(one_size<double>(20, 100000 / shrink, 4, 2 * scope.repeats, threads));
  j.push_back(one_size<float>(20, 100000 / shrink, 4, 2 * scope.repeats, threads));
  j.push_back(one_size<double>(100, 10000, 10, 2 * scope.repeats, threads));
  if (!scope.quick)
    j.push_back(one_size<double>(64, 1000000, 4, scope.repeats, threads));
  fmt::print("\n");
  return j;
}

} // namespace starling::tool
