// bench verdicts: runs on many shapes, and clouds made wrong on purpose, against exact draws: does
// "converged" mean right?
#include "bench.hpp"
#include "bench_errors.hpp"
#include "plan/names.hpp"
#include "shape_runs.hpp"
#include "truth.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace starling::tool {

namespace {

using VerdictJson = nlohmann::ordered_json;
constexpr std::uint64_t verdict_seeds = 50, cloud_seeds_share = 10;

/// One verdict against the truth.
struct Judged {
  std::string verdict, why, failure;
  Distance far;
  std::optional<bool> bounds;
  double gradients = 0, seconds = 0;

  std::optional<bool> given_wrong; ///< of a cloud that was given

  bool converged() const { return verdict == "converged"; }
  bool wrong() const { return !failure.empty() || far.wrong(); } // a run that failed is not right
};

Judged judged(const Truth& truth, const ShapeRun& run) {
  Judged j;
  j.seconds = run.seconds;
  j.failure = run.failure;
  j.far.improper = !truth.shape().proper();
  if (!j.failure.empty()) { // it says so, and gives no cloud
    j.verdict = "failed";
    return j;
  }
  Measured counted;
  take_report(run.outcome, counted);
  j.verdict = counted.verdict;
  j.why = judge::sentence(run.outcome.diagnosis.judgement);
  j.gradients = counted.gradients;
  j.far = truth.of(run.outcome.positions);
  j.bounds =
      truth.bounds_hold(run.outcome.diagnosis.judgement, run.outcome.positions, run.outcome.names);
  return j;
}

VerdictJson in_json(const std::string& shape, const char* half, const std::string& cloud,
                    std::uint64_t seed, const Judged& j) {
  VerdictJson made = {{"shape", shape},           {"half", half},
                      {"cloud", cloud},           {"seed", seed},
                      {"verdict", j.verdict},     {"why", j.why},
                      {"wrong", j.wrong()},       {"mean", j.far.mean},
                      {"sd_low", j.far.sd_low},   {"sd_high", j.far.sd_high},
                      {"ks", j.far.ks},           {"ks_log_density", j.far.ks_density},
                      {"gradients", j.gradients}, {"seconds", j.seconds}};
  if (j.given_wrong)
    made["given_wrong"] = *j.given_wrong;
  if (j.bounds)
    made["bounds_hold"] = *j.bounds;
  if (!j.failure.empty())
    made["failure"] = j.failure;
  return made;
}

/// What is counted of runs, of one shape or of all.
struct VerdictTally {
  std::size_t runs = 0, wrong = 0, converged = 0, wrong_converged = 0;
  std::size_t right_not_converged = 0, one_mode_runs = 0, one_mode_right_not_converged = 0;
  std::size_t bounds = 0, bounds_hold = 0;
  std::vector<double> gradients;

