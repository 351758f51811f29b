// Registration of the subcommands that are spelled in more_options.cpp, and what all of them need.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}

namespace starling::tool {

/// Throws invalid_argument when an argument that a command cannot do without was left out.
void require(const char* argument, const std::string& given, const char* command);

/// What completion offers for the option or argument, instead of files.
void offer(const CLI::Option* option, std::vector<std::string> words);

/// Each adds its options to the subcommand and gives what to do once they are parsed.
std::function<int()> add_convert(CLI::App& app);
std::function<int()> add_thin(CLI::App& app);
std::function<int()> add_completion(CLI::App& app);
std::function<int()> add_report(CLI::App& app);
std::function<int()> add_explain(CLI::App& app);
std::function<int()> add_man(CLI::App& app);

/// The verdicts and files that explain knows, for completion.
std::vector<std::string> explained();

} // namespace starling::tool
