// bench shapes: the untuned default on shapes whose means and sds are known, hard ones among them;
// what it says of itself against the truth.
#include "bench.hpp"
#include "bench_errors.hpp"

#include "assemble/flight.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <numeric>

namespace starling::tool {

namespace {

using Json = nlohmann::ordered_json;
using In = std::span<const double>;
using Out = std::span<double>;
constexpr std::uint64_t shape_seeds = 20;

struct Shape {
  std::string name;
  std::vector<double> mean, sd;
  double (*density)(In x, Out score); ///< its logarithm, up to a constant
};

double square(double v) { return v * v; }

double normal(In x, Out score) {
  double density = 0;
  for (std::size_t a = 0; a < x.size(); ++a) {
    score[a] = -x[a];
    density -= 0.5 * square(x[a]);
  }
  return density;
}

/// v ~ N(0, 3^2), the others N(0, e^v).
double funnel(In x, Out score) {
  const double narrow = std::exp(-x[0]), others = static_cast<double>(x.size() - 1);
  double sum = 0;
  for (std::size_t a = 1; a < x.size(); ++a) {
    sum += square(x[a]);
    score[a] = -x[a] * narrow;
  }
  score[0] = -x[0] / 9 + 0.5 * sum * narrow - 0.5 * others;
  return -square(x[0]) / 18 - 0.5 * sum * narrow - 0.5 * others * x[0];
}

/// x[1] ~ N(0, width^2), x[2] ~ N(-bend (x[1]^2 - width^2), 1), the others N(0, 1).
double bent(In x, Out score, double bend, double width) {
  const double off = x[1] + bend * (square(x[0]) - square(width));
  double density = normal(x.subspan(2), score.subspan(2));
  score[0] = -x[0] / square(width) - off * 2 * bend * x[0];
  score[1] = -off;
  return density - 0.5 * square(x[0] / width) - 0.5 * square(off);
}
double banana(In x, Out score) { return bent(x, score, 0.5, 2); }
double long_banana(In x, Out score) { return bent(x, score, 0.03, 10); }

double student(In x, Out score) {
  constexpr double freedom = 5;
  const double sum = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
  const double power = freedom + static_cast<double>(x.size());
  for (std::size_t a = 0; a < x.size(); ++a)
    score[a] = -power / (freedom + sum) * x[a];
  return -0.5 * power * std::log1p(sum / freedom);
}

/// 2/3 N(10, 1) + 1/3 N(-10, 1) in the first coordinate: 20 sds apart.
double two_modes(In x, Out score) {
  const double right = -0.5 * square(x[0] - 10), left = -0.5 * square(x[0] + 10) - std::log(2.0);
  const double top = std::max(left, right);
  const double a = std::exp(right - top), b = std::exp(left - top);
  const double rest = normal(x.subspan(1), score.subspan(1));
  score[0] = (a * (10 - x[0]) - b * (10 + x[0])) / (a + b);
  return rest + top + std::log(a + b);
}

/// Four in the plane, of weights .1 .2 .3 .4, 10 sds apart.
double four_modes(In x, Out score) {
  double part[4], top = -INFINITY, total = 0;
  const auto centre = [](std::size_t k, std::size_t a) {
    return (a == 0 ? k / 2 : k % 2) == 0 ? -5.0 : 5.0;
  };
  for (std::size_t k = 0; k < 4; ++k) {
    part[k] = std::log(0.1 * double(k + 1)) -
              0.5 * (square(x[0] - centre(k, 0)) + square(x[1] - centre(k, 1)));
    top = std::max(top, part[k]);
  }
  score[0] = score[1] = 0;
  for (std::size_t k = 0; k < 4; ++k)
    total += part[k] = std::exp(part[k] - top);
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t a = 0; a < 2; ++a)
      score[a] += part[k] / total * (centre(k, a) - x[a]);
  return top + std::log(total);
}

std::vector<Shape> shapes() {
  using V = std::vector<double>;
  Shape tube{"funnel, d = 10", V(10, 0), V(10, std::exp(2.25)), funnel};
  tube.sd[0] = 3;
  Shape bow{"banana .03, d = 10", V(10, 0), V(10, 1), long_banana};
  bow.sd[0] = 10;
  bow.sd[1] = std::sqrt(1 + square(0.03) * 2 * 1e4);
  return {{"normal, d = 20", V(20, 0), V(20, 1), normal},
          {"Student t5, d = 10", V(10, 0), V(10, std::sqrt(5.0 / 3)), student},
          {"banana .5, d = 2", V(2, 0), {2, std::sqrt(1 + 0.25 * 32)}, banana},
          bow,
          tube,
          {"two modes, d = 2", {10.0 / 3, 0}, {std::sqrt(1 + 100 - 100.0 / 9), 1}, two_modes},
          {"four modes, d = 2", {2, 1}, {std::sqrt(22.0), 5}, four_modes}};
}

Measured run_on(const Shape& shape, const BenchRequest& request, std::uint64_t seed) {
  assemble::UserTarget user_target;
  user_target.dim = shape.mean.size();
  user_target.in_double = [&](Step, Rows<const double> x, Rows<double> score,
                              std::span<double> density) {
    for (std::size_t i = 0; i < x.count; ++i) {
      const double value = shape.density(x[i], score[i]);
      if (!density.empty())
        density[i] = value;
    }
  };
  plan::Recipe recipe;
  recipe.target = "guest";
  recipe.particles = request.particles;
  recipe.seed = seed;
  recipe.threads = request.threads;
  const auto begin = reproduce::Clock::now();
  const auto flight = assemble::make_flight(plan::resolve(recipe), 0, &user_target);
  const run::Outcome outcome = run::fly(*flight);
  Measured run;
  run.seconds = reproduce::seconds_since(begin);
  if (outcome.failure) {
    try {
      std::rethrow_exception(outcome.failure);
    } catch (const std::exception& error) {
      run.failure = error.what();
      return run;
    }
  }
  for (std::size_t a = 0; a < user_target.dim; ++a)
    take_worst(run.errors, outcome.names[a],
               std::abs(outcome.diagnosis.parameters[a].mean - shape.mean[a]) / shape.sd[a],
               outcome.diagnosis.parameters[a].sd / shape.sd[a]);
  take_report(outcome, run);
  return run;
}

} // namespace

