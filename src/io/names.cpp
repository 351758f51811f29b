// Names of columns: taken apart into a stem and indices, put together into variables.
#include "io/names.hpp"

#include <starling/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace starling::io {
namespace {

using Indices = std::vector<std::size_t>;

/// Whole numbers with this between them, written as we would write them; false if it is anything
/// else.
bool read_indices(std::string_view text, char between, Indices& indices) {
  for (bool more = true; more;) {
    const std::size_t end = std::min(text.find(between), text.size());
    const std::string_view digits = text.substr(0, end);
    std::size_t index = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (digits.empty() || error != std::errc() || stop != digits.data() + digits.size() ||
        (digits[0] == '0' && digits.size() > 1))
      return false;
    indices.push_back(index);
    more = end < text.size();
    text.remove_prefix(more ? end + 1 : end);
  }
  return true;
}

struct Column {
  std::size_t place;
  Indices indices;
};

/// Whether the indices of these different columns are all of a box.
bool fill_a_box(const std::vector<Column>& columns, Indices& shape, Indices& first) {
  first = columns.front().indices;
  Indices last = first;
  for (const Column& column : columns) {
    if (column.indices.size() != first.size())
      return false;
    for (std::size_t k = 0; k < first.size(); ++k) {
      first[k] = std::min(first[k], column.indices[k]);
      last[k] = std::max(last[k], column.indices[k]);
    }
  }
  shape.resize(first.size());
  std::size_t cells = 1; // all are different and inside, so the count decides
  for (std::size_t k = 0; k < first.size(); ++k) {
    if (first[k] > 1 || last[k] - first[k] >= columns.size())
      return false;
    shape[k] = last[k] - first[k] + 1;
    if ((cells *= shape[k]) > columns.size())
      return false;
  }
  return cells == columns.size();
}

Variable array_of(std::string stem, Indices shape, Indices first,
                  const std::vector<Column>& columns) {
  Variable v{std::move(stem), std::move(shape), std::move(first), Indices(columns.size())};
  for (const Column& column : columns) {
    std::size_t cell = 0; // row-major, though Stan's names run through the first index fastest
    for (std::size_t k = 0; k < v.shape.size(); ++k)
      cell = cell * v.shape[k] + column.indices[k] - v.first[k];
    v.columns[cell] = column.place;
  }
  return v;
}

} // namespace

ApartName taken_apart(std::string_view name) {
  const std::size_t open = name.find('[');
  Indices indices;
  if (open != std::string_view::npos && open > 0 && name.ends_with(']') &&
      read_indices(name.substr(open + 1, name.size() - open - 2), ',', indices))
    return {std::string(name.substr(0, open)), std::move(indices)};
  return {std::string(name), {}};
}

ApartName taken_apart_at_dots(std::string_view name) {
  const std::size_t dot = name.find('.');
  Indices indices;
  if (dot != std::string_view::npos && dot > 0 &&
      read_indices(name.substr(dot + 1), '.', indices) &&
      std::ranges::find(indices, std::size_t{0}) == indices.end())
    return {std::string(name.substr(0, dot)), std::move(indices)};
  return {std::string(name), {}};
}

std::vector<Variable> variables_of(const std::vector<std::string>& names) {
  std::vector<std::string> order; // of the stems, by their first column
  std::map<std::string, std::vector<Column>> families;
  std::set<std::pair<std::string, Indices>> seen;
  for (std::size_t place = 0; place < names.size(); ++place) {
    ApartName apart = taken_apart(names[place]);
    if (!seen.emplace(apart.stem, apart.indices).second)
      reject("draws", "named differently in each column", names[place] + " twice");
    std::vector<Column>& family = families[apart.stem];
    if (family.empty())
      order.push_back(apart.stem);
    family.push_back({place, std::move(apart.indices)});
  }
  std::vector<Variable> variables;
  for (const std::string& stem : order) {
    const std::vector<Column>& family = families[stem];
    if (Indices shape, first; fill_a_box(family, shape, first)) {
      variables.push_back(array_of(stem, std::move(shape), std::move(first), family));
      continue;
    }
    for (const Column& column : family)
      variables.push_back({names[column.place], {}, {}, {column.place}});
  }
  return variables;
}

bool is_figure(std::string_view name) {
  constexpr std::array<std::string_view, 13> figures = {
      "lp__",        "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__",
      "divergent__", "energy__",      "log_p__",    "log_g__",     "lp_approx__",
      "path__",      "log_q__",       "weight__"};
  return std::ranges::find(figures, name) != figures.end();
}

} // namespace starling::io
