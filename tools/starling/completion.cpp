// starling completion: a script that lets a shell complete commands, options and their values.
#include "commands.hpp"

#include "plan/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace starling::tool {

namespace {

using Words = std::vector<std::string>;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

Words names_of(const std::vector<CommandWords>& commands) {
  Words names;
  for (const CommandWords& command : commands)
    if (!command.name.empty())
      names.push_back(command.name);
  return names;
}

/// "still moving" as {"still", "moving"}; the second is empty where there is one word.
std::pair<std::string, std::string> parted(const std::string& argument) {
  const std::size_t at = std::min(argument.find(' '), argument.size());
  return {argument.substr(0, at), argument.substr(std::min(at + 1, argument.size()))};
}

/// What can stand in the place of an argument: at the top, the commands. Of two words in a row the
/// first.
Words arguments_of(const CommandWords& command, const std::vector<CommandWords>& commands) {
  if (command.name.empty())
    return names_of(commands);
  Words words;
  for (const std::string& argument : command.arguments)
    words.push_back(parted(argument).first);
  return words;
}

/// The arms of `case "$command,$previous"` for options that take a value: what to offer, or files;
/// and for the first of two words.
std::string value_arms(const std::vector<CommandWords>& commands, const char* values,
                       const char* files) {
  std::string arms;
  for (const CommandWords& command : commands) {
    for (const std::string& argument : command.arguments)
      if (const auto [first, second] = parted(argument); !second.empty())
        arms += fmt::format("    {},{}) {} ;;\n", command.name, first,
                            fmt::format(fmt::runtime(values), second));
    for (const OptionWords& option : command.options)
      if (option.takes_value)
        arms += fmt::format("    {},{}) {} ;;\n", command.name, option.name,
                            option.values.empty()
                                ? files
                                : fmt::format(fmt::runtime(values), fmt::join(option.values, " ")));
  }
  return arms;
}

std::string bash(const std::vector<CommandWords>& commands) {
  std::string options, arguments;
  for (const CommandWords& command : commands) {
    Words names;
    for (const OptionWords& option : command.options)
      names.push_back(option.name);
    options += fmt::format("    {},-*) words='{}' ;;\n", command.name, fmt::join(names, " "));
    arguments += fmt::format("    {},*) words='{}' ;;\n", command.name,
                             fmt::join(arguments_of(command, commands), " "));
  }
  return fmt::format(R"(# Completion of starling for bash:  source <(starling completion bash)
_starling() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local command='' words='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case ${{COMP_WORDS[i]}} in {}) command=${{COMP_WORDS[i]}}; break ;; esac
  done
  case $command,$previous in
{}    *) case $command,$current in
{}{}    esac ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  if [[ ${{COMPREPLY[0]}} == *: ]]; then compopt -o nospace 2>/dev/null; fi
}}
complete -o default -F _starling starling
)",
                     fmt::join(names_of(commands), "|"),
                     value_arms(commands, "words='{}'", "return"), options, arguments);
}

std::string zsh(const std::vector<CommandWords>& commands) {
  const auto quoted = [](const std::string& text) { return replaced(text, "'", R"('\'')"); };
  std::string options, arguments;
  for (const CommandWords& command : commands) {
    std::string list;
    for (const OptionWords& option : command.options)
      list += fmt::format("\n      '{}:{}'", option.name, quoted(option.help));
    options += fmt::format("    {},-*) list=({}) ;;\n", command.name, list);
    list.clear();
    for (const std::string& word : arguments_of(command, commands))
      list += " '" + word + "'";
    arguments += fmt::format("    {},*) list=({} ) ;;\n", command.name, list);
  }
  return fmt::format(R"(#compdef starling
# Completion of starling for zsh:  source <(starling completion zsh)  after compinit
_starling() {{
  local command='' i
  local -a list
  for ((i = 2; i < CURRENT; ++i)); do
    case ${{words[i]}} in {}) command=${{words[i]}}; break ;; esac
  done
  case "$command,${{words[CURRENT-1]}}" in
{}  esac
  case "$command,${{words[CURRENT]}}" in
{}{}  esac
  if ((${{#list}})); then _describe 'starling' list; else _files; fi
}}
compdef _starling starling
)",
                     fmt::join(names_of(commands), "|"),
                     value_arms(commands, "compadd -- {}; return", "_files; return"), options,
                     arguments);
}

std::string fish(const std::vector<CommandWords>& commands) {
  const auto quoted = [](const std::string& text) {
    return replaced(replaced(text, "\\", "\\\\"), "'", "\\'");
  };
  std::string text = "# Completion of starling for fish:  starling completion fish | source\n";
  for (const CommandWords& command : commands) {
    const std::string line =
        command.name.empty()
            ? std::string("complete -c starling -n __fish_use_subcommand")
            : fmt::format("complete -c starling -n '__fish_seen_subcommand_from {}'", command.name);
    if (!command.name.empty())
      text += fmt::format("complete -c starling -n __fish_use_subcommand -f -a {} -d '{}'\n",
                          command.name, quoted(command.help));
    if (!command.arguments.empty())
      text += fmt::format("{} -a '{}'\n", line, fmt::join(arguments_of(command, commands), " "));
    for (const std::string& argument : command.arguments)
      if (const auto [first, second] = parted(argument); !second.empty())
        text += fmt::format("complete -c starling -n '__fish_seen_subcommand_from {}; and "
                            "__fish_seen_subcommand_from {}' -a {}\n",
                            command.name, first, second);
    for (const OptionWords& option : command.options)
      text += fmt::format("{} -l {}{} -d '{}'\n", line, option.name.substr(2),
                          !option.takes_value ? ""
                          : option.values.empty()
                              ? " -r"
                              : fmt::format(" -x -a '{}'", fmt::join(option.values, " ")),
                          quoted(option.help));
  }
  return text;
}

} // namespace

int completion(const std::string& shell, const std::vector<CommandWords>& commands) {
  constexpr decltype(&bash) scripts[] = {bash, zsh, fish};
  fmt::print("{}", scripts[plan::choose("SHELL", shell, {"bash", "zsh", "fish"})](commands));
  return ok;
}

} // namespace starling::tool