Json bench_shapes(const BenchRequest& request) {
  const std::uint64_t seeds = request.seeds ? request.seeds : shape_seeds;
  Json report = {{"particles", request.particles}, {"runs", Json::array()}};
  fmt::print("shapes: N = {}, {} seeds\n{:<20} {:>5} {:>5} {:>10} {:>16} {:>20} {:>13} {:>10}\n",
             request.particles, seeds, "shape", "pass", "wrong", "converged", "wrong, converged",
             "right, not converged", "several modes", "gradients");
  for (const Shape& shape : shapes()) {
    if (!request.only.empty() && std::ranges::none_of(request.only, [&](const auto& part) {
          return shape.name.find(part) != shape.name.npos;
        }))
      continue;
    Tally tally;
    std::size_t converged = 0, several = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const Measured run = run_on(shape, request, seed);
      tally.add(run);
      converged += run.verdict == "converged";
      several += run.modes > 1;
      report["runs"].push_back(to_json(shape.name, seed, 0, run));
    }
    fmt::print("{:<20} {:>5} {:>5} {:>10} {:>16} {:>20} {:>13} {:>10.0f}\n", shape.name,
               tally.passes, tally.wrong, converged, tally.wrong_converged,
               tally.right_not_converged, several, median_of(tally.gradients));
    std::fflush(stdout);
    report["tally"][shape.name] = tally.json();
  }
  fmt::print("\n");
  return report;
}

} // namespace starling::tool
