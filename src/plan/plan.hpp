// What will be run: a recipe after every text has been read once. Numbers, variants and factories;
// nothing to parse.
#pragma once

#include "plan/recipe.hpp"
#include "plan/tables.hpp"

#include <starling/deal/batch_size.hpp>
#include <starling/stages/metric.hpp>

#include <optional>
#include <variant>

namespace starling::plan {

struct NoBandwidth {};
struct FixedBandwidth {
  double h;
};
struct MedianOfAll {};
struct MedianOfPairs {
  std::size_t pairs;
};
using Bandwidth = std::variant<NoBandwidth, FixedBandwidth, MedianOfAll, MedianOfPairs>;

/// One kernel of a sum.
struct KernelTerm {
  double weight = 1;
  const KernelEntry* kernel = nullptr;
  Given settings;
};

struct StartNormal {
  double mean, sd;
};
struct StartUniform {
  double low, high;
};
struct StartOwn { ///< the target's own; some read a file
  std::string file;
};
struct StartFile { ///< positions: FILE.npy or FILE.checkpoint
  std::string file;
};
struct StartGiven {}; ///< by the program
using Start = std::variant<StartNormal, StartUniform, StartOwn, StartFile, StartGiven>;

/// The stages of a run that needs no tuning; none of it for the raw method.
struct Stages {
  std::size_t starts = 8; ///< ways up of the scout; 0: none
  stages::Metric metric = stages::Metric::by_size;
  std::size_t certify = 20; ///< exact moves of the certificate; 0: none
  enum class Exact { when_moved, never, always } exact = Exact::when_moved;
  std::size_t exact_moves = 0; ///< for always
  std::size_t polish = 16;
  bool temper = false, evidence = false; ///< modes by tempering; the log evidence too
  enum class Kernel { none, gaussian, parameters, marginals };
  std::optional<Kernel> kernel;            ///< beside the bilinear part; none given: the usual one
  std::optional<std::size_t> steps, batch; ///< of the flight; none given: the usual ones
};

struct Plan {
  Recipe recipe; ///< everything decided, as text: what config.toml says

  std::optional<Stages> stages;        ///< none: the raw method
  const TargetEntry* target = nullptr; ///< none: a guest
  InBoth<MakeTarget> make_target;
  std::size_t particles = 0;
  std::optional<BatchSize> batch; ///< none: everyone in one
  bool grows = false;             ///< the batch, with time
  bool replace = false;           ///< Algorithm 2
  Step steps = 0;                 ///< sweeps over all particles
  bool until_converged = false;
  std::uint64_t seed = 1, runs = 1;
  std::size_t threads = 0;
  std::optional<std::size_t> card; ///< the one whose steps they are; none: the host takes them
  bool card_by_rank = false;       ///< ranks of a machine take its cards in turn
  bool single = false;             ///< precision
  std::size_t blocks = 0;          ///< of rows, that ranks hold whole; 0: none
  std::vector<KernelTerm> kernel;
  Bandwidth bandwidth;
  std::optional<double> period; ///< of the torus; none: all of R^d
  const DealerEntry* dealer = nullptr;
  const RuleEntry* rule = nullptr;
  Given rule_settings;
  double step_size = 0;
  Start start;
  bool too_few_for_stages = false; ///< so that it is the raw method, which nobody asked for
  std::size_t prefit = 0; ///< ways up of a scout that finds the raw method's start; 0: none
  std::optional<std::size_t>
      certify; ///< exact moves that certify the raw method's end; none given: if cheap

  std::size_t batch_size() const { return batch ? batch->first() : particles; }
  /// Steps of the loop: sweeps, or N/p draws for each with replacement.
  Step loop_steps() const;
  /// What to know before trusting it.
  std::vector<std::string> warnings() const;
};

/// Checks every choice that can be checked without opening a file, and decides what was left open.
/// Throws invalid_argument that names the option.
Plan resolve(const Recipe& recipe);

} // namespace starling::plan
