// starling check: the score against finite differences of the log density, before a long run.
#include "commands.hpp"

#include "assemble/roles.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace starling::tool {

namespace {

constexpr std::size_t most_particles = 10;

struct Worst {
  double error = -1; ///< relative to the larger of both, and to 1; -1: nothing seen yet
  std::size_t particle = 0;
  double score = 0, difference = 0;
};

/// Central differences lose about eps^(2/3) of the size of the density; ten times that and more is
/// no rounding.
double allowed(double density, double step) {
  return 1e-6 + 20 * 2.3e-16 * std::abs(density) / step;
}

} // namespace

int check(CheckRequest c) {
  const plan::Plan plan = plan::resolve(c.recipe);
  const plan::Recipe& r = plan.recipe;
  Threads threads(plan.threads);
  auto target = assemble::make_target<double>(plan, plan.seed, threads);
  const std::size_t n = std::min<std::size_t>(r.particles, most_particles), d = target.dim;
  std::vector<double> position(r.particles * d), score(n * d), unused(n * d);
  std::vector<double> up(n), down(n), density(n), here(n), step(n);
  assemble::start(plan, plan.seed, target, Rows<double>{position.data(), r.particles, d},
                  assemble::read_start(plan));
  const Rows<double> x{position.data(), n, d}, s{score.data(), n, d}, rest{unused.data(), n, d};
  target.evaluate(x, s, density);

  std::vector<Worst> worst(d);
  bool good = true;
  for (std::size_t a = 0; a < d; ++a) {
    const auto evaluate_at = [&](double side, std::vector<double>& to) { // all particles at once
      for (std::size_t i = 0; i < n; ++i)
        x[i][a] = here[i] + side * step[i];
      target.evaluate(x, rest, to);
    };
    for (std::size_t i = 0; i < n; ++i) {
      here[i] = x[i][a];
      step[i] = 6e-6 * std::max(1.0, std::abs(here[i]));
    }
    evaluate_at(1, up);
    evaluate_at(-1, down);
    for (std::size_t i = 0; i < n; ++i) {
      x[i][a] = here[i];
      const double difference = (up[i] - down[i]) / (2 * step[i]);
      const double size = std::max({1.0, std::abs(s[i][a]), std::abs(difference)});
      const double error = std::abs(s[i][a] - difference) / size;
      good = good && error * size <= allowed(density[i], step[i]) + 1e-6 * size;
      if (!(error <= worst[a].error))
        worst[a] = {error, i, s[i][a], difference};
    }
  }
  if (c.json) {
    nlohmann::ordered_json j = {
        {"target", r.target}, {"dim", d}, {"particles", n}, {"right", good}};
    for (std::size_t a = 0; a < d; ++a)
      j["parameters"].push_back({{"name", target.names[a]}, {"error", worst[a].error}});
    fmt::print("{}\n", j.dump(2));
  } else {
    fmt::print("{:<12} {:>14} {:>14} {:>10}\n", "parameter", "score", "difference", "error");
    for (std::size_t a = 0; a < d; ++a)
      fmt::print("{:<12} {:14.7g} {:14.7g} {:10.2g}\n", target.names[a], worst[a].score,
                 worst[a].difference, worst[a].error);
    fmt::print("{} at {} particles: the score {} the gradient of the log density\n", r.target, n,
               good ? "is" : "is NOT");
  }
  return good ? ok : failed;
}

} // namespace starling::tool
