// Parsing of the small texts that options take.
#include "plan/spec.hpp"

#include "plan/names.hpp"

#include <starling/error.hpp>

#include <charconv>
#include <cmath>
#include <stdexcept>

namespace starling::plan {

namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

template <typename Number>
std::optional<Number> whole_text_as(std::string_view text) {
  if (text.starts_with('+'))
    text.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

} // namespace

double parse_number(std::string_view what, std::string_view text) {
  text = trim(text);
  const std::size_t slash = text.find('/');
  const auto above = whole_text_as<double>(text.substr(0, slash));
  const auto below =
      slash == text.npos ? std::optional(1.0) : whole_text_as<double>(text.substr(slash + 1));
  const double value = above && below ? *above / *below : NAN;
  if (!std::isfinite(value))
    reject(std::string(what), "a finite number", "'" + std::string(text) + "'");
  return value;
}

std::size_t parse_count(std::string_view what, std::string_view text, std::size_t least) {
  const auto value = whole_text_as<std::int64_t>(trim(text));
  if (!value || *value < static_cast<std::int64_t>(least))
    reject(std::string(what), "a whole number of at least " + std::to_string(least),
           "'" + std::string(text) + "'");
  return static_cast<std::size_t>(*value);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(trim(text.substr(0, at)));
    if (at == text.npos)
      return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<double> parse_numbers(std::string_view what, std::string_view text) {
  std::vector<double> numbers;
  for (const std::string& part : split(text, ','))
    numbers.push_back(parse_number(what, part));
  return numbers;
}

std::pair<std::string, std::string> parse_named(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos)
    return {std::string(trim(text)), {}};
  return {std::string(trim(text.substr(0, colon))), std::string(trim(text.substr(colon + 1)))};
}

std::vector<KernelTerm> parse_kernel(std::string_view text) {
  static const std::vector<std::string> names = {"gaussian",   "gaussian-paper", "imq",
                                                 "matern32",   "matern52",       "polynomial",
                                                 "sinc",       "riesz",          "riesz-smooth",
                                                 "bilinear"};
  static const std::map<std::string, std::map<std::string, double>> usual = {
      {"polynomial", {{"a", 1}, {"m", 2}}},
      {"sinc", {{"a", 1}}},
      {"riesz", {{"a", 0.5}}},
      {"riesz-smooth", {{"a", 0.5}, {"s", 1}}}};

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
    term.name = name;
    choose("kernel", name, names);
    if (const auto found = usual.find(name); found != usual.end())
      term.settings = found->second;
    std::vector<std::string> known;
    for (const auto& [key, value] : term.settings)
      known.push_back(key);
    if (!settings.empty())
      for (const std::string& setting : split(settings, ',')) {
        const std::size_t equals = setting.find('=');
        const std::string key = setting.substr(0, equals);
        if (equals == setting.npos || !term.settings.contains(key)) {
          std::string takes;
          for (const std::string& one : known)
            takes += (takes.empty() ? "" : ", ") + one + "=NUMBER";
          reject("kernel " + name, takes.empty() ? "given without settings" : "set by " + takes,
                 "'" + setting + "'");
        }
        term.settings[key] = parse_number("kernel " + name + ", " + key,
                                          std::string_view(setting).substr(equals + 1));
      }
    terms.push_back(std::move(term));
  }
  return terms;
}

BandwidthSpec parse_bandwidth(std::string_view text) {
  using Kind = BandwidthSpec::Kind;
  const auto [name, argument] = parse_named(text);
  if (name == "none")
    return {};
  if (name == "median" && argument.empty())
    return {Kind::median, 0, 0};
  if (name == "median")
    return {Kind::sampled, 0, parse_count("bandwidth median:M", argument, 1)};
  double h = NAN;
  try {
    h = parse_number("bandwidth", text);
  } catch (const std::invalid_argument&) { // said below, with the other forms
  }
  if (!(h > 0))
    reject("bandwidth", "a positive number, median or median:M", "'" + std::string(text) + "'");
  return {Kind::fixed, h, 0};
}

} // namespace starling::plan
