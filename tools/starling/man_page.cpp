// starling man: the manual page as roff, made from what the commands say about their own options.
#include "commands.hpp"

#include <starling/version.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace starling::tool {

namespace {

/// A text that roff takes as it stands: no escapes, no minus signs that become dashes, no line that
/// is a request.
std::string roff(const std::string& text) {
  std::string safe;
  for (const char c : text)
    if (c == '\\')
      safe += "\\e";
    else if (c == '-')
      safe += "\\-";
    else if (c == '\n')
      safe += ' ';
    else
      safe += c;
  return safe.starts_with(".") || safe.starts_with("'") ? "\\&" + safe : safe;
}

/// A sentence with its full stop.
std::string sentence(const std::string& text) {
  return roff(text.ends_with(".") ? text : text + ".");
}

std::string shown(const OptionWords& option) {
  std::string text = fmt::format(".TP\n.B {}\n{}\n", roff(option.name), sentence(option.help));
  if (!option.usual.empty() && option.help.find("default") == option.help.npos)
    text += fmt::format("Default: {}.\n", roff(option.usual));
  return text;
}

/// The options under the headings that --help has, in its order.
std::string options_by_group(const CommandWords& command) {
  std::vector<std::string> groups;
  for (const OptionWords& option : command.options)
    if (!option.group.empty() &&
        std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  std::string text;
  for (const std::string& group : groups) {
    if (groups.size() > 1)
      text += fmt::format(".PP\n.I {}\n", roff(group));
    for (const OptionWords& option : command.options)
      if (option.group == group)
        text += shown(option);
  }
  return text;
}

} // namespace

int manual(const std::vector<CommandWords>& commands) {
  const CommandWords& program = commands.at(0);
  fmt::print(".TH STARLING 1 \"\" \"starling {}\" \"User Commands\"\n", roff(std::string(version)));
  fmt::print(".SH NAME\nstarling \\- draws samples from a posterior by a cloud of particles, and "
             "checks them by HMC\n");
  fmt::print(".SH SYNOPSIS\n.B starling\n.RI [ COMMAND ]\n.RI [ OPTIONS ]\n");
  fmt::print(".SH DESCRIPTION\n{}\n", sentence(program.help));
  fmt::print(".PP\nStart with\n.BR \"starling demo\" .\n.B starling explain WORD\nexplains a "
             "verdict, an option, a file or a figure.\n");
  fmt::print(".SH OPTIONS\n");
  for (const OptionWords& option : program.options)
    fmt::print("{}", shown(option));
  fmt::print(".SH COMMANDS\n");
  for (const CommandWords& command : commands) {
    if (command.name.empty())
      continue;
    fmt::print(".SS starling {}", roff(command.name));
    for (const OptionWords& place : command.places)
      fmt::print(" {}", roff(place.name));
    fmt::print("\n{}\n", sentence(command.help));
    for (const OptionWords& place : command.places)
      fmt::print("{}", shown(place));
    fmt::print("{}", options_by_group(command));
  }
  fmt::print(".SH EXIT STATUS\n");
  const std::pair<Exit, const char*> codes[] = {
      {ok, "Done."},
      {failed, "The run failed; the line on stderr says why."},
      {not_converged, "With \\-\\-fail\\-unless\\-converged: the verdict is not converged."},
      {usage, "An argument is invalid."},
      {bad_data, "The data of a file are invalid."},
      {input_missing, "A file does not exist."},
      {cannot_write, "A result cannot be written."},
      {bad_config, "A config file is invalid."},
      {over_time, "The time limit was reached; the state is saved."},
      {interrupted, "Interrupted; the state is saved."}};
  for (const auto& [code, meaning] : codes)
    fmt::print(".TP\n.B {}\n{}\n", static_cast<int>(code), meaning);
  fmt::print(".SH SEE ALSO\nL. Li, Y. Li, J.\\-G. Liu, Z. Liu, J. Lu:\n.I A stochastic version of "
             "Stein variational gradient "
             "descent for efficient sampling\n(2020).\n");
  return ok;
}

} // namespace starling::tool
