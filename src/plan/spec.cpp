// Parsing of the small texts that options take.
#include "plan/spec.hpp"

#include <starling/error.hpp>

#include <charconv>
#include <cmath>
#include <optional>
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
  const std::string_view digits = trim(text);
  const auto value = whole_text_as<std::int64_t>(digits);
  if (!value && !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos)
    reject(std::string(what), "a whole number below 2^63", "'" + std::string(text) + "'");
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

} // namespace starling::plan
