// Names become variables with indices.
#include "io/zarr_layout.hpp"

#include "io/stan_csv.hpp"

#include <starling/error.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

namespace starling::io {
namespace {

using Json = nlohmann::ordered_json;
using Indices = std::vector<std::size_t>;

/// A column whose name is "theta.1.2": the indices count from 1.
struct Column {
  std::size_t place;
  std::string name;
  Indices indices;
};

Column column_of(std::size_t place, const std::string& name) {
  Column column{place, stan_name(name), {}};
  const char* const end = column.name.data() + column.name.size();
  for (std::size_t dot = column.name.find('.'); dot != std::string::npos;
       dot = column.name.find('.', dot + 1)) {
    std::size_t index = 0; // stays 0, which is in no box, when the number is too large
    std::from_chars(column.name.data() + dot + 1, end, index);
    column.indices.push_back(index);
  }
  return column;
}

/// The extents, if the indices of these different columns are all of a box from 1 on; else false.
bool fill_a_box(const std::vector<Column>& columns, Indices& extents) {
  extents = columns.front().indices;
  for (const Column& column : columns) {
    if (column.indices.size() != extents.size())
      return false;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      extents[k] = std::max(extents[k], column.indices[k]);
      if (column.indices[k] == 0 || column.indices[k] > columns.size())
        return false;
    }
  }
  std::size_t cells = 1; // all are different and inside, so the count decides
  for (const std::size_t extent : extents)
    if ((cells *= extent) > columns.size())
      return false;
  return cells == columns.size();
}

/// A dimension and its coordinate have names of their own, which no variable may have.
bool is_dimension(const std::string& name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  return name == "chain" || name == "draw" ||
         (last != std::string::npos && last + 1 < name.size() && last >= 4 &&
          name.compare(last - 4, 5, "_dim_") == 0);
}

class Layout {
public:
  void add(const std::string& group, std::string name, const Indices& shape,
           const std::vector<Column>& columns) {
    while (is_dimension(name) || !taken_.insert(group + "/" + name).second)
      name += '_';
    ZarrVariable variable{group, name, shape, Indices(columns.size())};
    for (const Column& column : columns) {
      std::size_t cell = 0; // row-major, though Stan's names run through the first index fastest
      for (std::size_t k = 0; k < shape.size(); ++k)
        cell = cell * shape[k] + column.indices[k] - 1;
      variable.columns[cell] = column.place;
    }
    variables.push_back(std::move(variable));
  }

  std::vector<ZarrVariable> variables;

private:
  std::set<std::string> taken_;
};

} // namespace

std::vector<ZarrVariable> zarr_layout(const std::vector<std::string>& names) {
  Layout layout;
  std::set<std::string> seen;
  std::vector<std::string> order; // of the variables, by their first column
  std::map<std::string, std::vector<Column>> variables;
  for (std::size_t place = 0; place < names.size(); ++place) {
    Column column = column_of(place, names[place]);
    if (!seen.insert(column.name).second)
      reject("draws", "named differently in each column", column.name + " twice");
    if (column.name.size() > 2 && column.name.ends_with("__")) {
      layout.add("sample_stats", column.name.substr(0, column.name.size() - 2), {}, {column});
      continue;
    }
    std::vector<Column>& same = variables[column.name.substr(0, column.name.find('.'))];
    if (same.empty())
      order.push_back(column.name.substr(0, column.name.find('.')));
    same.push_back(std::move(column));
  }
  for (const std::string& name : order) {
    Indices extents;
    if (const std::vector<Column>& columns = variables[name]; fill_a_box(columns, extents))
      layout.add("posterior", name, extents, columns);
    else
      for (const Column& column : columns)
        layout.add("posterior", column.name, {}, {column});
  }
  return std::move(layout.variables);
}

Json zarr_array(const char* type, const Indices& shape, const Indices& chunks) {
  return {{"chunks", chunks},   {"compressor", nullptr}, {"dtype", type},  {"fill_value", nullptr},
          {"filters", nullptr}, {"order", "C"},          {"shape", shape}, {"zarr_format", 2}};
}

Json zarr_array(const ZarrVariable& variable, std::size_t chains, std::size_t draws) {
  Indices shape = {chains, draws};
  shape.insert(shape.end(), variable.shape.begin(), variable.shape.end());
  Indices chunks = shape;
  chunks[0] = 1;
  return zarr_array("<f8", shape, chunks);
}

std::string zarr_chunk(const ZarrVariable& variable, std::size_t chain) {
  std::string name = std::to_string(chain) + ".0";
  for (std::size_t k = 0; k < variable.shape.size(); ++k)
    name += ".0";
  return name;
}

} // namespace starling::io
