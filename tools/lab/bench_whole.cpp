// bench whole: a run from start to verdict, as `sample` makes it, against the bare loop of its four
// roles.
#include "bench.hpp"

#include "assemble/flight.hpp"

#include <starling/deal/cosets.hpp>
#include <starling/random/start.hpp>
#include <starling/target/even_normal.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace starling::tool {

namespace {

using Json = nlohmann::ordered_json;

struct Size {
  std::size_t particles, dim, batch;
  Step steps;
};

/// The steps that a raw run takes unasked.
Step usual_steps() {
  plan::Recipe recipe;
  recipe.target = "normal";
  recipe.batch = "2";
  return plan::resolve(recipe).steps;
}

/// Seconds of so many steps of the loop alone: nobody looks, guards or keeps time.
double bare_seconds(const Size& size, Threads& threads) {
  using Gauss = kernel::Gaussian<double>;
  Ensemble<double> particles(size.particles, size.dim);
  start_normal(particles.position(), 1, 0, 1, IdIsRow(), threads);
  EvenNormal<double> target(size.dim, 0, threads);
  Score<double, EvenNormal<double>&> score(target, threads);
  cpu::PairwiseDrift<double, Gauss> drift(Gauss(1), threads);
  cpu::ExplicitStep<double, FadingAdaGrad<double>> advance(FadingAdaGrad<double>(0.1), threads);
  const auto with = [&](auto deal) {
    const auto begin = reproduce::Clock::now();
    rbm_svgd(particles, Span{0, size.steps}, deal, score, drift, advance, NoObserver());
    return reproduce::seconds_since(begin);
  };
  return size.batch == 2 ? with(Matching(1, Travel::usually, threads))
                         : with(Cosets(1, size.batch, threads));
}

/// The same by a plan, from the start to the verdict; no files.
double whole_seconds(const Size& size, std::size_t threads) {
  plan::Recipe recipe;
  recipe.target = "normal";
  recipe.set("dim", static_cast<std::uint64_t>(size.dim));
  recipe.particles = size.particles;
  recipe.batch = std::to_string(size.batch);
  recipe.deal = size.batch == 2 ? "matching" : "cosets";
  recipe.steps = size.steps;
  recipe.bandwidth = "1";
  recipe.threads = threads;
  const auto begin = reproduce::Clock::now();
  const auto flight = assemble::make_flight(plan::resolve(recipe), 0);
  const run::Outcome outcome = run::fly(*flight);
  if (outcome.failure)
    std::rethrow_exception(outcome.failure);
  return reproduce::seconds_since(begin);
}

} // namespace

Json bench_whole(const BenchScope& scope) {
  Threads threads(0);
  fmt::print("whole: {} threads, standard normal: seconds from start to verdict, without files, "
             "and of the four roles alone\n"
             "{:>8} {:>4} {:>4} {:>7} {:>9} {:>9} {:>7}\n",
             threads.count(), "N", "d", "p", "steps", "whole", "roles", "ratio");
  Json j = Json::array();
  const Step usual = usual_steps(); // and fewer, where the start and the end weigh more
  const std::vector<Size> sizes = scope.quick
                                      ? std::vector<Size>{{256, 1, 2, 100}, {256, 2, 8, 100}}
                                      : std::vector<Size>{{4096, 1, 8, 20000},
                                                          {65536, 2, 8, usual},
                                                          {65536, 2, 8, usual / 2},
                                                          {1000000, 2, 2, usual},
                                                          {1000000, 2, 2, usual / 5}};
  for (const Size& size : sizes) {
    std::vector<double> whole, bare, ratios;
    for (std::size_t r = 0; r < scope.repeats; ++r) { // turn about
      bare.push_back(bare_seconds(size, threads));
      whole.push_back(whole_seconds(size, threads.count()));
      ratios.push_back(whole.back() / bare.back());
    }
    fmt::print("{:>8} {:>4} {:>4} {:>7} {:9.3f} {:9.3f} {:7.2f}\n", size.particles, size.dim,
               size.batch, size.steps, median(whole), median(bare), median(ratios));
    std::fflush(stdout);
    j.push_back({{"particles", size.particles},
                 {"dim", size.dim},
                 {"batch", size.batch},
                 {"steps", size.steps},
                 {"whole", median(whole)},
                 {"roles", median(bare)},
                 {"whole_over_roles", median(ratios)}});
  }
  fmt::print("\n");
  return j;
}

} // namespace starling::tool
