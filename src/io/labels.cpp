// Turns labels into 0 and 1: as numbers if all are numbers, otherwise as strings.
#include "io/any_text.hpp"
#include "io/errors.hpp"
#include "io/fields.hpp"
#include "io/table.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace starling::io {
namespace {

/// The distinct values in order, each with how it first stands in the text.
template <class Value>
using Classes = std::map<Value, std::string_view>;

template <class Value>
Classes<Value> classes_of(const std::vector<Value>& labels,
                          const std::vector<std::string_view>& texts) {
  Classes<Value> classes;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (i == 0 || labels[i] != labels[i - 1]) // labels come in runs
      classes.emplace(labels[i], texts[i]);
  return classes;
}

template <class Value>
std::string listed(const Classes<Value>& classes) {
  constexpr std::size_t most = 10;
  std::string list;
  std::size_t count = 0;
  for (const auto& [value, text] : classes) {
    if (count++ == most)
      return list + ", ...";
    const std::string quoted = shown(text);
    list += (count == 1 ? "" : ", ") + quoted.substr(1, quoted.size() - 2);
  }
  return list;
}

/// `wanted` is null when a positive value was given that is not even of the labels' type.
template <class Value>
BinaryLabels marked(const std::string& where, const std::vector<Value>& labels,
                    const std::vector<std::string_view>& texts, const std::string& positive,
                    const Value* wanted) {
  const Classes<Value> classes = classes_of(labels, texts);
  if (classes.size() == 1)
    throw BadData(where + "must have two classes; got only " + listed(classes));
  if (positive.empty() && classes.size() > 2)
    throw BadData(where + "has " + std::to_string(classes.size()) + " classes (" + listed(classes) +
                  "); give --positive VALUE to choose one");
  if (!positive.empty() && (wanted == nullptr || !classes.contains(*wanted)))
    throw BadData(where + "positive must be one of " + listed(classes) + "; got " +
                  shown(positive));
  const auto one = positive.empty() ? std::prev(classes.end()) : classes.find(*wanted);
  BinaryLabels result;
  result.values.resize(labels.size());
  std::transform(labels.begin(), labels.end(), result.values.begin(),
                 [&](const Value& label) { return label == one->first ? 1.0 : 0.0; });
  result.positives =
      static_cast<std::size_t>(std::count(result.values.begin(), result.values.end(), 1.0));
  result.positive = utf8(one->second);
  if (classes.size() == 2)
    result.negative =
        utf8(one == classes.begin() ? classes.rbegin()->second : classes.begin()->second);
  return result;
}

} // namespace

BinaryLabels binary_labels(const std::filesystem::path& file, const std::string& label_name,
                           const std::vector<std::string_view>& labels,
                           const std::string& positive) {
  const std::string where = file.string() + ": label " + label_name + ": ";
  std::vector<double> numbers(labels.size());
  const auto bad =
      std::mismatch(labels.begin(), labels.end(), numbers.begin(),
                    [](std::string_view text, double& value) { return to_number(text, value); });
  if (bad.first == labels.end()) {
    double number = 0;
    const bool is_number = to_number(trimmed(positive), number);
    return marked<double>(where, numbers, labels, positive, is_number ? &number : nullptr);
  }
  const std::string_view wanted = positive;
  return marked<std::string_view>(where, labels, labels, positive, &wanted);
}

std::vector<double> number_labels(const std::filesystem::path& file, const std::string& label_name,
                                  const std::vector<std::string_view>& labels, bool counts) {
  std::vector<double> numbers(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool fits = to_number(labels[i], numbers[i]) && std::isfinite(numbers[i]) &&
                      (!counts || (numbers[i] >= 0 && numbers[i] == std::floor(numbers[i])));
    if (!fits)
      throw BadData(file.string() + ": label " + label_name + ": must be a " +
                    (counts ? "whole number from 0" : "number") + " in every row; got " +
                    shown(labels[i]));
  }
  return numbers;
}

std::vector<double> class_labels(const std::filesystem::path& file, const std::string& label_name,
                                 const std::vector<std::string_view>& labels,
                                 std::vector<std::string>& classes) {
  constexpr std::size_t most = 100;
  std::vector<double> numbers(labels.size()), values(labels.size());
  const bool are_numbers = std::ranges::equal(
      labels, numbers, [](std::string_view text, double& n) { return to_number(text, n); });
  const auto mark = [&](const auto& of) {
    const auto found = classes_of(std::vector(of.begin(), of.end()), labels);
    if (found.size() < 2 || found.size() > most)
      throw BadData(file.string() + ": label " + label_name + ": must have 2 to 100 classes; got " +
                    std::to_string(found.size()));
    for (const auto& [value, text] : found)
      classes.push_back(utf8(text));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<double>(std::distance(found.begin(), found.find(of[i])));
  };
  are_numbers ? mark(numbers) : mark(labels);
  return values;
}

} // namespace starling::io
