// bench threads: every part of a run on 1, 2, 4, ... threads, so that the one that does not scale
// is seen.
#include "bench.hpp"

#include <starling/deal/moebius.hpp>
#include <starling/observe/guard.hpp>
#include <starling/random/start.hpp>
#include <starling/run/lookout.hpp>
#include <starling/target/even_normal.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <thread>

namespace starling::tool {

namespace {

using Json = nlohmann::ordered_json;
using Gauss = kernel::Gaussian<double>;

constexpr std::array stages = {"start", "deal", "score", "drift", "advance", "guard", "look"};
enum Stage : std::size_t { start, deal, score, drift, advance, guard, look };

struct Size {
  std::size_t particles, dim, batch; ///< batch 0: all
  Step steps;
};

/// Seconds of each stage; of a step, but for the start, and the look if there were one in it.
struct Laps {
  std::array<double, stages.size()> stage{};
  double step = 0; ///< what a step takes without stopwatches and looks
};

Laps run_on(const Size& size, std::size_t count) {
  using reproduce::Clock;
  using reproduce::seconds_since;
  Laps laps;
  Threads threads(count);
  Ensemble<double> particles(size.particles, size.dim);
  const auto lap = [&](Stage stage, auto&& work) {
    const auto begin = Clock::now();
    work();
    laps.stage[stage] += seconds_since(begin);
  };
  lap(start, [&] { start_normal(particles.position(), 1, 0, 1, IdIsRow(), threads); });
  EvenNormal<double> target(size.dim, 0, threads); // that of `sample normal`
  Score<double, EvenNormal<double>&> scorer(target, threads);
  run::AnyDrift<double> pairs =
      cpu::PairwiseDrift<double, Gauss>(Gauss(static_cast<double>(size.dim)), threads);
  cpu::ExplicitStep<double, FadingAdaGrad<double>> mover(FadingAdaGrad<double>(0.1), threads);
  const Guard guards({}, threads, true);
  const run::Lookout<double> lookout(1, false, run::numbered("x", size.dim), threads);
  std::vector<judge::TraceRow> trace;
  const auto with = [&](auto dealer) {
    const auto bare = [&](Step first, Step last) {
      rbm_svgd(particles, Span{first, last}, dealer, scorer, pairs, mover, guards);
    };
    bare(0, 2);
    const auto begin = Clock::now();
    bare(2, 2 + size.steps);
    laps.step = seconds_since(begin) / static_cast<double>(size.steps);
    for (Step k = 2 + size.steps; k < 2 + 2 * size.steps; ++k) {
      const Batches* batches = nullptr;
      lap(deal, [&] { batches = &dealer(k, particles); });
      lap(score, [&] { scorer(k, particles, *batches); });
      lap(drift, [&] { pairs(k, particles, *batches); });
      lap(look, [&] { lookout.look(k, particles, *batches, pairs, 0, trace); });
      lap(advance, [&] { mover(k, particles, *batches, [] {}); });
      lap(guard, [&] { guards(k, particles, *batches); });
    }
  };
  if (size.batch == 0)
    with(Whole());
  else if (size.batch == 2)
    with(Matching(1, Travel::usually, threads));
  else
    with(Moebius(1, size.batch, threads));
  for (std::size_t s = deal; s < stages.size(); ++s)
    laps.stage[s] /= static_cast<double>(size.steps);
  return laps;
}

/// Stage by stage the median.
Laps middle(const std::vector<Laps>& all) {
  const auto of = [&](auto&& value) {
    std::vector<double> values;
    for (const Laps& one : all)
      values.push_back(value(one));
    return median(values);
  };
  Laps laps;
  laps.step = of([](const Laps& one) { return one.step; });
  for (std::size_t s = 0; s < stages.size(); ++s)
    laps.stage[s] = of([&](const Laps& one) { return one.stage[s]; });
  return laps;
}

Json one_size(const Size& size, const std::vector<std::size_t>& counts, std::size_t repeats) {
  Json j = {{"particles", size.particles},
            {"dim", size.dim},
            {"batch", size.batch == 0 ? size.particles : size.batch}};
  fmt::print("threads: N = {}, d = {}, p = {}: ms of a step (start: once; look: of one), and the "
             "share of linear\n{:>8} {:>10} {:>7}",
             size.particles, size.dim, size.batch == 0 ? "N" : std::to_string(size.batch),
             "threads", "step", "share");
  for (const char* name : stages)
    fmt::print(" {:>9} ", name);
  fmt::print("\n");
  std::vector<std::vector<Laps>> all(counts.size());
  for (std::size_t r = 0; r < repeats; ++r) // turn about
    for (std::size_t c = 0; c < counts.size(); ++c)
      all[c].push_back(run_on(size, counts[c]));
  Laps one;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const Laps laps = middle(all[c]);
    if (c == 0)
      one = laps;
    const double share = one.step / laps.step / static_cast<double>(counts[c]);
    Json row = {{"threads", counts[c]}, {"step", laps.step}, {"share_of_linear", share}};
    fmt::print("{:>8} {:10.4f} {:7.2f}", counts[c], 1e3 * laps.step, share);
    for (std::size_t s = 0; s < stages.size(); ++s) {
      row[stages[s]] = laps.stage[s];
      fmt::print(" {:10.4f}", 1e3 * laps.stage[s]);
    }
    fmt::print("\n");
    std::fflush(stdout);
    j["counts"].push_back(std::move(row));
    j["share_of_linear"] = share; // with all
  }
  fmt::print("\n");
  return j;
}

} // namespace

Json bench_threads(const BenchScope& scope) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::size_t> counts = {1};
  while (counts.back() < cores)
    counts.push_back(std::min(2 * counts.back(), cores));
  const std::vector<Size> sizes = scope.quick ? std::vector<Size>{{2000, 10, 8, 2}, {512, 20, 0, 2}}
                                              : std::vector<Size>{{100000, 10, 8, 20},
                                                                  {1000000, 2, 2, 64},
                                                                  {4096, 2, 0, 5},
                                                                  {4096, 50, 0, 5},
                                                                  {1000, 2, 2, 2000}};
  Json j = {{"cores", cores}};
  for (const Size& size : sizes)
    j["sizes"].push_back(one_size(size, counts, scope.repeats));
  j["share_of_linear"] = j["sizes"][0]["share_of_linear"];
  return j;
}

} // namespace starling::tool
