// The table of subcommands, and what all of them need to take their options.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace starling::tool {

/// Throws invalid_argument when an argument that a command cannot do without was left out.
void require(const char* argument, const std::string& given, const char* command);

/// What completion offers for the option or argument, instead of files.
void offer(const CLI::Option* option, std::vector<std::string> words);

/// What a subcommand does once its options are parsed, and what makes the request they write to as
/// new again.
struct Action {
  std::function<int()> run;
  std::function<void()> renew;
};

/// Of a request that nothing was written to yet.
template <typename Request>
Action action(std::shared_ptr<Request> request, std::function<int()> run) {
  return {std::move(run), [request, as_new = *request] { *request = as_new; }};
}

/// An entry of the table: adds its options to the parser, and answers what is done with them.
struct Subcommand {
  const char *name, *help;
  Action (*add_options)(CLI::App&);
};
/// In the order of the help.
const std::vector<Subcommand>& subcommands();

/// Those whose options are long.
Action add_sample(CLI::App& app);
Action add_check(CLI::App& app);
Action add_bench(CLI::App& app);
Action add_reproduce(CLI::App& app);

/// For add_text: the text becomes the field.
inline std::function<void(const std::string&)> into(std::string& field) {
  return [&field](const std::string& text) { field = text; };
}
void add_threads(CLI::App& app, std::uint64_t& threads);

/// The verdicts and files that explain knows, for completion.
std::vector<std::string> explained();

} // namespace starling::tool
