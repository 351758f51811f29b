// What help and completion say about each field of a recipe, its defaults, and what was given.
#include "plan/recipe.hpp"

#include "plan/names.hpp"
#include "plan/plan.hpp"
#include "plan/stages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace starling::plan {

namespace {

/// "polynomial:a=1,m=2"
std::string with_settings(const KernelEntry& kernel) {
  std::string text = kernel.name;
  for (const Setting& setting : kernel.settings)
    text += fmt::format("{}{}={}", text == kernel.name ? ":" : ",", setting.name,
                        shown(setting.default_value));
  return text;
}

std::vector<FieldInfo> make_field_infos() {
  std::vector<std::string> kernel_words, kernel_helps, own;
  for (const KernelEntry& kernel : kernels()) {
    kernel_words.push_back(with_settings(kernel));
    if (!kernel.over_everyone)
      kernel_helps.push_back(with_settings(kernel));
  }
  for (const TargetEntry& target : targets())
    if (!target.starts.empty())
      own.push_back(fmt::format("for {} {}", target.name, list_words(target.starts, "or")));
  const auto rule_names = names_of(rules());
  std::string dealer_helps;
  for (const DealerEntry& dealer : dealers())
    dealer_helps +=
        fmt::format("{}{}: {}", dealer_helps.empty() ? "" : "; ", dealer.name, dealer.help);

  return {
      {"Run", "particles", "Number of particles N"},
      {raw_heading,
       "batch",
       "Particles per random batch P, or 'all' for SVGD (default 8)",
       {"all"},
       true},
      {raw_heading,
       "steps",
       "Number of steps (sweeps over all particles; default 1000, with --method auto 100)",
       {},
       true},
      {raw_heading,
       "until-converged",
       "Stop when the diagnostics say converged several times in a row; --steps is then the limit",
       {},
       true},
      {"Run", "seed", "Seed of all random numbers"},
      {"Run", "runs", "Independent runs, with one file of draws each; R-hat compares them"},
      {raw_heading,
       "start",
       fmt::format("normal:MEAN,SD, uniform:LO,HI, FILE.npy, FILE.checkpoint (where a run "
                   "stopped); {} (default normal:0,1, for stan stan)",
                   fmt::join(own, ", ")),
       {"normal:", "uniform:"},
       true},
      {"Run", "threads", "Threads (0: one per core); the results do not depend on it"},
      {"Run",
       "device",
       "cpu, cuda, or cuda:N for GPU number N: it computes the target's densities and gradients, "
       "and with --method paper the steps too; ranks of mpirun share the GPUs of their machine "
       "unless N is given (docs/gpu.md)",
       {"cpu", "cuda"}},
      {"Run", "blocks",
       "Blocks of particles: a rank of mpirun has whole blocks, and scores are computed block by "
       "block. Results depend on the blocks, not on the ranks (default 64 under mpirun, else none; "
       "docs/many_machines.md)"},
      {raw_heading, "precision", "double or single", {"double", "single"}, true},
      {"Stages",
       "method",
       "auto: scout, fly, certify and settle, with nothing to tune; paper: RBM-SVGD as in the "
       "paper (default auto if the target gives a log density and no option of --method paper is "
       "given)",
       {"auto", "paper"}},
      {"Stages",
       "prefit",
       "K climbs that find the mode, the scales and a start, or none (default 8; with --method "
       "paper none)",
       {"none"}},
      {"Stages", "metric",
       "Coordinates of --method auto: none (the target's own), diagonal, dense, low-rank or bent "
       "(default dense, above 100 dimensions low-rank, bent where that helps clearly)",
       metric_names()},
      {"Stages",
       "certify",
       "K HMC moves (exact moves) that check whether the cloud stays where it is, or none (default "
       "20; with --method paper only if they need at most an eighth of its gradients)",
       {"none"}},
      {"Stages",
       "exact",
       "HMC moves that correct the cloud. auto: if the check does not confirm it; none; or K in "
       "any case (default auto)",
       {"auto", "none"}},
      {"Stages",
       "polish",
       "K steps of RBM-SVGD after the HMC moves of --method auto, or none (default 16)",
       {"none"}},
      {"Stages", "temper",
       "Search for modes by tempering too, from a reference much wider than the scout's modes "
       "(docs/evidence.md)"},
      {"Stages", "evidence",
       "Compute the log evidence too, by bridge sampling, to compare models (docs/evidence.md)"},
      {raw_heading, "kernel",
       fmt::format("{}, or a sum such as gaussian+0.1*polynomial; imq+bilinear adds a bilinear "
                   "part over all particles",
                   fmt::join(kernel_helps, ", ")),
       kernel_words, true},
      {raw_heading,
       "bandwidth",
       "H, median, or median:M for M pairs drawn again in each step (default median:1000)",
       {"median", "median:"},
       true},
      {raw_heading, "advance", list_words(rule_names, "or"), rule_names, true},
      {raw_heading, "step-size", "Step size eta", {}, true},
      {raw_heading, "deal", dealer_helps, names_of(dealers()), true},
      {raw_heading, "replace", "Draw batches with replacement (Algorithm 2)", {}, true},
      {raw_heading,
       "grow-batch",
       "Let the batch grow: double:K (doubled every K steps) or power:G (P (1+k)^G)",
       {"double:", "power:"},
       true},
      {raw_heading,
       "domain",
       "torus:L for periodic coordinates; default all of R^d",
       {"torus:"},
       true},
  };
}

void add(std::vector<TableSetting>& all, const Setting& setting, const std::string& name,
         const std::string& owner, bool of_target) {
  const auto found =
      std::ranges::find(all, name, [](const TableSetting& e) { return e.setting.name; });
  if (found != all.end())
    return found->owners.push_back(owner);
  all.push_back({setting, {owner}, of_target});
  all.back().setting.name = name;
}

} // namespace

const std::vector<FieldInfo>& field_infos() {
  static const std::vector<FieldInfo> all = make_field_infos();
  return all;
}

Recipe with_defaults(Recipe recipe) {
  const auto fill_in = [](auto& field, auto value) {
    if (left_open(field))
      field = value;
  };
  fill_in(recipe.kernel, "gaussian");
  fill_in(recipe.advance, "adagrad");
  fill_in(recipe.step_size, 0.1);
  fill_in(recipe.precision, "double");
  fill_in(recipe.device, "cpu");
  return recipe;
}

std::vector<std::string> raw_settings_given(const Recipe& recipe) {
  std::vector<std::string> names;
  for_each_field(recipe, [&](const FieldInfo& info, const auto& field) {
    const bool as_in_stages = info.name == "precision" && recipe.precision == "double";
    if (info.raw && !left_open(field) && !as_in_stages)
      names.push_back(info.name);
  });
  if (recipe.extra.contains("data-batch")) // of any target; the stages choose their own rows
    names.push_back("data-batch");
  return names;
}

const std::vector<TableSetting>& table_settings() {
  static const std::vector<TableSetting> all = [] {
    std::vector<TableSetting> list;
    for (const TargetEntry& target : targets())
      for (const Setting& setting : target.settings)
        add(list, setting, setting.name, target.name, true);
    for (const RuleEntry& rule : rules())
      for (const Setting& setting : rule.settings)
        add(list, setting, rule.name + "-" + setting.name, rule.name, false);
    return list;
  }();
  return all;
}

} // namespace starling::plan
