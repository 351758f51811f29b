// The command line as a whole: parses it, runs the subcommand, says what was not understood. The
// option parser is known here, in subcommands.cpp and in the files *_options.cpp, nowhere else.
#include "commands.hpp"

#include "io/fields.hpp"
#include "recipe_options.hpp"
#include "subcommands.hpp"

#include <starling/cpu/level.hpp>
#include <starling/version.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>

namespace starling::tool {

namespace {

/// What CmdStan, PyMC and NumPyro call our options.
const std::map<std::string, std::vector<std::string>> called_elsewhere = {
    {"--data", {"data", "file"}},
    {"--out", {"o", "output", "output-dir"}},
    {"--particles", {"draws", "iter", "iter-sampling", "num-samples", "samples"}},
    {"--runs", {"chains", "num-chains"}},
    {"--seed", {"random-seed"}},
    {"--threads", {"cores", "num-threads", "parallel-chains"}}};

/// Of those, what the default method needs nobody to say.
const std::vector<std::string> tuned_here = {
    "adapt-delta", "iter-warmup",      "max-depth",     "max-treedepth", "num-adapt",
    "num-warmup",  "step-size-jitter", "target-accept", "tune",          "warmup"};

/// --num_samples=1000 and num_samples=1000 are num-samples.
std::string bare_name(const std::string& word) {
  std::string name = word.substr(0, word.find('='));
  name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
  std::ranges::replace(name, '_', '-');
  return name;
}

/// The option of `known` that is nearest to the word, or is called so elsewhere.
std::string option_meant(const std::string& word, const std::vector<std::string>& known) {
  for (const auto& [ours, theirs] : called_elsewhere)
    if (std::ranges::find(theirs, bare_name(word)) != theirs.end() &&
        std::ranges::find(known, ours) != known.end())
      return fmt::format("; did you mean '{}'?", ours);
  if (std::ranges::find(tuned_here, bare_name(word)) != tuned_here.end())
    return "; the default method tunes itself";
  if (word.ends_with(".json") && std::ranges::find(known, "--data") != known.end())
    return fmt::format("; did you mean '--data {}'?", word);
  return word.starts_with("-") ? io::did_you_mean(word.substr(0, word.find('=')), known) : "";
}

/// What CmdStan calls our commands.
const std::map<std::string, std::vector<std::string>> commands_elsewhere = {
    {"sample", {"fit", "laplace", "optimize", "pathfinder", "run", "variational"}},
    {"summary", {"diagnose", "print", "stansummary"}}};

/// What was meant by a word in the place of a command: a file to be sampled, another program's.
std::string command_meant(const std::string& word) {
  if (word.ends_with(".stan"))
    return fmt::format("; to sample it: starling sample stan {} --data DATA.json --out DIR", word);
  if (word.ends_with(".so"))
    return fmt::format("; to sample it: starling sample plugin {} --out DIR", word);
  for (const auto& [ours, theirs] : commands_elsewhere)
    if (std::ranges::find(theirs, word) != theirs.end())
      return fmt::format("; did you mean '{}'?", ours);
  return "";
}

/// Words that nothing took: an option, a command, or an argument too many.
[[noreturn]] void refuse_extras(const CLI::App& app) {
  const auto used = app.get_subcommands();
  const CLI::App& where = used.empty() ? app : *used.front();
  const std::string word =
      app.remaining(true).empty() ? std::string() : app.remaining(true).front();
  std::vector<std::string> known;
  if (!used.empty() || word.starts_with("-")) {
    for (const CLI::Option* option : where.get_options())
      for (const std::string& name : option->get_lnames())
        known.push_back("--" + name);
    throw std::invalid_argument(
        fmt::format("{}: is {} {}{}", word,
                    word.starts_with("-") ? "not an option of" : "one argument too many for",
                    where.get_name(), option_meant(word, known)));
  }
  for (const CLI::App* command : app.get_subcommands({}))
    known.push_back(command->get_name());
  const std::string meant = command_meant(word);
  throw std::invalid_argument(fmt::format("{}: is not a command{}", word,
                                          meant.empty() ? io::did_you_mean(word, known) : meant));
}

/// `sample logistic --help` shows what is for logistic.
int show_help(CLI::App& app, const CLI::CallForHelp& help, int argc, char** argv) {
  for (int n = 1; n + 1 < argc; ++n)
    if (const std::string word = argv[n]; word == "sample" || word == "check") {
      CLI::App& command = *app.get_subcommand(word);
      show_what_is_for(command, argv[n + 1]);
      const int code = app.exit(help);
      show_what_is_for(command, {});
      return code;
    }
  return app.exit(help);
}

/// The parser's complaint, in our words where it is one of the usual ones.
std::string reworded(const CLI::ParseError& error) {
  std::string text = error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  const std::string name = text.substr(0, text.find_first_of(": "));
  if (text.ends_with(" missing"))
    return name + ": needs a value";
  if (text.ends_with("flag override"))
    return "--" + name + ": takes no value";
  return text;
}

} // namespace

struct CommandLine::Parser {
  CLI::App app{
      "Starling draws samples from a posterior, or any density known up to a constant. It moves\na "
      "cloud of particles (RBM-SVGD) and checks the result by Hamiltonian Monte Carlo (HMC)."};
  std::map<const CLI::App*, Action> actions;
};

CommandLine::CommandLine() : parser_(std::make_unique<Parser>()) {
  CLI::App& app = parser_->app;
  app.name("starling");
  app.set_version_flag("--version", std::string(version));
  app.add_option_function<std::string>("--simd", cpu::force_level,
                                       "SIMD level to use: see starling info")
      ->type_name("");
  app.require_subcommand(0, 1);
  app.footer("Start with:  starling demo\n"
             "Then:        starling sample mixture --out out/m");
  for (const Subcommand& one : subcommands()) {
    CLI::App* command = app.add_subcommand(one.name, one.help);
    parser_->actions[command] = one.add_options(*command);
  }
}

CommandLine::~CommandLine() = default;

int CommandLine::run(int argc, char** argv) {
  CLI::App& app = parser_->app;
  app.clear();
  for (const auto& [command, action] : parser_->actions)
    action.renew();
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return show_help(app, help, argc, argv);
  } catch (const CLI::CallForVersion& show) {
    return app.exit(show);
  } catch (const CLI::ExtrasError&) {
    refuse_extras(app);
  } catch (const CLI::ParseError& error) {
    throw std::invalid_argument(reworded(error));
  }
  const auto used = app.get_subcommands();
  if (!used.empty())
    return parser_->actions.at(used.front()).run();
  fmt::print("{}", app.help());
  return ok;
}

int parse_and_run(int argc, char** argv) { return CommandLine().run(argc, argv); }

} // namespace starling::tool
