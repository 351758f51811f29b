// From a Stan program to a library that StanModel opens, by whichever compiler is there.
#include "foreign/compile_stan.hpp"

#include "foreign/library.hpp"
#include "foreign/own_folder.hpp"
#include "foreign/program.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <unistd.h>

#include <fmt/format.h>

namespace starling::foreign {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw BadLibrary(file.string(), "cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& file, const std::string& bytes) {
  std::ofstream out(file, std::ios::binary);
  out << bytes;
  out.close();
  if (!out)
    throw BadLibrary(file.string(), "cannot be written; XDG_CACHE_HOME names another cache folder");
}

/// The program with the files that it includes in their places: a change in one of them is a change
/// of the program.
std::string whole_program(const fs::path& file, int depth = 0) {
  if (depth > 20)
    throw BadLibrary(file.string(), "includes itself");
  std::istringstream lines(bytes_of(file));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view word = "#include";
    const std::size_t at = line.find_first_not_of(" \t");
    if (at == line.npos || line.compare(at, word.size(), word) != 0) {
      text += line + '\n';
      continue;
    }
    std::string name = one_line(line.substr(at + word.size()));
    if (name.size() > 2 && (name[0] == '<' || name[0] == '"'))
      name = name.substr(1, name.find_first_of(">\"", 1) - 1);
    text += whole_program(file.parent_path() / name, depth + 1);
  }
  return text;
}

/// What a program in the cache was made of: files by their names.
using Sources = std::map<std::string, std::string>;

/// FNV-1a. What it leads to is compared byte for byte, so that two of one hash are no harm.
std::string hash_of(const Sources& sources) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const auto& [name, text] : sources)
    for (const std::string& part : {name, std::string(1, '\0'), text})
      for (const char c : part)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

bool holds(const fs::path& folder, const Sources& sources) {
  std::error_code error;
  for (const auto& [name, text] : sources)
    if (!fs::is_regular_file(folder / name, error) || bytes_of(folder / name) != text)
      return false;
  return true;
}

/// The folder of one program in the cache; `make` fills one beside it, which takes its place when
/// all is there, so that two who compile at once do no harm. What is there is taken only where
/// nobody else can have put it.
template <typename Make>
fs::path kept(const std::string& kind, const Sources& sources, Make&& make) {
  const fs::path folder = own_folder(stan_cache()) / (kind + "-" + hash_of(sources));
  if (holds(folder, sources))
    return own_folder(folder);
  const fs::path unfinished = folder.string() + "." + std::to_string(::getpid());
  std::error_code error;
  fs::remove_all(unfinished, error);
  own_folder(unfinished);
  try {
    for (const auto& [name, text] : sources)
      write(unfinished / name, text);
    make(unfinished);
  } catch (...) {
    fs::remove_all(unfinished, error);
    throw;
  }
  fs::remove_all(folder, error); // another program of this hash or name
  fs::rename(unfinished, folder, error);
  if (error && !holds(folder, sources)) // else another process was quicker
    throw BadLibrary(folder.string(), "cannot be renamed into place");
  fs::remove_all(unfinished, error);
  return folder;
}

/// A word for files of the cache: BridgeStan's make knows no blanks.
std::string plain_name(const fs::path& program) {
  std::string name = program.stem().string();
  for (char& c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
      c = '_';
  return name.empty() ? "model" : name;
}

CompiledStan by_bridgestan(const fs::path& program, const std::string& data,
                           const std::string& bridgestan) {
  const std::string name = plain_name(program);
  const fs::path folder = kept(
      "bridgestan", {{name + ".stan", whole_program(program)}}, [&](const fs::path& unfinished) {
        const fs::path library = unfinished / (name + "_model.so");
        const Ended made = run_program(
            {"make", "-C", bridgestan, fs::absolute(library).string(), "STAN_THREADS=true"});
        if (made.code != 0 || !fs::exists(library))
          throw DidNotCompile(program.string(),
                              fmt::format("BridgeStan in {} did not compile it", bridgestan),
                              last_lines(made.output));
      });
  return {(folder / (name + "_model.so")).string(), data};
}

/// stanli has one library for all programs; the program travels in the data, translated. The
/// working folder is not among the places where Python looks for it.
constexpr const char* translate = R"(import sys
sys.path[:] = [p for p in sys.path if p]
program, data, folder, name = sys.argv[1:]
try:
    import stanli
except ImportError:
    sys.exit(77)
import json, os
try:
    given = json.load(open(data, encoding='utf-8')) if data else {}
    if not isinstance(given, dict):
        raise ValueError('it must be one object, with a value for each name')
except ValueError as error:
    print(error)
    sys.exit(78)
text = open(program, encoding='utf-8').read()
try:
    mir = stanli.stan_to_mir(text)
except Exception as error:
    sys.exit(str(error) or repr(error))
given['__stanli'] = {'build_id': stanli.build_id(), 'mir': mir, 'name': name}
json.dump(given, open(os.path.join(folder, 'data.json'), 'w', encoding='utf-8'))
library = os.path.join(list(stanli.__path__)[0], '_bin', 'libstanli.so')
open(os.path.join(folder, 'library'), 'w', encoding='utf-8').write(library)
)";
constexpr int no_stanli = 77, no_json = 78;

