// A recipe to TOML and back.
#include "plan/config.hpp"

#include "io/any_text.hpp"
#include "io/errors.hpp"
#include "io/fields.hpp"
#include "io/text.hpp"
#include "plan/names.hpp"
#include "plan/tables.hpp"

#include <starling/version.hpp>

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

namespace starling::plan {

namespace {

[[noreturn]] void wrong(const std::filesystem::path& file, const toml::node& node,
                        std::string_view key, std::string_view rule) {
  std::ostringstream got;
  if (node.is_value())
    node.visit([&](const auto& value) { got << value; });
  else
    got << (node.is_array() ? "an array" : "a table");
  throw BadConfig(fmt::format("{}:{}: {}: must be {}; got {}", file.string(),
                              node.source().begin.line, key, rule, got.str()));
}

template <typename Field>
void take(const std::filesystem::path& file, std::string_view key, const toml::node& node,
          Field& field) {
  if constexpr (std::is_same_v<Field, bool>) {
    const auto value = node.value_exact<bool>();
    if (!value)
      wrong(file, node, key, "true or false");
    field = *value;
  } else if constexpr (std::is_same_v<Field, double>) {
    const auto value = node.value<double>();
    if (!value || !node.is_number())
      wrong(file, node, key, "a number");
    field = *value;
  } else if constexpr (std::is_same_v<Field, std::uint64_t>) {
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < 0)
      wrong(file, node, key, "a whole number of at least 0");
    field = static_cast<std::uint64_t>(*value);
  } else { // texts: a bare number will do (batch = 8, bandwidth = 0.35)
    if (const auto text = node.value_exact<std::string>())
      field = io::bytes_from_utf8(*text);
    else if (const auto whole = node.value_exact<std::int64_t>())
      field = fmt::format("{}", *whole);
    else if (const auto number = node.value_exact<double>())
      field = fmt::format("{}", *number);
    else
      wrong(file, node, key, "a text or a number");
  }
}

template <typename T>
void take(const std::filesystem::path& file, std::string_view key, const toml::node& node,
          std::optional<T>& field) {
  take(file, key, node, field.emplace());
}

/// Whether a name, a closing bracket or nothing stands at this place.
bool may_follow(const std::string& text, std::size_t at) {
  if (at >= text.size())
    return true;
  const char c = text[at];
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '"' || c == '\'' || c == ']';
}

/// What the parser takes for granted, so that it may end the process or do anything at all: no byte
/// of zeros, a name after the brackets of a table, brackets that match, no letter beyond ASCII
/// where blanks are, no quote in what begins as a number, and no digit after such a one and a
/// blank. TOML has those letters in quotes and comments alone, the last in dates with a time, which
/// no run has.
void check_bytes(const std::string& text, const std::filesystem::path& file) {
  std::size_t line = 1;
  const auto refuse = [&](std::string_view rule, unsigned char got) {
    throw BadConfig(
        fmt::format("{}:{}: must be {}; got a byte of {:#04x}", file.string(), line, rule, got));
  };
  const auto is_blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto one_of = [](char c, std::string_view list) { return list.find(c) != list.npos; };
  std::string open; // brackets, outermost first
  char quote = 0;   // around where we are; 0: none
  bool three = false, comment = false, after_backslash = false, line_begins = true;
  bool line_ended = false; // since the backslash
  bool fresh = true,
       number =
           false; // whether a value may begin here; whether we are in one that begins as a number
  for (std::size_t i = text.starts_with("\xef\xbb\xbf") ? 3 : 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0)
      throw BadConfig(fmt::format("{}:{}: must be text; got a byte of zeros", file.string(), line));
    if (c == '\n') {
      ++line;
      comment = false;
      line_begins = fresh = true;
      number = false;
      line_ended = after_backslash;
      if (!three)
        quote = 0, after_backslash = false;
    } else if (quote == 0 && !comment) {
      if (byte >= 0x80)
        refuse("ASCII outside of quotes and comments", byte);
      comment = c == '#';
      if (c == '[' && line_begins && open.empty())
        if (const std::size_t name =
                text.find_first_not_of(" \t", i + (text.compare(i, 2, "[[") == 0 ? 2 : 1));
            !may_follow(text, name))
          refuse("the name of a table after its brackets", static_cast<unsigned char>(text[name]));
      line_begins = line_begins && is_blank(c);
      if (number && (c == '"' || c == '\''))
        refuse("without quotes in a number", byte);
      if (number && c == ' ' && i + 1 < text.size() && is_digit(text[i + 1]))
        refuse("a single value", static_cast<unsigned char>(text[i + 1]));
      number =
          number ? !is_blank(c) && !one_of(c, ",]}#") : fresh && (is_digit(c) || one_of(c, "+-"));
      fresh = is_blank(c) || one_of(c, "=,[]{}");
      if (c == '[' || c == '{') {
        open += c;
      } else if (c == ']' || c == '}') {
        if (open.empty() || open.back() != (c == ']' ? '[' : '{'))
          refuse("the bracket that closes the open one", byte);
        open.pop_back();
      }
      if (c == '"' || c == '\'') {
        quote = c;
        three = text.compare(i, 3, std::string(3, c)) == 0;
        i += three ? 2 : 0;
      }
    } else if (after_backslash && !is_blank(c)) {
      after_backslash = false;
      if (three && byte >= 0x80)
        refuse("ASCII after a backslash in three quotes", byte);
      if (std::exchange(line_ended, false))
        --i; // the backslash was for the end of its line: this one speaks for itself
    } else if (c == '\\' && quote == '"') {
      after_backslash = true;
    } else if (c == quote && quote != 0 && (!three || text.compare(i, 3, std::string(3, c)) == 0)) {
      for (i += three ? 2 : 0;
           three && i + 1 < text.size() && text[i + 1] == c;) // it may end in quotes of its own
        ++i;
      quote = 0;
      three = false;
    }
  }
}

} // namespace

