// What the command line, a file or Python asked for, as plain data. Lives at the edge only.
#pragma once

#include "plan/setting.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace starling::plan {

/// A number of steps that is left open.
inline constexpr std::uint64_t undecided = UINT64_MAX;

/// Every choice a run has. Texts are in the form the command line takes; an empty text means
/// "decide for me". `resolve` makes a Plan of it, in which nothing is left open.
struct Recipe {
  std::string target;
  Given extra; ///< settings of the target and of the step rule, by name; absent: the usual value

  std::string method; ///< auto, paper; empty: auto where that is possible and nothing of the method
                      ///< was asked for
  std::string prefit, metric, certify, exact, polish; ///< the stages of auto

  std::uint64_t particles = 1000;
  std::string batch;
  std::uint64_t steps = undecided;
  bool until_converged = false;
  std::uint64_t seed = 1;
  std::uint64_t runs = 1;
  std::string kernel = "gaussian";
  std::string bandwidth;
  std::string advance = "adagrad";
  double step_size = 0.1;
  std::string deal;
  bool replace = false;
  std::string grow_batch;
  std::string start;
  std::string domain;
  std::string precision = "double";
  std::uint64_t threads = 0;
  std::string device = "cpu";
  std::uint64_t blocks = undecided; ///< of rows, that ranks hold whole

  /// For programs: recipe.set("dim", 3).
  Recipe& set(const std::string& name, Value value) {
    extra[name] = std::move(value);
    return *this;
  }
  /// A text that the target was given, or an empty one.
  std::string text_of(const std::string& name) const {
    const auto found = extra.find(name);
    const auto* text = found == extra.end() ? nullptr : std::get_if<std::string>(&found->second);
    return text ? *text : std::string();
  }
};

/// Whether it asks for something that only the raw method has: a start, steps, a batch, a kernel
/// ...
bool asks_for_the_raw_method(const Recipe& recipe);

/// Of the options that ask for the raw method.
inline constexpr const char* raw_heading = "Raw method, which any of these asks for";

/// What is told about a field of a recipe beside its value.
struct About {
  std::string group; ///< the heading in the help
  std::string name;  ///< as the option has it, without the dashes
  std::string help;
  std::vector<std::string> words = {}; ///< what completion offers
  bool raw = false;                    ///< given, it asks for the raw method
};

/// One for each field, in the order of for_each_field.
const std::vector<About>& abouts();

/// Calls visit(about, field of a, field of b) for every field that all targets share.
template <typename A, typename B, typename Visit>
void for_each_pair(A& a, B& b, Visit&& visit) {
  const auto& about = abouts();
  std::size_t n = 0;
  const auto next = [&](auto field) { visit(about.at(n++), a.*field, b.*field); };
  next(&Recipe::particles), next(&Recipe::batch), next(&Recipe::steps),
      next(&Recipe::until_converged);
  next(&Recipe::seed), next(&Recipe::runs), next(&Recipe::start), next(&Recipe::threads);
  next(&Recipe::device);
  next(&Recipe::blocks);
  next(&Recipe::precision), next(&Recipe::method), next(&Recipe::prefit), next(&Recipe::metric);
  next(&Recipe::certify), next(&Recipe::exact), next(&Recipe::polish), next(&Recipe::kernel);
  next(&Recipe::bandwidth), next(&Recipe::advance), next(&Recipe::step_size), next(&Recipe::deal);
  next(&Recipe::replace), next(&Recipe::grow_batch), next(&Recipe::domain);
}

/// Calls visit(about, field): options, TOML keys and config.toml are made from this list and from
/// extras().
template <typename AnyRecipe, typename Visit>
void for_each_field(AnyRecipe& r, Visit&& visit) {
  for_each_pair(r, r, [&](const About& about, auto& field, auto&) { visit(about, field); });
}

} // namespace starling::plan
