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
       "Stop once the diagnostics say converged and keep saying so; --steps is then the most it "
       "takes",
       {},
       true},
      {"Run", "seed", "Seed of everything random"},
      {"Run", "runs",
       "Independent clouds, one file of draws each: R-hat between them then means something"},
      {raw_heading,
       "start",
       fmt::format("normal:MEAN,SD, uniform:LO,HI, FILE.npy, FILE.checkpoint (where a run "
                   "stopped); {} (default normal:0,1, for stan stan)",
                   fmt::join(own, ", ")),
       {"normal:", "uniform:"},
       true},
      {"Run", "threads", "Threads (0: one per core); results do not depend on it"},
      {raw_heading,
       "device",
       "cpu, cuda, or cuda:N for card number N: where the steps of the raw method are taken; ranks "
       "of mpirun take the cards of their machine in turn unless N is given (docs/gpu.md)",
       {"cpu", "cuda"},
       true},
      {"Run", "blocks",
       "Blocks of rows: ranks of mpirun hold whole blocks, and scores are asked for block by "
       "block; results depend on it, not on the ranks (default 64 under mpirun, else none; "
       "docs/many_machines.md)"},
      {raw_heading, "precision", "double or single", {"double", "single"}, true},
      {"Stages",
       "method",
       "auto: scout, fly, certify and settle, with nothing to tune; paper: RBM-SVGD as the paper "
       "has it (default auto where the target gives a log density and no option of the raw method "
       "is given)",
       {"auto", "paper"}},
      {"Stages",
       "prefit",
       "K climbs that find the mode, a first metric and a start, or none (default 8; with --method "
       "paper none, and K asks for such a start)",
       {"none"}},
      {"Stages", "metric",
       "Coordinates in which --method auto flies: none (the target's own), diagonal, dense, "
       "low-rank or bent (default dense, above 100 dimensions low-rank, bent where that helps "
       "clearly)",
       metric_names()},
      {"Stages",
       "certify",
       "K exact moves that show whether the cloud stays where it is, or none (default 20; with "
       "--method paper only where they take at most an eighth of its gradients)",
       {"none"}},
      {"Stages",
       "exact",
       "auto: exact moves when the certificate asks for them; none; or K of them in any case "
       "(default auto)",
       {"auto", "none"}},
      {"Stages",
       "polish",
       "K steps of RBM-SVGD after the exact moves of --method auto, or none (default 20)",
       {"none"}},
      {"Stages", "temper",
       "Look for modes by tempering too, from a reference much wider than what the scout met "
       "(docs/evidence.md)"},
      {"Stages", "evidence",
       "The log evidence as well, by bridge sampling, to compare models (docs/evidence.md)"},
      {raw_heading, "kernel",
       fmt::format("{}, or a sum such as gaussian+0.1*polynomial; imq+bilinear adds a bilinear "
                   "part, exact over all particles",
                   fmt::join(kernel_helps, ", ")),
       kernel_words, true},
      {raw_heading,
       "bandwidth",
       "H, median, or median:M for M pairs drawn afresh each step (default median:1000)",
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
    const bool as_in_stages = (info.name == "device" && recipe.device == "cpu") ||
                              (info.name == "precision" && recipe.precision == "double");
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
