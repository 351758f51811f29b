// bench overhead and bench logistic: what random batches cost beyond the work they cannot avoid.
#include "bench.hpp"
#include "logistic_rows.hpp"

#include "plan/plan.hpp"

#include <starling/cpu/algebra.hpp>
#include <starling/cpu/mixture.hpp>
#include <starling/cpu/permute.hpp>
#include <starling/deal/cosets.hpp>
#include <starling/deal/moebius.hpp>
#include <starling/random/start.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace starling::tool {

namespace {

using Json = nlohmann::ordered_json;
using reproduce::made_up_rows;
using Logistic = LogisticRegression<double, cpu::Algebra<double>>;

/// The dealer that a run of so many particles and batches gets unasked.
std::string usual_dealer(std::size_t particles, std::size_t batch) {
  plan::Recipe recipe;
  recipe.target = "normal";
  recipe.particles = particles;
  recipe.batch = std::to_string(batch);
  return plan::resolve(recipe).recipe.deal;
}

template <typename Target>
StepTimes time_dealt_by(const std::string& dealer, Target& target, const Ensemble<double>& start,
                        std::size_t p, double bandwidth, double eta, Step steps,
                        const BenchScope& scope) {
  Threads& alone = Threads::alone();
  const reproduce::GaussDrift<double> drift(kernel::Gaussian<double>(bandwidth), alone);
  const auto with = [&](auto deal) {
    return reproduce::time_with(target, start, std::move(deal), drift, eta, steps, scope.repeats,
                                alone);
  };
  if (dealer == "matching")
    return with(Matching(1));
  if (dealer == "cosets")
    return with(Cosets(1, p));
  if (dealer == "moebius")
    return with(Moebius(1, p));
  return with(Shuffle(1, p, cpu::permute));
}

/// overhead = t(p) / (t_score + t_advance + (p/N) t_drift of SVGD), all in one run.
template <typename Target>
Json one_problem(const char* name, Target& target, const Ensemble<double>& start,
                 const std::vector<std::size_t>& sizes, double bandwidth, double eta, Step steps,
                 Step full_steps, const BenchScope& scope) {
  Threads& threads = Threads::alone();
  const std::size_t n = start.count();
  const StepTimes full =
      time_steps(target, start, n, bandwidth, eta, full_steps, scope.repeats, threads);
  Json j = {{"problem", name}, {"particles", n}, {"dim", start.dim()}, {"steps", steps}};
  fmt::print("{}: N = {}, d = {}, times in us per step\n", name, n, start.dim());
  fmt::print("{:>5} {:<9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "p", "dealer", "total",
             "deal", "score", "drift", "advance", "speedup", "overhead");
  const auto row = [&](std::size_t p, const std::string& dealer, const StepTimes& t) {
    const double least =
        t.score + t.advance + static_cast<double>(p) / static_cast<double>(n) * full.drift;
    fmt::print("{:>5} {:<9} {:9.2f} {:9.2f} {:9.2f} {:9.2f} {:9.2f} {:8.1f}x {:9.2f}\n", p, dealer,
               1e6 * t.total, 1e6 * t.deal, 1e6 * t.score, 1e6 * t.drift, 1e6 * t.advance,
               full.total / t.total, t.total / least);
    j["sizes"].push_back({{"p", p},
                          {"dealer", dealer},
                          {"total", t.total},
                          {"deal", t.deal},
                          {"score", t.score},
                          {"drift", t.drift},
                          {"advance", t.advance},
                          {"speedup", full.total / t.total},
                          {"overhead", t.total / least}});
  };
  for (const std::size_t p : sizes) {
    const std::string usual = usual_dealer(n, p);
    const auto dealt_by = [&](const std::string& dealer) {
      row(p, dealer, time_dealt_by(dealer, target, start, p, bandwidth, eta, steps, scope));
    };
    dealt_by(usual);
    if (usual != "shuffle") // what --deal shuffle would give
      dealt_by("shuffle");
  }
  row(n, "whole", full);
  fmt::print("\n");
  return j;
}

} // namespace

Json bench_overhead(const BenchScope& scope) {
  Json j = Json::array();
  const std::vector<std::size_t> sizes = scope.quick
                                             ? std::vector<std::size_t>{2, 8}
                                             : std::vector<std::size_t>{2, 4, 8, 16, 32, 64, 128};
  for (const std::size_t n :
       scope.quick ? std::vector<std::size_t>{256} : std::vector<std::size_t>{256, 4096}) {
    Ensemble<double> start(n, 1);
    start_normal(start.position(), 1, -10, 1);
    cpu::MixtureOnTheLine<double> target(Mixture<double>::paper());
    const Step steps = scope.quick ? 20 : 500;
    j.push_back(one_problem("mixture", target, start, sizes, 0.35, 0.2, steps,
                            n > 1000 ? 10 : steps, scope));
  }
  Ensemble<double> start(scope.quick ? 64 : 512, 56);
  start_normal(start.position(), 1, 0, 0.1);
  Logistic target(made_up_rows(scope.quick ? 200 : 10000), 100, 1);
  j.push_back(one_problem("logistic", target, start, sizes, 256, 0.05, scope.quick ? 5 : 200,
                          scope.quick ? 5 : 50, scope));
  return j;
}

Json bench_logistic(const BenchScope& scope) {
  const std::size_t n = scope.quick ? 64 : 512, rows = 100, weights = 55;
  Ensemble<double> start(n, weights + 1);
  start_normal(start.position(), 1, 0, 0.1);
  Logistic target(made_up_rows(scope.quick ? 200 : 10000), rows, 1);
  const Step steps = scope.quick ? 5 : 300;
  Threads& alone = Threads::alone();
  std::vector<double> f(rows * weights, 0.5), logits(n * rows), gradient(n * (weights + 1));
  const auto products = [&] {
    const double* w = start.position().data;
    cpu::Algebra<double>::logits(w, weights + 1, n, f.data(), rows, weights, logits.data());
    cpu::Algebra<double>::gradients(logits.data(), n, f.data(), rows, weights, gradient.data(),
                                    weights + 1);
  };
  // Turn about, so that a slow moment of the machine meets both.
  std::vector<double> ratios, steps_taken, bare_taken;
  for (std::size_t r = 0; r < scope.repeats; ++r) {
    const double bare = median_seconds(1,
                                       [&] {
                                         for (Step k = 0; k < steps; ++k)
                                           products();
                                       }) /
                        static_cast<double>(steps);
    const double step = time_steps(target, start, 2, 256, 0.05, steps, 1, alone).total;
    bare_taken.push_back(bare);
    steps_taken.push_back(step);
    ratios.push_back(step / bare);
  }
  fmt::print("logistic: N = {}, 56 numbers, mini-batch {}, p = 2: step {:.1f} us, two bare "
             "products {:.1f} us, ratio {:.2f}\n\n",
             n, rows, 1e6 * median(steps_taken), 1e6 * median(bare_taken), median(ratios));
  return {{"particles", n},
          {"step", median(steps_taken)},
          {"products", median(bare_taken)},
          {"ratio", median(ratios)}};
}

} // namespace starling::tool
