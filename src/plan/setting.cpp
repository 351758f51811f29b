// Settings: text to value, ranges, usual values.
#include "plan/setting.hpp"

#include "plan/names.hpp"
#include "plan/spec.hpp"

#include <starling/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace starling::plan {

std::string Range::in_words() const {
  const bool below = std::isinf(low), above = std::isinf(high);
  if (!below && low == 0 && low_open && above)
    return "a positive finite number";
  const std::string from = fmt::format("{}{}", low_open ? "above " : "at least ", low);
  const std::string to = fmt::format("{}{}", high_open ? "below " : "at most ", high);
  if (!below && !above && low_open && high_open)
    return fmt::format("between {} and {}", low, high);
  return below ? (above ? "a finite number" : to) : above ? from : from + " and " + to;
}

Value parse(const Setting& setting, std::string_view text) {
  if (std::holds_alternative<double>(setting.default_value))
    return parse_number(setting.name, text);
  if (std::holds_alternative<std::uint64_t>(setting.default_value))
    return std::uint64_t{parse_count(setting.name, text, 0)};
  if (std::holds_alternative<bool>(setting.default_value)) {
    choose(setting.name, text, {"true", "false"});
    return text == "true";
  }
  return std::string(text);
}

void check(const Setting& setting, const Value& value) {
  if (const auto* x = std::get_if<double>(&value);
      x && !(std::isfinite(*x) && setting.range.holds(*x)))
    reject(setting.name, setting.range.in_words(), fmt::format("{}", *x));
  if (const auto* n = std::get_if<std::uint64_t>(&value);
      n && !setting.range.holds(static_cast<double>(*n)))
    reject(setting.name, setting.range.in_words(), fmt::format("{}", *n));
  if (const auto* text = std::get_if<std::string>(&value); text && setting.choice)
    choose(setting.name, *text, setting.words);
}

Given with_defaults(const std::vector<Setting>& settings, const Given& given) {
  Given all;
  for (const Setting& setting : settings) {
    const auto found = given.find(setting.name);
    const Value& value = found == given.end() ? setting.default_value : found->second;
    check(setting, value);
    all[setting.name] = value;
  }
  return all;
}

std::string shown(const Value& value) {
  return std::visit([](const auto& one) { return fmt::format("{}", one); }, value);
}

} // namespace starling::plan
