// What the command line, a file or Python asked for, as plain data. Lives at the edge only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace starling::plan {

/// Every choice a run has. Texts are in the form the command line takes; an empty text means
/// "decide for me", and `resolve` replaces it by what was decided.
struct Recipe {
  std::string target;

  // Options of one target only.
  std::string weights = "1/3,2/3", means = "-2;2", sds = "1"; // mixture
  std::uint64_t dim = 2;                                      // normal, funnel
  double correlation = 0;                                     // normal
  double curvature = 0.5;                                     // banana
  double width = 0;                                           // banana, funnel; 0: the usual one
  std::string model;                                          // stan, plugin
  std::string data;                                           // logistic, stan, plugin
  std::string label, positive, scale = "minmax";              // logistic
  std::uint64_t data_batch = 0;                               // logistic; 0: 100, or all if fewer
  double holdout = 0;                                         // logistic

  std::uint64_t particles = 1000;
  std::string batch;
  std::uint64_t steps = 1000;
  bool until_converged = false;
  std::uint64_t seed = 1;
  std::uint64_t runs = 1;
  std::string kernel = "gaussian";
  std::string bandwidth;
  std::string advance = "adagrad";
  double step_size = 0.1;
  double decay_tau = 100, decay_power = 0.6;
  std::string deal;
  bool replace = false;
  std::string grow_batch;
  std::string start;
  std::string domain;
  std::string precision = "double";
  std::uint64_t threads = 0;
};

/// Calls visit(group, name, field, help) for every field: options, TOML keys and config.toml are all
/// made from this one list. A group that is a target's name is for that target only; several are
/// separated by blanks.
template <typename AnyRecipe, typename Visit>
void for_each_field(AnyRecipe& r, Visit&& visit) {
  visit("mixture", "weights", r.weights, "Weights of the components: 1/3,2/3");
  visit("mixture", "means", r.means, "Means of the components, ';' between, ',' inside: -2;2 or 0,0;3,3");
  visit("mixture", "sds", r.sds, "Standard deviations: one for all, or one for each component");
  visit("normal funnel", "dim", r.dim, "Dimension");
  visit("normal", "correlation", r.correlation, "Correlation between any two coordinates");
  visit("banana", "curvature", r.curvature, "How much it bends");
  visit("banana funnel", "width", r.width, "Standard deviation of the first coordinate (0: 1 for banana, 3 for funnel)");
  visit("stan plugin", "model", r.model, "The library, LIB.so: the same as MODEL after TARGET");
  visit("logistic stan plugin", "data", r.data, "FILE: csv, csv.gz, csv.xz, covtype.data[.gz] or libsvm for logistic, .json for stan, any for plugin");
  visit("logistic", "label", r.label, "Label column: NAME, or INDEX from 0 (negative: from the end); default the last");
  visit("logistic", "positive", r.positive, "The label VALUE that counts as 1; needed when there are more than two");
  visit("logistic", "scale", r.scale, "Feature scaling: minmax, standard or none");
  visit("logistic", "data-batch", r.data_batch, "Data rows seen per step (0: 100, or all if fewer)");
  visit("logistic", "holdout", r.holdout, "Share of the rows kept for testing, 0 to below 1");

  visit("Run", "particles", r.particles, "Number of particles N");
  visit("Run", "batch", r.batch, "Particles per random batch P, or 'all' for SVGD (default 8)");
  visit("Run", "steps", r.steps, "Number of steps (sweeps over all particles)");
  visit("Run", "until-converged", r.until_converged, "Stop once the diagnostics say converged, and go on saying so; --steps is then the most it takes");
  visit("Run", "seed", r.seed, "Seed of everything random");
  visit("Run", "runs", r.runs, "Independent clouds, one file of draws each: R-hat between them then means something");
  visit("Run", "start", r.start, "normal:MEAN,SD, uniform:LO,HI, FILE.npy, FILE.checkpoint (where a run stopped), for logistic prior, for stan stan or FILE.csv (draws of an earlier run) (default normal:0,1, for stan stan)");
  visit("Run", "threads", r.threads, "Threads (0: one per core); results do not depend on it");
  visit("Run", "precision", r.precision, "double or single");
  visit("Method", "kernel", r.kernel, "gaussian, gaussian-paper, imq, matern32, matern52, polynomial:a=1,m=2, sinc:a=1, riesz:a=0.5, riesz-smooth:a=0.5,s=1, or a sum such as gaussian+0.1*polynomial; imq+bilinear adds a bilinear part, exact over all particles");
  visit("Method", "bandwidth", r.bandwidth, "H, median, or median:M for M pairs drawn afresh each step (default median:1000)");
  visit("Method", "advance", r.advance, "adagrad, adagrad-sum, constant, decay, rmsprop, adam, rk4 or splitting");
  visit("Method", "step-size", r.step_size, "Step size eta");
  visit("Method", "decay-tau", r.decay_tau, "decay: eta (1 + k/TAU)^-POWER");
  visit("Method", "decay-power", r.decay_power, "decay: the POWER");
  visit("Method", "deal", r.deal, "shuffle, or matching: pairs from a random tournament round, cheaper (default for --batch 2)");
  visit("Method", "replace", r.replace, "Draw batches with replacement (Algorithm 2)");
  visit("Method", "grow-batch", r.grow_batch, "Let the batch grow: double:K (doubled every K steps) or power:G (P (1+k)^G)");
  visit("Method", "domain", r.domain, "torus:L for periodic coordinates; default all of R^d");
}

/// Whether a field of this group is one for the target; a group with a capital letter is for all.
inline bool is_for(std::string_view group, std::string_view target) {
  return group.front() < 'a' ||
         (" " + std::string(group) + " ").find(" " + std::string(target) + " ") != std::string::npos;
}

/// Checks every choice that can be checked without opening a file, and fills in what was left open.
/// Throws invalid_argument that names the option.
void resolve(Recipe& recipe);

/// What to know about a resolved recipe before trusting it.
std::vector<std::string> warnings_for(const Recipe& recipe);

} // namespace starling::plan
