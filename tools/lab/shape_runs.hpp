// Runs on shapes: as a user would, or a cloud certified as it is.
#pragma once

#include "commands.hpp"
#include "shapes.hpp"

#include "plan/recipe.hpp"

#include <starling/run/flight.hpp>

#include <functional>
#include <string>
#include <vector>

namespace starling::tool {

struct ShapeRun {
  run::Outcome outcome;
  double seconds = 0;
  std::string failure; ///< why it stopped, if it did
};

/// The untuned default.
plan::Recipe usual_recipe(std::uint64_t particles, std::uint64_t seed, std::uint64_t threads);
/// No scout, no flight, no settling, no polish: exact moves judge the cloud that is given.
plan::Recipe as_it_is(plan::Recipe recipe);
/// SVGD alone, for as many steps as no run takes.
plan::Recipe polished_too_long(plan::Recipe recipe);

/// `positions`: where the recipe starts from a cloud that is given.
ShapeRun run_on_shape(const Shape& shape, const plan::Recipe& recipe,
                      std::span<const double> positions = {});

/// Whether its name has any of these parts; true where there are none.
bool asked_for(const BenchRequest& request, const std::string& name);

/// Calls work(k) for k below count, on several threads (0: one per core).
void on_threads(std::size_t threads, std::size_t count,
                const std::function<void(std::size_t)>& work);

} // namespace starling::tool