CompiledStan by_stanli(const fs::path& program, const std::string& data,
                       const std::string& python) {
  const std::string name = plain_name(program);
  const std::string text = whole_program(program);
  // Kept for the program and its data together: both are in one file.
  Sources sources = {{name + ".stan", text}};
  if (!data.empty())
    sources["given.json"] = bytes_of(data);
  const fs::path folder = kept("stanli", sources, [&](const fs::path& unfinished) {
    const fs::path source = unfinished / (name + ".stan");
    const Ended made =
        run_program({python, "-c", translate, source.string(), data, unfinished.string(), name});
    if (made.code == no_stanli ||
        made.output.find("No module named 'stanli'") != std::string::npos ||
        (made.code == -1 && made.output.empty()) || made.code == 127)
      throw BadLibrary(program.string(),
                       "is a Stan program, and no compiler for it was found: `pip install stanli`, "
                       "or set BRIDGESTAN to the folder of BridgeStan's sources");
    if (made.code == no_json)
      throw BadLibrary(data, "cannot be read as JSON: " + one_line(made.output));
    if (made.code != 0)
      throw DidNotCompile(program.string(), "stanli did not compile it", last_lines(made.output));
  });
  const std::string library = one_line(bytes_of(folder / "library"));
  if (std::error_code error; !fs::exists(library, error)) { // it was removed or renewed since
    fs::remove_all(folder, error);
    throw BadLibrary(library, "was removed after the program was compiled; try again");
  }
  return {library, (folder / "data.json").string()};
}

} // namespace

fs::path stan_cache() {
  fs::path cache = environment("XDG_CACHE_HOME");
  if (cache.empty() || cache.is_relative()) { // as its specification has it
    const fs::path home = home_folder();
    if (home.empty())
      throw BadLibrary("HOME", "is not set and this user has no home folder: XDG_CACHE_HOME names "
                               "a cache folder for compiled Stan programs");
    cache = home / ".cache";
  }
  return cache / "starling" / "stan";
}

bool is_stan_program(const fs::path& file) {
  if (file.extension() == ".stan")
    return true;
  constexpr std::size_t enough = 1 << 16;
  std::ifstream in(file, std::ios::binary);
  std::string text(enough, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.find('\0') != text.npos)
    return false;
  for (const std::string_view word : {"model", "parameters"})
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
      const std::size_t next = text.find_first_not_of(" \t\r\n", at + word.size());
      if ((at == 0 || text[at - 1] == '\n' || text[at - 1] == ' ') && next != text.npos &&
          text[next] == '{')
        return true;
    }
  return false;
}

CompiledStan compile_stan(const fs::path& program, const std::string& data,
                          const std::string& python) {
  const std::string bridgestan = environment("BRIDGESTAN");
  return bridgestan.empty() ? by_stanli(program, data, python)
                            : by_bridgestan(program, data, bridgestan);
}

bool has_sampling_statements(const fs::path& program) {
  const std::string text = whole_program(program);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto skip_to = [&](std::string_view end, std::size_t from) {
      at = std::min(text.size(), text.find(end, from));
    };
    if (text.compare(at, 2, "//") == 0)
      skip_to("\n", at);
    else if (text.compare(at, 2, "/*") == 0)
      skip_to("*/", at + 2);
    else if (text[at] == '"')
      skip_to("\"", at + 1);
    else if (text[at] == '~')
      return true;
  }
  return false;
}

} // namespace starling::foreign
