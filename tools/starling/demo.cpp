// starling demo: two problems, each with RBM-SVGD and with SVGD, on built-in defaults.
#include "commands.hpp"
#include "python_program.hpp"

#include "io/output_file.hpp"
#include "io/output_folder.hpp"
#include "results/results.hpp"

#include <starling/random/philox.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace starling::tool {

namespace {

using Json = nlohmann::ordered_json;

/// 500 rows of three features with known weights: y ~ Bernoulli(sigmoid(1.5 a - 2 b + 0.5 c)).
void write_data(const std::filesystem::path& file) {
  const Philox philox(2019);
  std::string text = "a,b,c,y\n";
  for (std::uint64_t row = 0; row < 500; ++row) {
    const auto ab = normal_pair(philox(Stream::synthetic, 0, row));
    const auto c = normal_pair(philox(Stream::synthetic, 1, row));
    const double logit = 1.5 * ab[0] - 2.0 * ab[1] + 0.5 * c[0];
    const bool y = uniform(philox(Stream::synthetic, 2, row)) < 1 / (1 + std::exp(-logit));
    text += fmt::format("{:.6f},{:.6f},{:.6f},{}\n", ab[0], ab[1], c[0], y ? 1 : 0);
  }
  io::OutputFile out(file);
  out.write(text);
  out.close();
}

struct Problem {
  std::string name;
  plan::Recipe recipe; // with random batches; SVGD is the same with one batch of all
};

std::array<Problem, 2> problems(const std::string& data, std::uint64_t threads) {
  plan::Recipe mixture;
  mixture.target = "mixture";
  mixture.particles = 1024;
  mixture.batch = "32";
  mixture.steps = 500;
  mixture.kernel = "gaussian-paper";
  mixture.bandwidth = "0.35";
  mixture.step_size = 0.2;
  mixture.start = "normal:-10,1";
  mixture.threads = threads;

  plan::Recipe logistic;
  logistic.target = "logistic";
  logistic.set("data", data).set("scale", std::string("standard")).set("holdout", 0.2);
  logistic.set("data-batch", std::uint64_t{400});
  logistic.particles = 512;
  logistic.batch = "8";
  logistic.steps = 1000;
  logistic.bandwidth = "median:1000";
  logistic.step_size = 0.02;
  logistic.threads = threads;
  return {Problem{"mixture", mixture}, Problem{"logistic", logistic}};
}

std::string command_of(const plan::Recipe& r) {
  std::string text = "starling sample " + r.target;
  for (const auto& [name, value] : r.extra)
    text += fmt::format(" --{} {}", name, plan::shown(value));
  if (r.extra.empty())
    text += fmt::format(" --kernel {} --bandwidth {} --start {}", r.kernel, r.bandwidth, r.start);
  return text + fmt::format(" --particles {} --batch {} --steps {} --step-size {}", r.particles,
                            r.batch, r.steps, *r.step_size);
}

void show_row(const std::string& method, bool mixture, const run::Outcome& o, double speedup) {
  const auto& p = o.diagnosis.parameters;
  double lowest = INFINITY, highest = -INFINITY;
  for (const auto& one : p) {
    lowest = std::min(lowest, one.spread_identity);
    highest = std::max(highest, one.spread_identity);
  }
  const std::string figure =
      mixture ? std::string() : fmt::format("  accuracy {:.3f}", o.held_out->accuracy);
  fmt::print("{:<22} {:>8.3f} {:>8.3f} {:>6.2f}-{:<6.2f} {:>9.2g} {:<13} {:>8.2f} s {:>7}{}\n",
             method, p[0].mean, p[0].sd, lowest, highest, o.diagnosis.ksd.value,
             judge::word(o.diagnosis.judgement), o.seconds.total,
             speedup > 0 ? fmt::format("{:.1f}x", speedup) : "", figure);
}

/// The page of a run, in the browser that the user has chosen or the system knows.
int show_page(const std::string& python, const std::filesystem::path& folder, bool aside) {
  if (const int code = report_by(python, {folder.string(), "", "", false, aside}); code != ok)
    return code;
  const std::string page = (folder / "report.html").string();
  std::vector<std::string> browsers = {"xdg-open", "open", "wslview"};
  if (const char* chosen = std::getenv("BROWSER"); chosen != nullptr && *chosen != '\0')
    browsers.insert(browsers.begin(), chosen);
  for (const std::string& browser : browsers)
    if (run_program({browser, page}, Hears::nothing) == 0)
      return ok;
  return complain(failed, fmt::format("--open: no browser was found; the page is {}", page));
}

} // namespace

int demo(const DemoRequest& d) {
  const std::filesystem::path root(d.out);
  const std::string python = d.open ? python_for_pages("") : "";
  {
    // The usual place is the demo's own and replaced at each run; another one may be anything.
    io::OutputFolder fresh(root, d.force || d.out == DemoRequest().out);
    write_data(fresh.path("data.csv"));
    fresh.commit();
  }
  Json report;
  for (const Problem& problem : problems((root / "data.csv").string(), d.threads)) {
    const bool mixture = problem.name == "mixture";
    if (!d.json) {
      fmt::print("{}\n",
                 mixture ? "The paper's mixture, 1/3 N(-2,1) + 2/3 N(2,1), started far away at "
                           "N(-10,1): true mean 0.667, sd 2.134"
                         : "Bayesian logistic regression on made-up data, 400 rows for training, "
                           "100 for testing; mean and sd of w[a], true value 1.5 before scaling");
      fmt::print("  {}\n", command_of(problem.recipe));
      fmt::print("{:<22} {:>8} {:>8} {:>13} {:>9} {:<13} {:>10} {:>7}\n", "method", "mean", "sd",
                 "spread", "KSD^2", "verdict", "time", "speedup");
      std::fflush(stdout);
    }
    std::array<run::Outcome, 2> outcomes;
    for (const int which : {1, 0}) { // SVGD first: the speedup is against it
      Presentation presentation;
      presentation.out = (root / problem.name / (which == 1 ? "svgd" : "rbm-svgd")).string();
      presentation.force = true;
      plan::Recipe recipe = problem.recipe;
      if (which == 1)
        recipe.batch = "all";
      std::vector<run::Outcome> outcome;
      if (const int code = run_and_write(plan::resolve(recipe), presentation, outcome); code != ok)
        return code;
      outcomes[which] = std::move(outcome.front());
    }
    const double speedup = outcomes[1].seconds.total / outcomes[0].seconds.total;
    report[problem.name] = {{"rbm_svgd", results::to_json({&outcomes[0], 1})},
                            {"svgd", results::to_json({&outcomes[1], 1})},
                            {"speedup", speedup}};
    if (d.json)
      continue;
    show_row(fmt::format("RBM-SVGD, batches of {}", problem.recipe.batch), mixture, outcomes[0],
             speedup);
    show_row("SVGD, all pairs", mixture, outcomes[1], 0);
    fmt::print("\n");
  }
  if (d.json)
    fmt::print("{}\n", report.dump(2));
  else
    fmt::print("Spread is 1 when the cloud is as wide as the target. Results: {}\n", d.out);
  return d.open ? show_page(python, root / "mixture/rbm-svgd", d.json) : ok;
}

} // namespace starling::tool
