// The subcommands as plain functions of plain requests. Only options.cpp, subcommands.cpp and the
// files *_options.cpp know how they are spelled.
#pragma once

#include "complaints.hpp"
#include "plan/plan.hpp"

#include <starling/run/fly.hpp>

#include <memory>
#include <string>
#include <vector>

namespace starling::tool {

/// The subcommands and how they are spelled. It can be used again: every command line is read as if
/// it were the first.
class CommandLine {
public:
  CommandLine();
  ~CommandLine();

  /// Parses the words and runs the subcommand. Throws what the subcommand throws.
  int run(int argc, char** argv);

private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

/// The same with one that is new.
int parse_and_run(int argc, char** argv);

struct DemoRequest {
  std::string out = "out/demo";
  std::uint64_t threads = 0;
  bool json = false, force = false;
  bool open = false; ///< show the page of its first run in a browser
};
int demo(const DemoRequest& request);

/// How a run shows itself and where it goes.
struct Presentation {
  std::string progress = "auto"; ///< auto, bar, plain or none
  bool quiet = false;
  bool force = false;
  std::string out;                    ///< empty: nothing is written
  std::string format = "csv,npz";     ///< of the draws
  std::uint64_t checkpoint_every = 0; ///< steps; 0: only when it is interrupted
  std::string resume;                 ///< folder of an unfinished run; empty: begin anew
  std::uint64_t time_limit = 0;       ///< seconds; 0: none
  std::string memory_limit;           ///< bytes, 500M, 8G; empty: none
};

struct SampleRequest {
  plan::Recipe recipe;
  plan::Recipe from_config; ///< as the file alone has it
  std::string config;       ///< the file; empty: none
  Presentation presentation;
  bool steps_given = false, threads_given = false, device_given = false; ///< besides --resume
  bool out_given = false, report_given = false; ///< by the user, not by the file
  std::string
      model; ///< the library or program that the user names; what a file names alone is not loaded
  bool trust = false; ///< load, write and start what a file names
  bool dump_config = false, json = false, fail_unless_converged = false;
  bool report = false; ///< make the page of the results too
};
int sample(SampleRequest request);

struct CheckRequest {
  plan::Recipe recipe;
  bool json = false;
};
int check(CheckRequest request);

struct SummaryRequest {
  std::string path;
  bool json = false;
};
int summary(const SummaryRequest& request);

struct CompareRequest {
  std::vector<std::string> folders; ///< of runs
  bool json = false;
};
int compare(const CompareRequest& request);

struct ConvertRequest {
  std::string from, to;
  bool force = false; ///< replace what is there
};
int convert(const ConvertRequest& request);

struct ThinRequest {
  std::string from, out; ///< out empty: only the figures
  std::uint64_t to = 0, threads = 0;
  bool weights = false, trust = false, json = false, force = false;
};
int thin(const ThinRequest& request);

struct PredictRequest {
  std::string folder, data, out; ///< out empty: stdout
  std::uint64_t threads = 0;
  bool observation = false;  ///< with its noise, not its expected value
  bool drop_missing = false; ///< leave rows with missing values out
  bool json = false, force = false;
};
int predict(const PredictRequest& request);

struct ReportRequest {
  std::string folder, out,
      python;         ///< out empty: DIR/report.html; python empty: one that can is looked for
  bool force = false; ///< replace a page of ours that `out` names
  bool aside = false; ///< say where it is on stderr: stdout is taken
};
int report(const ReportRequest& request);
/// The same in two parts, so that a long run does not end in "there is no Python": one that can
/// make pages, or an exception that says what is missing; then the page by it.
std::string python_for_pages(const std::string& asked);
int report_by(const std::string& python, const ReportRequest& request);

/// What completion, the manual page and explain know of an option, and of a command; the program
/// itself has no name.
struct OptionWords {
  std::string name, help; ///< with its dashes
  bool takes_value = false;
  std::vector<std::string> values; ///< those it can have; none: files
  std::string group,
      usual; ///< its heading in the help; the value when it is not given, if it has one
};
struct CommandWords {
  std::string name, help;
  std::vector<OptionWords> options;
  std::vector<std::string>
      arguments; ///< words that can stand in their place; "still moving" is two in a row
  std::vector<OptionWords> places = {}; ///< the arguments as the help names them
};
/// Prints the script for bash, zsh or fish.
int completion(const std::string& shell, const std::vector<CommandWords>& commands);
/// Prints the manual page, as roff.
int manual(const std::vector<CommandWords>& commands);
/// Prints what the pages say about a verdict, an option, a file, a kernel or a figure.
int explain(const std::string& word, const std::vector<CommandWords>& commands);

int info(bool json);

struct BenchRequest {
  std::vector<std::string> names; ///< empty: those of speed
  std::string json;               ///< file for the figures; empty: none
  bool quick = false;
  std::uint64_t repeats = 5;

  // of posteriors, shapes and verdicts
  std::string models;                       ///< folder of posteriors
  std::vector<std::string> only, skip;      ///< parts of their names; none: all
  std::string against;                      ///< empty, or nutpie
  std::uint64_t seeds = 0;                  ///< 0: the usual number
  std::uint64_t particles = 0, threads = 0; ///< 0 particles: the usual number
  std::string half;    ///< of the shapes of verdicts: seen, held-back or all; empty: seen
  bool longer = false; ///< also with eight times the steps
  static constexpr std::uint64_t usual = ~std::uint64_t{0};
  std::string fly_kernel; ///< none, gaussian, parameters or marginals; empty: the usual one
  std::uint64_t batch = 0, polish = usual; ///< of the flight; 0: the usual one
};
int bench(const BenchRequest& request);

struct ReproduceRequest {
  std::vector<std::string> names; ///< empty: all
  std::string out;
  std::string covertype; ///< the data file; empty: none
  std::string python;    ///< draws the pictures; empty: one that can is looked for
  std::uint64_t threads = 0;
  bool quick = false, json = false, force = false;
};
int reproduce(const ReproduceRequest& request);

/// Draws the pictures and report.html from the JSON files in the folder, by a Python that can: the
/// one given, the one of the build, or the one on the path. False, and a warning, when there is
/// none.
bool draw_page(const std::string& python, const std::string& folder);

/// Makes all runs of a plan, writes the results to presentation.out, saves the state when
/// one fails or is interrupted. Returns the exit code; `outcomes` is complete when it is 0.
int run_and_write(const plan::Plan& plan, const Presentation& presentation,
                  std::vector<run::Outcome>& outcomes);

/// A watch with a progress line on stderr, silent in the first two seconds, and what asks to stop
/// (stop.hpp).
run::Watch watch_for(const Presentation& presentation, std::uint64_t runs);
/// Removes the progress line, if there is one.
void clear_progress();

} // namespace starling::tool
