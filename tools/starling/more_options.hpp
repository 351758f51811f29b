// Registration of the subcommands that are spelled in more_options.cpp, and what all of them need.
#pragma once

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

/// Each adds its options to the subcommand.
Action add_convert(CLI::App& app);
Action add_thin(CLI::App& app);
Action add_completion(CLI::App& app);
Action add_report(CLI::App& app);
Action add_explain(CLI::App& app);
Action add_man(CLI::App& app);

/// The verdicts and files that explain knows, for completion.
std::vector<std::string> explained();

} // namespace starling::tool
