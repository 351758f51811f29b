// The rules of the source tree: a small scanner for comments and strings, and regular expressions
// by line.
#include "tree/rules.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

namespace tree {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

std::string fault(const std::string& path, std::size_t line, const std::string& what) {
  return path + ":" + std::to_string(line) + ": " + what;
}

bool begins(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

bool in_core(const std::string& path) { return begins(path, "include/starling/"); }

/// All matches of a pattern in the code, reported by line; group 1 is what is named in the fault.
Faults search_code(const std::string& path, const std::string& text, const std::regex& pattern,
                   const std::string& rule) {
  Faults faults;
  const auto lines = lines_of(without_comments(text, false));
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (std::sregex_iterator m(lines[i].begin(), lines[i].end(), pattern), end; m != end; ++m)
      faults.push_back(fault(path, i + 1, rule + "; got " + (*m)[1].str()));
  return faults;
}

/// Where in the order a file stands: "random", "kernel", "drift", "loop", "src/io" ...; nothing if
/// it has no place there.
std::optional<std::string> part_of(const std::string& path) {
  static const std::set<std::string> folders = {"random",  "kernel",  "deal",  "target", "drift",
                                                "advance", "observe", "cpu",   "judge",  "run",
                                                "scout",   "exact",   "stages"};
  static const std::set<std::string> ground = {
      "error",  "finite",  "file_error",  "rows",   "particles", "threads",
      "domain", "version", "plugin",      "device", "back_ends", "bend",
      "frame",  "density", "row_density", "cloud",  "fields"};
  static const std::set<std::string> single = {"ensemble", "batches", "concepts"};
  static const std::regex in_folder("include/starling/(\\w+)/.*");
  static const std::regex at_top("include/starling/(\\w+)\\.h(?:pp)?");
  static const std::regex elsewhere(
      "(src/(cpu|cuda|mpi|io|foreign|plan|frame|judge|run|scout|exact|stages|assemble|results)|"
      "reproduce|tools|python)/.*");
  std::smatch m;
  if (std::regex_match(path, m, in_folder))
    return folders.count(m[1]) ? std::optional(m[1].str()) : std::nullopt;
  if (std::regex_match(path, m, at_top)) {
    const std::string name = m[1];
    if (name == "rbm_svgd")
      return "loop";
    if (name == "starling")
      return "umbrella";
    if (ground.count(name))
      return "ground";
    return single.count(name) ? std::optional(name) : std::nullopt;
  }
  if (std::regex_match(path, m, elsewhere))
    return m[1].str();
  return std::nullopt;
}

/// What a part may include, itself aside.
std::set<std::string> below(const std::string& part) {
  const std::set<std::string> ground = {"ground", "random"};
  std::set<std::string> data = ground;
  data.insert({"ensemble", "batches", "kernel"});
  std::set<std::string> roles = data;
  roles.insert("concepts");
  std::set<std::string> core = roles;
  core.insert({"deal", "target", "drift", "advance", "observe", "loop", "umbrella", "cpu"});
  std::set<std::string> judging = roles; // it takes figures of clouds, and knows no run
  judging.insert("observe");
  std::set<std::string> running = core; // it is handed its roles, and knows neither plan nor names
  running.erase("umbrella");
  running.insert({"judge", "scout", "exact", "stages"});
  std::set<std::string> edge = core;
  edge.insert({"judge", "run", "scout", "exact", "stages", "src/io", "src/foreign"});
  std::set<std::string> factories = edge;
  factories.insert({"src/plan", "src/cuda", "src/mpi"});
  std::set<std::string> experiments = factories;
  experiments.insert({"src/assemble", "src/results"});
  std::set<std::string> all = experiments;
  all.insert({"src/cpu", "src/cuda", "src/mpi", "reproduce"});

  if (part == "ground" || part == "random" || part == "src/io" || part == "src/foreign")
    return ground;
  if (part == "src/frame") { // its products and curves, in vectors
    std::set<std::string> frame = ground;
    frame.insert("src/cpu");
    return frame;
  }
  if (part == "ensemble" || part == "batches" || part == "kernel" || part == "concepts")
    return data;
  if (part == "loop")
    return {"concepts", "ensemble", "batches", "ground"};
  if (part == "src/cpu")
    return core;
  if (part == "src/cuda" || part == "src/mpi") { // sweeps, and a run that takes its steps by them
    running.insert({"run", "src/run"});
    if (part == "src/mpi")
      running.insert("src/cpu"); // the sizes from which its sweeps lie otherwise
    return running;
  }
  if (part == "judge")
    return judging;
  if (part == "src/judge") {
    judging.insert("judge");
    return judging;
  }
  if (part == "scout" || part == "exact" || part == "src/scout" ||
      part == "src/exact") { // a density, and no run
    std::set<std::string> stage = ground;
    stage.insert(part.substr(part.rfind('/') + 1));
    return stage;
  }
  if (part == "stages" || part == "src/stages") { // stages of a run, and no run
    running.insert(part.substr(part.rfind('/') + 1));
    return running;
  }
  if (part == "run")
    return running;
  if (part == "umbrella" || part == "src/run") {
    running.insert({"run", "src/io"});
    return running;
  }
  if (part == "src/plan") { // what is asked for; its tables name the roles of a run
    edge.erase("judge");
    return edge;
  }
  if (part == "src/assemble")
    return factories;
  if (part == "src/results") {
    factories.insert("src/assemble");
    return factories;
  }
  if (part == "reproduce" || part == "python")
    return experiments;
  if (part == "tools")
    return all;
  if (part == "cpu") { // a back end's front: it may offer any verb, but none may ask for it
    std::set<std::string> verbs = core;
    verbs.erase("umbrella");
    return verbs;
  }
  return roles; // the five verbs: never one another
}

/// The file meant by an include, relative to the top; nothing if it is not one of ours.
std::optional<std::string> ours(const std::string& from, bool quoted, const std::string& name) {
  if (begins(name, "starling/"))
    return "include/" + name;
  if (!quoted)
    return std::nullopt;
  if (name.find('/') == std::string::npos)
    return from.substr(0, from.rfind('/') + 1) + name;
  if (begins(from, "reproduce/") && !part_of("src/" + name)) // a folder of experiments
    return "reproduce/" + name;
  return "src/" + name;
}

bool allowed_from_outside(const std::string& name) {
  if (begins(name, "Eigen/") || begins(name, "unsupported/Eigen/"))
    return true;
  if (name == "stddef.h" || name == "stdint.h") // for size_t and row numbers in plain C
    return true;
  return name.find_first_of("./") == std::string::npos; // the standard library's headers
}

} // namespace

std::string without_comments(const std::string& text, bool keep_strings) {
  std::string out = text;
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, out.size()); ++i)
      if (out[i] != '\n')
        out[i] = ' ';
  };
  const auto end_of = [&](const std::string& mark, std::size_t from) {
    const std::size_t at = text.find(mark, from);
    return at == std::string::npos ? text.size() : at;
  };
  const auto word = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) {
      const std::size_t end = end_of("\n", i);
      blank(i, end);
      i = end;
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t end = end_of("*/", i + 2);
      blank(i, end + 2);
      i = end + 1;
    } else if (text[i] == '"' && i > 0 && text[i - 1] == 'R' && !(i > 1 && word(i - 2))) {
      const std::size_t open = end_of("(", i);
      const std::string mark = ")" + text.substr(i + 1, open - i - 1) + "\"";
      const std::size_t end = end_of(mark, open);
      if (!keep_strings)
        blank(open + 1, end);
      i = end + mark.size() - 1;
    } else if (text[i] == '"' || (text[i] == '\'' && !(i > 0 && word(i - 1)))) {
      std::size_t end = i + 1; // a quote inside a number, as in 1'000, is none
      while (end < text.size() && text[end] != text[i] && text[end] != '\n')
        end += text[end] == '\\' ? 2 : 1;
      if (!keep_strings)
        blank(i + 1, end);
      i = end;
    }
  }
  return out;
}

