// Columns of a table by name or index.
#include "io/columns.hpp"

#include "io/errors.hpp"
#include "io/fields.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace starling::io {
namespace {

/// `what` says for which option: "label" or "drop".
std::size_t find_column(const std::filesystem::path& file, const char* what,
                        const std::string& wanted, const std::vector<std::string>& names,
                        bool has_header) {
  const auto columns = static_cast<long long>(names.size());
  if (has_header) {
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (found != names.end()) {
      if (std::find(found + 1, names.end(), wanted) != names.end())
        throw BadData(file,
                      fmt::format("{} {}: must name one column; got several", what, shown(wanted)));
      return static_cast<std::size_t>(found - names.begin());
    }
  }
  long long index = 0;
  const auto [stop, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
  if (error == std::errc::invalid_argument || stop != wanted.data() + wanted.size())
    throw BadData(file, fmt::format("{} {}{}", what, shown(wanted),
                                    has_header ? ": is not a column" + did_you_mean(wanted, names)
                                               : ": must be an index, as there is no header"));
  if (error != std::errc() || index >= columns || index < -columns)
    throw BadData(file, fmt::format("{}: must be an index from {} to {}; got {}", what, -columns,
                                    columns - 1, wanted));
  return static_cast<std::size_t>(index < 0 ? index + columns : index);
}

/// Parted by commas, but for those between double quotes; "" in quotes is a quote.
std::vector<std::string> listed(std::string_view list) {
  std::vector<std::string> names(1);
  bool quoted = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '"' && quoted && i + 1 < list.size() && list[i + 1] == '"')
      names.back() += list[++i];
    else if (list[i] == '"')
      quoted = !quoted;
    else if (list[i] == ',' && !quoted)
      names.emplace_back();
    else
      names.back() += list[i];
  }
  for (std::string& name : names)
    name = std::string(trimmed(name));
  return names;
}

} // namespace

std::size_t find_label(const std::filesystem::path& file, const std::string& label,
                       const std::vector<std::string>& names, bool has_header) {
  return label.empty() ? names.size() - 1 : find_column(file, "label", label, names, has_header);
}

std::vector<bool> find_dropped(const std::filesystem::path& file, const std::string& drop,
                               const std::vector<std::string>& names, bool has_header,
                               std::size_t label_column) {
  std::vector<bool> dropped(names.size(), false);
  for (const std::size_t column : find_columns(file, "drop", drop, names, has_header))
    dropped[column] = true;
  if (dropped[label_column])
    throw BadData(file, "drop: cannot drop the label");
  if (!drop.empty() &&
      std::ranges::count(dropped, true) + 1 == static_cast<std::ptrdiff_t>(names.size()))
    throw BadData(file, "drop: must leave at least one feature; got all of them");
  return dropped;
}

std::vector<std::size_t> find_columns(const std::filesystem::path& file, const char* what,
                                      const std::string& list,
                                      const std::vector<std::string>& names, bool has_header) {
  std::vector<std::size_t> columns;
  if (!list.empty())
    for (const std::string& name : listed(list))
      columns.push_back(find_column(file, what, name, names, has_header));
  return columns;
}

std::vector<std::pair<std::size_t, std::string>> find_bases(const std::filesystem::path& file,
                                                            const std::string& list,
                                                            const std::vector<std::string>& names,
                                                            bool has_header) {
  std::vector<std::pair<std::size_t, std::string>> bases;
  if (list.empty())
    return bases;
  for (const std::string& one : listed(list)) {
    std::size_t equals = one.find('='); // names may have one too: the first that ends a name
    for (std::size_t at = equals; at != one.npos; at = one.find('=', at + 1))
      if (std::ranges::find(names, one.substr(0, at)) != names.end()) {
        equals = at;
        break;
      }
    if (equals == one.npos)
      throw BadData(file, fmt::format("base: must be COLUMN=LEVEL; got {}", shown(one)));
    bases.emplace_back(find_column(file, "base", one.substr(0, equals), names, has_header),
                       one.substr(equals + 1));
  }
  return bases;
}

std::string in_list(const std::string& name) {
  if (name.find_first_of(",\"") == std::string::npos)
    return name;
  std::string text = "\"";
  for (const char c : name)
    text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

} // namespace starling::io