  void add(const Judged& j, bool one_mode) {
    const bool wrong_run = j.wrong(), missed = !wrong_run && !j.converged();
    ++runs;
    wrong += wrong_run;
    converged += j.converged();
    wrong_converged += wrong_run && j.converged();
    right_not_converged += missed;
    one_mode_runs += one_mode;
    one_mode_right_not_converged += one_mode && missed;
    bounds += j.bounds.has_value();
    bounds_hold += j.bounds.value_or(false);
    gradients.push_back(j.gradients);
  }
};

double percent(std::size_t part, std::size_t of) {
  return of ? 100.0 * double(part) / double(of) : 0;
}

void print_row(const std::string& name, const VerdictTally& t) {
  fmt::print("{:<42} {:>5} {:>5} {:>9} {:>9} {:>9} {:>11} {:>10.0f}\n", name, t.runs, t.wrong,
             t.converged, t.wrong_converged, t.right_not_converged,
             fmt::format("{}/{}", t.bounds_hold, t.bounds), median_of(t.gradients));
  std::fflush(stdout);
}

VerdictJson goals(const VerdictTally& all, std::size_t wrong_clouds, std::size_t missed_clouds) {
  const double lies = percent(all.wrong_converged, all.runs),
               missed = percent(all.one_mode_right_not_converged, all.one_mode_runs),
               hold = all.bounds ? percent(all.bounds_hold, all.bounds) : 100;
  const auto line = [](const char* what, const std::string& figure, const char* goal, bool met) {
    fmt::print("{:<52} {:>26}   goal {:<16} {}\n", what, figure, goal, met ? "met" : "missed");
    return met;
  };
  const auto share = [](double value, std::size_t part, std::size_t of) {
    return fmt::format("{:.2f} % ({} of {})", value, part, of);
  };
  VerdictJson j;
  j["wrong_and_converged"] = {
      {"runs", all.runs},
      {"count", all.wrong_converged},
      {"percent", lies},
      {"met", line("wrong and converged", share(lies, all.wrong_converged, all.runs),
                   "at most .5 %", lies <= 0.5)}};
  j["right_and_not_converged"] = {
      {"runs", all.one_mode_runs},
      {"count", all.one_mode_right_not_converged},
      {"percent", missed},
      {"met", line("right and not converged, of shapes with one mode",
                   share(missed, all.one_mode_right_not_converged, all.one_mode_runs),
                   "at most 3 %", missed <= 3)}};
  j["bounds_hold"] = {
      {"runs", all.bounds},
      {"count", all.bounds_hold},
      {"percent", hold},
      {"met", line("the printed bounds hold", share(hold, all.bounds_hold, all.bounds),
                   "at least 97 %", hold >= 97)}};
  j["wrong_clouds_converged"] = {{"clouds", wrong_clouds},
                                 {"count", missed_clouds},
                                 {"met", line("clouds made wrong on purpose and converged",
                                              fmt::format("{} of {}", missed_clouds, wrong_clouds),
                                              "none", missed_clouds == 0)}};
  return j;
}

/// Exact draws, as they are or made wrong, certified without any move of theirs. Nothing where
/// there is no such cloud.
std::optional<Judged> certified_cloud(const Truth& truth, const std::string& kind,
                                      std::uint64_t particles, std::uint64_t seed) {
  const Shape& shape = truth.shape();
  if (!shape.proper())
    return std::nullopt;
  const plan::Recipe recipe = usual_recipe(particles, seed, 1);
  std::vector<double> x;
  if (kind == "exact draws" || kind == "polished too long")
    x = draws_of(shape, particles, seed);
  else
    x = wrong_cloud(shape, kind, particles, seed);
  if (kind == "polished too long")
    x = run_on_shape(shape, polished_too_long(recipe), x).outcome.positions;
  if (x.size() != particles * shape.dim() ||
      !std::ranges::all_of(x, [](double v) { return std::isfinite(v); }))
    return std::nullopt;
  Judged made = judged(truth, run_on_shape(shape, as_it_is(recipe), x));
  made.given_wrong = truth.of(x).wrong();
  return made;
}

/// Clouds of one kind. A wrong one may be mended: where it lies on several modes each gets a group.
struct CloudTally {
  std::size_t made = 0, wrong = 0, missed = 0, mended = 0, right_not_confirmed = 0;

  void add(const Judged& j) {
    ++made;
    wrong += *j.given_wrong;
    missed += j.wrong() && j.converged();
    mended += *j.given_wrong && !j.wrong() && j.converged();
    right_not_confirmed += !*j.given_wrong && !j.converged();
  }
};

} // namespace