Faults include_order(const std::string& path, const std::string& text) {
  const auto part = part_of(path);
  if (!part)
    return {fault(path, 1, "place: must be in the include order; got a file that is not")};
  static const std::regex include(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  Faults faults;
  const auto allowed = below(*part);
  const auto lines = lines_of(without_comments(text, true));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch m;
    if (lines[i].find('#') == std::string::npos || !std::regex_search(lines[i], m, include))
      continue;
    const std::string name = m[2];
    const auto file = ours(path, m[1] == "\"", name);
    if (name.find("..") != std::string::npos) {
      faults.push_back(fault(path, i + 1, "include: must not climb; got " + name));
    } else if (!file) {
      if (in_core(path) && !allowed_from_outside(name))
        faults.push_back(fault(path, i + 1,
                               "include: must be the standard library, Eigen or "
                               "starling in the core; got " +
                                   name));
    } else {
      const auto other = part_of(*file);
      if (!other || (*other != *part && !allowed.count(*other)))
        faults.push_back(fault(path, i + 1, "include: must be below " + *part + "; got " + name));
    }
  }
  return faults;
}

Faults core_is_silent(const std::string& path, const std::string& text) {
  static const std::regex pattern(
      R"(\b(cout|cerr|clog|iostream|(?:f|v|vf)?printf|f?puts|putchar|getenv|secure_getenv|)"
      R"(assert(?=\s*\()|abort(?=\s*\()|exit(?=\s*\()|_Exit|quick_exit|terminate(?=\s*\())\b)");
  return in_core(path) ? search_code(path, text, pattern,
                                     "core: must not print, end the process or read "
                                     "the environment")
                       : Faults{};
}

Faults first_line_says_what(const std::string& path, const std::string& text) {
  static const std::regex comment(R"(^// *\S)");
  if (std::regex_search(text.substr(0, text.find('\n')), comment))
    return {};
  return {fault(path, 1, "first line: must be a comment that says what the file is")};
}

Faults fits(const std::string& path, const std::string& text, std::size_t most) {
  const std::size_t lines = lines_of(text).size();
  if (lines <= most)
    return {};
  return {
      fault(path, lines,
            "lines: must be at most " + std::to_string(most) + "; got " + std::to_string(lines))};
}

Faults names_say_something(const std::string& path, const std::string& text) {
  static const std::regex type(R"(\b(?:class|struct|enum|union|concept|using|typename)\s+)"
                               R"((\w*(?:Manager|Handler|Helper|Util|Base|Impl|Engine|Options)s?)"
                               R"((?![a-z])\w*))");
  static const std::regex getter(R"((?:^|[^.>:\w])(get_\w+))"); // calls into other libraries pass
  Faults faults = search_code(path, text, type, "type name: must say something");
  const Faults more = search_code(path, text, getter, "name: must not begin with get_");
  faults.insert(faults.end(), more.begin(), more.end());
  return faults;
}

} // namespace tree
