// The small texts that options take: numbers and fractions, lists, NAME:ARGUMENTS.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starling::plan {

/// A finite number, also written as a fraction (1/3). Throws invalid_argument naming `what`.
double parse_number(std::string_view what, std::string_view text);

/// A whole number of at least `least`.
std::size_t parse_count(std::string_view what, std::string_view text, std::size_t least);

std::vector<std::string> split(std::string_view text, char separator);
std::vector<double> parse_numbers(std::string_view what, std::string_view text);

/// "normal:-10,1" -> ("normal", "-10,1").
std::pair<std::string, std::string> parse_named(std::string_view text);

} // namespace starling::plan
