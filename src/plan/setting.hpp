// A setting: something with a name, a usual value and a range, from which the option, the key of
// config files, the line of help, the words of completion and the argument in Python are all made.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace starling::plan {

using Value = std::variant<bool, std::uint64_t, double, std::string>;

/// Which numbers will do. The ends count unless they are open.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false, high_open = false;

  bool holds(double x) const {
    return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high);
  }
  /// "at least 0 and below 1", "a positive finite number".
  std::string in_words() const;
};
inline constexpr Range any_number{};
inline constexpr Range positive{0, std::numeric_limits<double>::infinity(), true, true};
inline constexpr Range at_least(double low) {
  return {low, std::numeric_limits<double>::infinity(), false, true};
}

struct Setting {
  std::string name;
  Value default_value; ///< its kind is the kind of the setting
  std::string help;
  Range range = any_number;            ///< of numbers
  std::vector<std::string> words = {}; ///< of texts: the choices, or what completion offers
  bool choice = false;                 ///< one of the words and nothing else will do
};

/// Settings that were given, by name.
using Given = std::map<std::string, Value>;

/// The text as a value of the setting's kind. Throws invalid_argument that names it.
Value parse(const Setting& setting, std::string_view text);

/// A value out of its range, or no choice, is refused by name.
void check(const Setting& setting, const Value& value);

/// What was given for each setting, or its usual value, checked.
Given with_defaults(const std::vector<Setting>& settings, const Given& given);

inline double number(const Given& given, const char* name) {
  return std::get<double>(given.at(name));
}
inline std::uint64_t count(const Given& given, const char* name) {
  return std::get<std::uint64_t>(given.at(name));
}
inline const std::string& text(const Given& given, const char* name) {
  return std::get<std::string>(given.at(name));
}

/// The value as an option or a file would say it.
std::string shown(const Value& value);

} // namespace starling::plan
