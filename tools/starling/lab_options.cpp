// The options of bench and reproduce, which are in the second program.
#include "commands.hpp"
#include "names.hpp"
#include "plan/spec.hpp"
#include "recipe_options.hpp"
#include "subcommands.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace starling::tool {

Action add_bench(CLI::App& app) {
  auto b = std::make_shared<BenchRequest>();
  offer(app.add_option("NAME", b->names,
                       "overhead, full, scale, threads, logistic, wide, whole (default: these); "
                       "cuda; posteriors, shapes, verdicts, evidence"),
        {"overhead", "full", "scale", "threads", "logistic", "wide", "whole", "cuda", "posteriors",
         "shapes", "verdicts", "evidence"});
  app.add_option("--json", b->json, "FILE for the figures")->type_name("");
  app.add_option("--repeats", b->repeats, "Measurements for each figure, which is their median")
      ->type_name("")
      ->capture_default_str();
  app.add_flag("--quick", b->quick, "Small sizes: a quick test, not for its figures");
  const char* accuracy = "For posteriors, shapes, verdicts and evidence";
  const auto add_number = [&](const char* name, std::uint64_t& field, std::size_t least,
                              const char* help) {
    return add_text(app, std::string("--") + name, help,
                    [&field, name, least](const std::string& text) {
                      field = plan::parse_count(name, text, least);
                    })
        ->group(accuracy);
  };
  add_text(
      app, "--models",
      "DIR with a folder for each posterior: model.stan (or model.so), data.json if it has data, "
      "reference.npz (draws) or reference.json (figures)",
      into(b->models))
      ->group(accuracy);
  app.add_option("--only", b->only,
                 "Only posteriors or shapes whose name contains this; may be repeated")
      ->type_name("")
      ->allow_extra_args(false)
      ->group(accuracy);
  app.add_option("--skip", b->skip, "Skip those whose name contains this; may be repeated")
      ->type_name("")
      ->allow_extra_args(false)
      ->group(accuracy);
  offer(add_text(app, "--against",
                 "nutpie: also NUTS by the Python package nutpie on the same posteriors",
                 into(b->against))
            ->group(accuracy),
        {"nutpie"});
  add_number("seeds", b->seeds, 1, "Runs of each with seeds 1 to K")
      ->default_str("3, of shapes 20, of verdicts and evidence 50");
  add_number("particles", b->particles, 8, "Number of particles")
      ->default_str("1000, of verdicts 256");
  add_number("threads", b->threads, 0, "Threads (0: one per core)")->default_str("0");
  offer(add_text(app, "--half",
                 "Which shapes of verdicts: seen (default), held-back, all; settings were chosen "
                 "on the first",
                 into(b->half))
            ->group(accuracy),
        {"seen", "held-back", "all"});
  offer(add_text(
            app, "--fly-kernel",
            "Kernel of the flight beside the bilinear part: none, gaussian, parameters, marginals",
            into(b->fly_kernel))
            ->group(accuracy),
        {"none", "gaussian", "parameters", "marginals"});
  add_number("batch", b->batch, 2, "Batch size of the flight")->default_str("8");
  add_number("polish", b->polish, 0, "Steps of the polish")->default_str("16");
  app.add_flag("--long", b->longer, "Each also with eight times the steps")->group(accuracy);
  return action(b, [b] { return bench(*b); });
}

Action add_reproduce(CLI::App& app) {
  auto r = std::make_shared<ReproduceRequest>();
  std::string known;
  for (const std::string_view name : reproduce::experiment_names)
    known += (known.empty() ? "" : ", ") + std::string(name);
  offer(app.add_option("NAME", r->names, known + "; default all"),
        {reproduce::experiment_names.begin(), reproduce::experiment_names.end()});
  add_text(app, "--out",
           "Folder for the figures, pictures and report.html; an unfinished one is continued",
           into(r->out));
  add_text(app, "--covertype",
           "FILE with the Covertype data: csv, csv.gz, csv.xz, covtype.data[.gz]",
           into(r->covertype));
  add_flag(app, "--quick", r->quick,
           "Fewer starts, smaller sizes: a quick test, not for its figures");
  add_threads(app, r->threads);
  add_text(app, "--python", "Python with matplotlib, for the pictures", into(r->python));
  add_flag(app, "--force", r->force, "Write into a folder that has other files");
  add_flag(app, "--json", r->json, "Print the summary as JSON instead of the table");
  return action(r, [r] {
    require("--out", r->out, "reproduce");
    return reproduce(*r);
  });
}

} // namespace starling::tool
