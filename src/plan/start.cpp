// Which starts there are: by a rule, the target's own, from a file, given by the program.
#include "plan/start.hpp"

#include "plan/names.hpp"
#include "plan/spec.hpp"

#include <starling/error.hpp>

#include <fmt/format.h>

namespace starling::plan {

namespace {

/// What normal:MEAN,SD and uniform:LO,HI say.
Start read_rule(const std::string& text) {
  const auto [name, argument] = parse_named(text);
  const auto numbers = argument.empty() ? std::vector<double>() : parse_numbers("start", argument);
  const bool uniform = name == "uniform";
  if (numbers.size() != 2 || (uniform ? !(numbers[0] < numbers[1]) : !(numbers[1] >= 0)))
    reject("start",
           uniform ? "uniform:LO,HI with LO below HI" : "normal:MEAN,SD with SD at least 0",
           "'" + text + "'");
  return uniform ? Start(StartUniform{numbers[0], numbers[1]})
                 : StartNormal{numbers[0], numbers[1]};
}

} // namespace

void resolve_start(Plan& plan) {
  std::string& text = plan.recipe.start;
  if (text.empty())
    text = plan.target ? plan.target->default_start : "normal:0,1";
  if (text == "given") {
    plan.start = StartGiven();
    return;
  }
  if (text.ends_with(".npy") || text.ends_with(".checkpoint")) {
    plan.start = StartFile{text};
    return;
  }
  const std::vector<std::string> own =
      plan.target ? plan.target->starts : std::vector<std::string>();
  for (const std::string& start : own) {
    const bool file = start.starts_with("FILE");
    if (file ? text.ends_with(start.substr(4)) : text == start) {
      plan.start = StartOwn{file ? text : std::string()};
      return;
    }
    if (!file && text.starts_with(start + ":"))
      refuse("start", fmt::format("{} takes no settings; got '{}'", start, text));
  }
  std::vector<std::string> known = {"normal", "uniform"};
  known.insert(known.end(), own.begin(), own.end());
  known.push_back("FILE.npy");
  if (const auto name = parse_named(text).first; name != "normal" && name != "uniform")
    choose("start", name, known);
  plan.start = read_rule(text);
}

} // namespace starling::plan
