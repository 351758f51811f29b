// Runs on shapes: as a user would, or a cloud certified as it is.
#include "shape_runs.hpp"

#include "assemble/flight.hpp"
#include "plan/plan.hpp"
#include "step_times.hpp"

#include <starling/run/fly.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace starling::tool {

plan::Recipe usual_recipe(std::uint64_t particles, std::uint64_t seed, std::uint64_t threads) {
  plan::Recipe recipe;
  recipe.target = "guest";
  recipe.particles = particles;
  recipe.seed = seed;
  recipe.threads = threads;
  return recipe;
}

plan::Recipe as_it_is(plan::Recipe recipe) {
  recipe.method = "auto";
  recipe.prefit = recipe.exact = recipe.polish = "none";
  recipe.steps = 0;
  recipe.start = "given";
  return recipe;
}

plan::Recipe polished_too_long(plan::Recipe recipe) {
  recipe = as_it_is(std::move(recipe));
  recipe.certify = "none";
  recipe.steps = 1000;
  return recipe;
}

ShapeRun run_on_shape(const Shape& shape, const plan::Recipe& recipe,
                      std::span<const double> positions) {
  assemble::UserTarget user_target;
  user_target.dim = shape.dim();
  user_target.in_double = [&](Step, Rows<const double> x, Rows<double> score,
                              std::span<double> density) {
    for (std::size_t i = 0; i < x.count; ++i) {
      const double value = shape.density(x[i], score[i]);
      if (!density.empty())
        density[i] = value;
    }
  };
  const auto begin = reproduce::Clock::now();
  ShapeRun run;
  try {
    const auto flight = assemble::make_flight(plan::resolve(recipe), 0, &user_target, positions);
    run.outcome = run::fly(*flight);
    if (run.outcome.failure)
      std::rethrow_exception(run.outcome.failure);
  } catch (const std::invalid_argument&) {
    throw; // a mistake of the bench
  } catch (const std::exception& error) {
    run.failure = error.what();
  }
  run.seconds = reproduce::seconds_since(begin);
  return run;
}

bool asked_for(const BenchRequest& request, const std::string& name) {
  const auto has = [&](const std::string& part) { return name.find(part) != name.npos; };
  return (request.only.empty() || std::ranges::any_of(request.only, has)) &&
         std::ranges::none_of(request.skip, has);
}

void on_threads(std::size_t threads, std::size_t count,
                const std::function<void(std::size_t)>& work) {
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failed;
  std::mutex held;
  {
    std::vector<std::jthread> crew;
    for (std::size_t t = 0; t < std::min(threads, count); ++t)
      crew.emplace_back([&] {
        try {
          for (std::size_t k = next++; k < count; k = next++)
            work(k);
        } catch (...) {
          const std::lock_guard lock(held);
          failed = std::current_exception();
        }
      });
  }
  if (failed)
    std::rethrow_exception(failed);
}

} // namespace starling::tool