nlohmann::ordered_json bench_verdicts(const BenchRequest& request) {
  const std::vector<std::string> halves = {"seen", "held-back", "all"};
  const std::size_t half = request.half.empty() ? 0 : plan::choose("half", request.half, halves);
  const std::uint64_t seeds = request.seeds ? request.seeds : verdict_seeds;
  const std::uint64_t cloud_seeds = std::max<std::uint64_t>(1, seeds / cloud_seeds_share);
  VerdictJson report = {{"particles", request.particles},
                        {"seeds", seeds},
                        {"half", halves[half]},
                        {"runs", VerdictJson::array()}};
  fmt::print("verdicts: N = {}, {} seeds, shapes: {}\n"
             "{:<42} {:>5} {:>5} {:>9} {:>9} {:>9} {:>11} {:>10}\n"
             "{:<42} {:>5} {:>5} {:>9} {:>9} {:>9} {:>11} {:>10}\n",
             request.particles, seeds, halves[half], "shape", "runs", "wrong", "converged",
             "wrong,", "right,", "bounds hold", "gradients", "", "", "", "", "converged",
             "not conv.", "", "median");
  std::vector<std::string> kinds = {"exact draws"};
  kinds.insert(kinds.end(), wrong_kinds.begin(), wrong_kinds.end());
  std::vector<CloudTally> clouds(kinds.size());
  std::vector<std::string> missed;
  VerdictTally all;
  const std::vector<Shape> shapes = all_shapes();
  for (std::size_t number = 0; number < shapes.size(); ++number) {
    const Shape& shape = shapes[number];
    if ((half < 2 && is_seen(number) != (half == 0)) || !asked_for(request, shape.name))
      continue;
    const char* its_half = is_seen(number) ? "seen" : "held-back";
    const Truth truth(shape);
    std::vector<Judged> runs(seeds);
    on_threads(request.threads, seeds, [&](std::size_t k) {
      runs[k] = judged(truth, run_on_shape(shape, usual_recipe(request.particles, k + 1, 1)));
    });
    VerdictTally own;
    for (std::size_t k = 0; k < seeds; ++k) {
      own.add(runs[k], shape.one_mode && shape.proper());
      all.add(runs[k], shape.one_mode && shape.proper());
      report["runs"].push_back(in_json(shape.name, its_half, "", k + 1, runs[k]));
    }
    print_row(shape.name, own);

    std::vector<std::optional<Judged>> certified(kinds.size() * cloud_seeds);
    on_threads(request.threads, certified.size(), [&](std::size_t k) {
      certified[k] =
          certified_cloud(truth, kinds[k / cloud_seeds], request.particles, 1000 + k % cloud_seeds);
    });
    for (std::size_t k = 0; k < certified.size(); ++k) {
      if (!certified[k])
        continue;
      const Judged& j = *certified[k];
      clouds[k / cloud_seeds].add(j);
      if (j.wrong() && j.converged())
        missed.push_back(fmt::format("{}: {}", kinds[k / cloud_seeds], shape.name));
      report["runs"].push_back(
          in_json(shape.name, its_half, kinds[k / cloud_seeds], 1000 + k % cloud_seeds, j));
    }
  }
  print_row("all", all);
  constexpr auto row = "{:<20} {:>6} {:>6} {:>17} {:>8} {:>21}\n";
  fmt::print("\n");
  fmt::print(row, "clouds as they are", "made", "wrong", "wrong, converged", "mended",
             "right, not confirmed");
  std::size_t wrong_clouds = 0, missed_clouds = 0;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const CloudTally& t = clouds[k];
    fmt::print(row, kinds[k], t.made, t.wrong, t.missed, t.mended, t.right_not_confirmed);
    report["clouds"][kinds[k]] = {{"made", t.made},
                                  {"wrong", t.wrong},
                                  {"wrong_converged", t.missed},
                                  {"mended", t.mended},
                                  {"right_not_confirmed", t.right_not_confirmed}};
    if (k > 0)
      wrong_clouds += t.wrong, missed_clouds += t.missed;
  }
  std::ranges::sort(missed);
  missed.erase(std::unique(missed.begin(), missed.end()), missed.end());
  for (const std::string& one : missed)
    fmt::print("not flagged: {}\n", one);
  fmt::print("\n");
  report["goals"] = goals(all, wrong_clouds, missed_clouds);
  fmt::print("\n");
  return report;
}

} // namespace starling::tool
