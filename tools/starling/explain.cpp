// starling explain: what the pages say about a word. Each table row and each section of them that
// is about it, and the help of the option of that name.
#include "commands.hpp"

#include "io/fields.hpp"
#include "pages.hpp"
#include "subcommands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

namespace starling::tool {

namespace {

using Lines = std::vector<std::string>;

/// Markdown as a terminal shows it: no ticks, no stars, of a link its text.
std::string unmarked(const std::string& text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\' && at + 1 < text.size() && text[at + 1] == '|')
      continue;
    if (c == '`' || (c == '*' && at + 1 < text.size() && text[at + 1] == '*') ||
        (c == '*' && at > 0 && text[at - 1] == '*'))
      continue;
    if (const std::size_t middle = text.find("](", at); c == '[' && middle != text.npos)
      if (const std::size_t end = text.find(')', middle);
          end != text.npos && text.substr(at, middle - at).find('`') == std::string::npos) {
        plain += text.substr(at + 1, middle - at - 1);
        at = end;
        continue;
      }
    plain += c;
  }
  return plain;
}

std::string small(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string trimmed(const std::string& text) {
  const std::size_t from = text.find_first_not_of(' '), to = text.find_last_not_of(' ');
  return from == text.npos ? std::string() : text.substr(from, to - from + 1);
}

/// The cells of a row of a table; none if the line is no row. "\|" does not part cells.
Lines cells(const std::string& line) {
  Lines all;
  if (!line.starts_with("|"))
    return all;
  std::string cell;
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (line[at] == '|' && line[at - 1] != '\\') {
      all.push_back(trimmed(cell));
      cell.clear();
    } else {
      cell += line[at];
    }
  }
  return all;
}

/// The names that a first cell introduces: "`--decay-tau TAU`, `--decay-power P`" has two, "still
/// moving" is one.
Lines names_in(const std::string& cell) {
  Lines names;
  if (cell.find('`') == cell.npos) {
    names.push_back(small(cell));
    return names;
  }
  for (std::size_t at = 0; (at = cell.find('`', at)) != cell.npos;) {
    const std::size_t end = cell.find('`', at + 1);
    if (end == cell.npos)
      break;
    const std::string code = cell.substr(at + 1, end - at - 1);
    names.push_back(small(code.substr(0, code.find_first_of(" =|:\\"))));
    at = end + 1;
  }
  return names;
}

/// At most 80 letters a line, broken at blanks.
std::string filled(const std::string& text, const std::string& margin) {
  std::istringstream words(text);
  std::string all, line = margin, word;
  while (words >> word) {
    if (line.size() > margin.size() && line.size() + 1 + word.size() > 80) {
      all += line + "\n";
      line = margin;
    }
    line += (line.size() > margin.size() ? " " : "") + word;
  }
  return line.size() > margin.size() ? all + line + "\n" : all;
}

struct Found {
  std::string page, section, text;
};

/// A section's lines: paragraphs filled, code and rows of tables as they are.
std::string section_text(const Lines& lines) {
  std::string text, paragraph;
  bool code = false;
  const auto finish = [&] {
    text += filled(unmarked(paragraph), "  ");
    paragraph.clear();
  };
  for (const std::string& line : lines) {
    if (line.starts_with("```")) {
      finish();
      code = !code;
    } else if (code || line.starts_with("    ") || line.starts_with("|")) {
      finish();
      if (line.find_first_not_of("|- ") != line.npos) // not the rule under a table's head
        text += "  " + (line.starts_with("|") ? unmarked(line) : line) + "\n";
    } else if (line.empty()) {
      finish();
      text += text.empty() || text.ends_with("\n\n") ? "" : "\n";
    } else {
      paragraph += " " + line;
    }
  }
  finish();
  while (text.ends_with("\n\n"))
    text.pop_back();
  return text;
}

/// What one page says about the word; `known` collects every name that it introduces.
void look_up(const Page& page, const std::string& word, std::vector<Found>& found,
             std::set<std::string>& known) {
  std::istringstream text{std::string(page.text)};
  std::string line, section;
  Lines head, body; // of the table, of the section if it is about the word
  bool collecting = false, code = false;
  const auto finish = [&] {
    if (collecting)
      found.push_back({std::string(page.name), section, section_text(body)});
    body.clear();
    collecting = false;
  };
  while (std::getline(text, line)) {
    if (line.starts_with("```"))
      code = !code;
    if (!code && line.starts_with("#")) {
      finish();
      section = trimmed(line.substr(line.find_first_not_of('#')));
      known.insert(small(section));
      collecting = small(section) == word;
      continue;
    }
    if (collecting)
      body.push_back(line);
    const Lines row = code ? Lines() : cells(line);
    if (row.size() < 2 || line.find_first_not_of("|- ") == line.npos) {
      if (row.empty())
        head.clear();
      continue;
    }
    if (head.empty()) {
      head = row;
      continue;
    }
    const Lines names = names_in(row[0]);
    known.insert(names.begin(), names.end());
    if (collecting || std::none_of(names.begin(), names.end(), [&](const std::string& name) {
          return name == word || name == "--" + word;
        }))
      continue;
    std::string shown = filled(unmarked(row[0]), "  ");
    for (std::size_t n = 1; n < row.size() && n < head.size(); ++n)
      if (!row[n].empty())
        shown +=
            filled((head[n].empty() ? "" : unmarked(head[n]) + ": ") + unmarked(row[n]), "    ");
    found.push_back({std::string(page.name), section, shown});
  }
  finish();
}

/// The first column of the table of verdicts, of which some have two words.
Lines verdicts_of(const Page& page) {
  std::istringstream text{std::string(page.text)};
  Lines verdicts;
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    const Lines row = cells(line);
    if (inside && !row.empty() && line.find_first_not_of("|- ") != line.npos)
      verdicts.push_back(row[0]);
    inside = !row.empty() && (inside || row[0] == "verdict");
  }
  return verdicts;
}

} // namespace