void read_config(const std::filesystem::path& file, Recipe& recipe,
                 const std::vector<FurtherKey>& further) {
  std::string text;
  try {
    text = io::read_text(file);
  } catch (const io::BadData& error) { // packed, and damaged or of a kind that is not read
    throw BadConfig(error.what());
  }
  parse_config(text, file, recipe, further);
}

void parse_config(const std::string& text, const std::filesystem::path& file, Recipe& recipe,
                  const std::vector<FurtherKey>& further) {
  check_bytes(text, file);
  toml::table table;
  try {
    table = toml::parse(text, file.string());
  } catch (const toml::parse_error& error) {
    throw BadConfig(fmt::format("{}:{}: {}", file.string(), error.source().begin.line,
                                std::string(error.description())));
  }
  const toml::node* target = table.get("target");
  if (target)
    take(file, "target", *target, recipe.target);
  std::vector<std::string> known = {"target", "version"};
  for_each_field(recipe, [&](const FieldInfo& info, auto&) { known.push_back(info.name); });
  for (const TableSetting& extra : table_settings())
    known.push_back(extra.setting.name);
  for (const FurtherKey& key : further)
    known.push_back(key.name);
  for (const auto& [key, node] : table)
    if (std::find(known.begin(), known.end(), key.str()) == known.end())
      throw BadConfig(fmt::format("{}:{}: {}: is not a setting of a run{}", file.string(),
                                  node.source().begin.line, key.str(),
                                  io::did_you_mean(key.str(), known)));
  for_each_field(recipe, [&](const FieldInfo& info, auto& field) {
    if (const toml::node* node = table.get(info.name))
      take(file, info.name, *node, field);
  });
  for (const TableSetting& extra : table_settings()) {
    const toml::node* node = table.get(extra.setting.name);
    if (!node)
      continue;
    if (target && !extra.is_for(recipe.target))
      throw BadConfig(fmt::format("{}:{}: {}: is a setting of {}; this run's target is {}",
                                  file.string(), node->source().begin.line, extra.setting.name,
                                  list_words(extra.owners), recipe.target));
    Value value = extra.setting.default_value;
    std::visit([&](auto& field) { take(file, extra.setting.name, *node, field); }, value);
    recipe.extra[extra.setting.name] = value;
  }
  for (const FurtherKey& key : further)
    if (const toml::node* node = table.get(key.name))
      std::visit([&](auto* value) { take(file, key.name, *node, *value); }, key.value);
}

std::string write_config(const Recipe& recipe) {
  std::string text =
      "# A run of starling: repeat it with  starling sample --config THIS_FILE --out DIR\n";
  const auto quoted = [](const std::string& value) {
    std::string out = "\"";
    for (const char c : io::kept_as_utf8(value)) { // TOML is UTF-8, paths are any bytes
      if (c == '"' || c == '\\')
        out += '\\';
      if (static_cast<unsigned char>(c) < 0x20)
        out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      else
        out += c;
    }
    return out + "\"";
  };
  text += fmt::format("version = {}\n", quoted(std::string(version)));
  if (!recipe.target.empty()) // else it would be one that has no settings
    text += fmt::format("target = {}\n", quoted(recipe.target));
  const auto line = [&](const std::string& name, const auto& field, const auto& self) -> void {
    using Field = std::decay_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, std::uint64_t>)
      if (field == undecided)
        return;
    if constexpr (requires { *field; }) {
      if (field)
        self(name, *field, self);
    } else if constexpr (std::is_same_v<Field, std::string>)
      text += fmt::format("{} = {}\n", name, quoted(field));
    else if constexpr (std::is_same_v<Field, double>)
      text += fmt::format("{} = {}\n", name,
                          field == std::floor(field) && std::abs(field) < 1e15
                              ? fmt::format("{:.1f}", field)
                              : fmt::format("{}", field));
    else
      text += fmt::format("{} = {}\n", name, field);
  };
  for (const TableSetting& extra : table_settings())
    if (const auto found = recipe.extra.find(extra.setting.name); found != recipe.extra.end())
      std::visit([&](const auto& value) { line(extra.setting.name, value, line); }, found->second);
  const bool staged = recipe.method == "auto";
  const Recipe untouched;
  for_each_pair(recipe, untouched, [&](const FieldInfo& info, const auto& field, const auto& open) {
    if (info.group == "Stages" ? staged || info.name == "method" || field != open
                               : !staged || !info.raw || field != open)
      line(info.name, field, line);
  });
  return text;
}

} // namespace starling::plan
