// What the command line, a file or Python asked for, as plain data. Lives at the edge only.
#pragma once

#include "plan/setting.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starling::plan {

/// A number of steps that is left open.
inline constexpr std::uint64_t undecided = UINT64_MAX;

/// Every choice a run has. Texts are in the form the command line takes. A setting of the raw
/// method that was not given is left open: an empty text, false, `undecided`, or no value. So a
/// recipe knows what was given, whoever made it. `resolve` makes a Plan of it, in which nothing is
/// left open.
struct Recipe {
  std::string target;
  Given extra; ///< settings of the target and of the step rule, by name; absent: the usual value

  std::string method; ///< auto, paper; empty: auto where that is possible and nothing of the method
                      ///< was asked for
  std::string prefit, metric, certify, exact, polish; ///< the stages of auto
  bool temper = false, evidence = false; ///< of auto: modes by tempering; the log evidence too

  std::uint64_t particles = 1000;
  std::string batch;
  std::uint64_t steps = undecided;
  bool until_converged = false;
  std::uint64_t seed = 1;
  std::uint64_t runs = 1;
  std::string kernel;
  std::string bandwidth;
  std::string advance;
  std::optional<double> step_size;
  std::string deal;
  bool replace = false;
  std::string grow_batch;
  std::string start;
  std::string domain;
  std::string precision;
  std::uint64_t threads = 0;
  std::string device;
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

inline bool left_open(const std::string& field) { return field.empty(); }
inline bool left_open(bool field) { return !field; }
inline bool left_open(std::uint64_t field) { return field == undecided; }
template <typename T>
bool left_open(const std::optional<T>& field) {
  return !field;
}

/// The same with every setting of the raw method that is left open and has one default for all runs
/// (kernel, step rule, step size, precision ...) set to that default.
Recipe with_defaults(Recipe recipe);

/// The settings that were given and that only the raw method has (batch, steps, a start, a kernel
/// ...), by name. Where no method is given, any of them asks for the raw method. The command line,
/// config files, Python and C++ programs are all decided here.
std::vector<std::string> raw_settings_given(const Recipe& recipe);

/// Of the options that ask for the raw method.
inline constexpr const char* raw_heading = "Method paper (any of these chooses it)";

/// What help, completion and config files say about a field of a recipe.
struct FieldInfo {
  std::string group; ///< the heading in the help
  std::string name;  ///< as the option has it, without the dashes
  std::string help;
  std::vector<std::string> words = {}; ///< what completion offers
  bool raw = false;                    ///< a setting of the raw method alone
};

/// One for each field, in the order of for_each_field.
const std::vector<FieldInfo>& field_infos();

/// Calls visit(info, field of a, field of b) for every field that all targets share.
template <typename A, typename B, typename Visit>
void for_each_pair(A& a, B& b, Visit&& visit) {
  const auto& info = field_infos();
  std::size_t n = 0;
  const auto next = [&](auto field) { visit(info.at(n++), a.*field, b.*field); };
  next(&Recipe::particles), next(&Recipe::batch), next(&Recipe::steps),
      next(&Recipe::until_converged);
  next(&Recipe::seed), next(&Recipe::runs), next(&Recipe::start), next(&Recipe::threads);
  next(&Recipe::device);
  next(&Recipe::blocks);
  next(&Recipe::precision), next(&Recipe::method), next(&Recipe::prefit), next(&Recipe::metric);
  next(&Recipe::certify), next(&Recipe::exact), next(&Recipe::polish), next(&Recipe::temper);
  next(&Recipe::evidence);
  next(&Recipe::kernel);
  next(&Recipe::bandwidth), next(&Recipe::advance), next(&Recipe::step_size), next(&Recipe::deal);
  next(&Recipe::replace), next(&Recipe::grow_batch), next(&Recipe::domain);
}

/// Calls visit(info, field): options, TOML keys and config.toml are made from this list and from
/// table_settings().
template <typename AnyRecipe, typename Visit>
void for_each_field(AnyRecipe& r, Visit&& visit) {
  for_each_pair(r, r, [&](const FieldInfo& info, auto& field, auto&) { visit(info, field); });
}

} // namespace starling::plan
