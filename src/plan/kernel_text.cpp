// Reading a kernel.
#include "plan/kernel_text.hpp"

#include "plan/names.hpp"
#include "plan/spec.hpp"

#include <starling/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace starling::plan {

namespace {

/// What can be set: "a=NUMBER, m=NUMBER".
std::string settable(const KernelEntry& kernel) {
  std::vector<std::string> texts;
  for (const Setting& setting : kernel.settings)
    texts.push_back(setting.name + "=NUMBER");
  return fmt::format("{}", fmt::join(texts, ", "));
}

void set(KernelTerm& term, const std::string& text) {
  const KernelEntry& kernel = *term.kernel;
  const std::size_t equals = text.find('=');
  const std::string key = text.substr(0, equals);
  const auto setting = std::ranges::find(kernel.settings, key, &Setting::name);
  if (kernel.settings.empty())
    refuse("kernel " + kernel.name, fmt::format("takes no settings; got '{}'", text));
  if (equals == text.npos || setting == kernel.settings.end())
    refuse("kernel " + kernel.name, fmt::format("takes {}; got '{}'", settable(kernel), text));
  const std::string what = fmt::format("kernel {}, {}", kernel.name, key);
  const double value = parse_number(what, std::string_view(text).substr(equals + 1));
  if (std::holds_alternative<std::uint64_t>(setting->default_value)) {
    if (!setting->range.holds(value) || value != std::floor(value))
      reject(what,
             fmt::format("a whole number from {} to {}", setting->range.low, setting->range.high),
             fmt::format("{}", value));
    term.settings[key] = static_cast<std::uint64_t>(value);
    return;
  }
  if (!setting->range.holds(value))
    reject(what, setting->range.in_words(), fmt::format("{}", value));
  term.settings[key] = value;
}

} // namespace

std::vector<KernelTerm> parse_kernel(std::string_view text) {
  std::vector<KernelTerm> terms;
  for (const std::string& part : split(text, '+')) {
    KernelTerm term;
    const std::size_t star = part.find('*');
    if (star != part.npos) {
      term.weight = parse_number("kernel weight", std::string_view(part).substr(0, star));
      if (!(term.weight > 0))
        reject("kernel weight", "positive", part.substr(0, star));
    }
    const auto [name, settings] =
        parse_named(std::string_view(part).substr(star == part.npos ? 0 : star + 1));
    term.kernel = &kernels()[choose("kernel", name, names_of(kernels()))];
    term.settings = with_defaults(term.kernel->settings, {});
    if (!settings.empty())
      for (const std::string& setting : split(settings, ','))
        set(term, setting);
    terms.push_back(std::move(term));
  }
  return terms;
}

} // namespace starling::plan