std::vector<std::string> explained() {
  std::set<std::string> files;
  std::vector<Found> none;
  for (const Page& page : pages().subspan(0, 4)) // verdicts, figures, words, files
    look_up(page, "", none, files);
  std::vector<std::string> words;
  for (const std::string& name : files)
    if (name.find_first_of(" ,()<>'\"$\\") == name.npos && !name.starts_with("-"))
      words.push_back(name);
  for (const std::string& verdict : verdicts_of(pages().front()))
    if (verdict.find(' ') != verdict.npos)
      words.push_back(verdict);
  return words;
}

int explain(const std::string& asked, const std::vector<CommandWords>& commands) {
  const std::string word = small(trimmed(asked)),
                    bare = word.starts_with("--") ? word.substr(2) : word;
  std::vector<Found> found;
  std::set<std::string> known;
  std::vector<std::pair<OptionWords, std::string>> helps; // and whose
  for (const CommandWords& command : commands)
    for (const OptionWords& option : command.options) {
      known.insert(option.name);
      if (option.name != "--" + bare)
        continue;
      const auto same = std::find_if(helps.begin(), helps.end(), [&](const auto& one) {
        return one.first.help == option.help;
      });
      const std::string whose = command.name.empty() ? "starling" : command.name;
      if (same != helps.end())
        same->second += ", " + whose;
      else
        helps.push_back({option, whose});
    }
  for (const Page& page : pages())
    look_up(page, bare, found, known);
  known.erase("");
  if (helps.empty() && found.empty()) {
    const std::vector<std::string> names(known.begin(), known.end());
    return complain(usage, fmt::format("explain: '{}' was not found in the pages{}", asked,
                                       io::did_you_mean(word, names)));
  }
  for (const auto& [option, whose] : helps) {
    fmt::print("{} ({})\n{}", option.name, whose,
               filled(option.help + (option.help.ends_with(".") ? "" : "."), "  "));
    if (!option.usual.empty() && option.help.find("default") == option.help.npos)
      fmt::print("  Default: {}\n", option.usual);
    fmt::print("\n");
  }
  for (const Found& one : found)
    fmt::print("{}, \"{}\"\n{}\n", one.page, one.section, one.text);
  return ok;
}

} // namespace starling::tool
