// How the columns of a table became features, as JSON.
#include "io/table_use.hpp"

#include "io/errors.hpp"
#include "io/fields.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace starling::io {

std::optional<std::size_t> ColumnUse::level(std::string_view text) const {
  const auto place = [&](auto found) -> std::optional<std::size_t> {
    if (found == levels.end())
      return std::nullopt;
    return static_cast<std::size_t>(found - levels.begin());
  };
  if (const auto same = place(std::ranges::find(levels, text)))
    return same;
  double wanted = 0;
  if (!to_number(text, wanted))
    return std::nullopt;
  return place(std::ranges::find_if(levels, [&](const std::string& level) {
    double value = 0;
    return to_number(level, value) && value == wanted;
  }));
}

std::vector<std::string> TableUse::feature_names() const {
  std::vector<std::string> names;
  for (const ColumnUse& column : columns) {
    if (column.levels.empty())
      names.push_back(column.name);
    for (std::size_t l = 1; l < column.levels.size(); ++l)
      names.push_back(column.name + "=" + column.levels[l]);
  }
  return names;
}

std::string to_json_text(const TableUse& use) {
  using Json = nlohmann::ordered_json;
  Json columns = Json::array();
  for (const ColumnUse& column : use.columns) {
    columns.push_back({{"name", column.name}});
    if (!column.levels.empty()) {
      columns.back()["base"] = column.levels[0];
      columns.back()["levels"] = column.levels;
    }
  }
  Json j = {{"label", use.label}};
  if (!use.classes.empty())
    j["classes"] = use.classes;
  j["rows"] = use.rows;
  j["left_out"] = use.left_out;
  j["columns"] = std::move(columns);
  return j.dump();
}

TableUse table_use_of(const std::string& json) {
  using Json = nlohmann::json;
  TableUse use;
  try {
    const Json j = Json::parse(json);
    use.label = j.at("label");
    use.classes = j.value("classes", use.classes);
    use.rows = j.at("rows");
    use.left_out = j.at("left_out");
    for (const Json& one : j.at("columns"))
      use.columns.push_back({one.at("name"), one.value("levels", std::vector<std::string>())});
  } catch (const Json::exception&) {
    throw BadData("table: must be that of the summary.json of a regression");
  }
  return use;
}

} // namespace starling::io
