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

struct Worst {
  double error = 0; ///< relative to the larger of both, and to 1
  std::size_t particle = 0;
  double score = 0, difference = 0;
};

/// Central differences lose about eps^(2/3) of the size of the density; ten times that and more is
/// no rounding.
double allowed(double density, double step) { return 1e-6 + 20 * 2.3e-16 * std::abs(density) / step; }

} // namespace

int check(CheckRequest c) {
  assemble::Recipe& r = c.recipe;
  r.particles = std::min<std::uint64_t>(r.particles, 10);
  r.batch = r.grow_batch = "";
  assemble::resolve(r);
  Threads threads(r.threads);
  auto target = assemble::make_target<double>(r, threads);
  const std::size_t n = r.particles, d = target.dim;
  std::vector<double> position(n * d), score(n * d), unused(n * d), up(n), down(n), density(n);
  const Rows<double> x{position.data(), n, d}, s{score.data(), n, d}, rest{unused.data(), n, d};
  assemble::start(r, x);
  target.evaluate(x, s, density);

  std::vector<Worst> worst(d);
  bool good = true;
  for (std::size_t a = 0; a < d; ++a) {
    for (std::size_t i = 0; i < n; ++i) {
      const double here = x[i][a], step = 6e-6 * std::max(1.0, std::abs(here));
      x[i][a] = here + step;
      target.evaluate(x, rest, up);
      x[i][a] = here - step;
      target.evaluate(x, rest, down);
      x[i][a] = here;
      const double difference = (up[i] - down[i]) / (2 * step);
      const double size = std::max({1.0, std::abs(s[i][a]), std::abs(difference)});
      const double error = std::abs(s[i][a] - difference) / size;
      good = good && error * size <= allowed(density[i], step) + 1e-6 * size;
      if (!(error <= worst[a].error))
        worst[a] = {error, i, s[i][a], difference};
    }
  }
  if (c.json) {
    nlohmann::ordered_json j = {{"target", r.target}, {"dim", d}, {"particles", n}, {"right", good}};
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
