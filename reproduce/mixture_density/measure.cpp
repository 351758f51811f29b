// Figure 1: particles on their way from N(-10, 1) to the mixture, with SVGD and with random
// batches.
#include "distance.hpp"
#include "mixture_runs.hpp"

#include <starling/random/philox.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace starling::reproduce {
namespace {

constexpr std::size_t population = 100;
const std::vector<Step> looks = {0, 50, 75, 100, 150, 500};

struct Counts {
  std::size_t executions, starts;
};

struct Row {
  std::string label;
  std::size_t p;
  double bandwidth;                             // 0: dynamic
  std::vector<std::vector<double>> clouds = {}; // sorted particles at the last look, of every start
  std::vector<double> wandering = {}; // W_1 of every execution from the middle of them all
};

std::vector<Row> all_rows() {
  return {{"SVGD, dynamic h", population, 0},
          {"SVGD, h = 2", population, 2},
          {"RBM-SVGD, p = 2", 2, 2},
          {"RBM-SVGD, p = 5", 5, 2},
          {"RBM-SVGD, p = 20", 20, 2}};
}
const Row& row_of(const std::vector<Row>& rows, std::size_t p) { // with h = 2
  return *std::ranges::find_if(rows,
                               [&](const Row& row) { return row.p == p && row.bandwidth > 0; });
}

double sd_of(const std::vector<double>& values) {
  return mean_of(values).error * std::sqrt(static_cast<double>(values.size()));
}

/// W_1 between two clouds of as many particles, both sorted: mean |x_(i) - y_(i)|.
double apart(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += std::abs(x[i] - y[i]);
  return sum / static_cast<double>(x.size());
}

/// Gaussian kernel density estimate with Silverman's width, 0.9 min(sd, IQR/1.34) n^-1/5.
std::vector<double> density_of(std::vector<double> x, const std::vector<double>& grid) {
  std::ranges::sort(x);
  const auto n = static_cast<double>(x.size());
  const double iqr = x[x.size() * 3 / 4] - x[x.size() / 4];
  const double width = 0.9 * std::min(sd_of(x), iqr / 1.34) * std::pow(n, -0.2);
  std::vector<double> density;
  for (const double at : grid) {
    double sum = 0;
    for (const double v : x)
      sum += std::exp(-std::pow((at - v) / width, 2) / 2);
    density.push_back(sum / (n * width * std::sqrt(2 * std::numbers::pi)));
  }
  return density;
}

/// The cloud in the middle of clouds on the line: the means of the sorted particles.
std::vector<double> middle_of(const std::vector<std::vector<double>>& clouds) {
  std::vector<double> mean(clouds[0].size());
  for (const std::vector<double>& cloud : clouds)
    for (std::size_t i = 0; i < mean.size(); ++i)
      mean[i] += cloud[i] / static_cast<double>(clouds.size());
  return mean;
}

/// One row of the figure: executions from the first start, which differ in their batches only, and
/// one execution from every start.
Json measure_row(Scope& scope, const Row& row, const Counts& counts) {
  using Table = std::vector<std::vector<double>>;
  const DistanceToMixture distance(population);
  Table w1(looks.size(), std::vector<double>(counts.executions)), w2 = w1, first(looks.size());
  Table executions(counts.executions), starts(counts.starts);
  const auto run = [&](std::uint64_t start, std::uint64_t execution, std::vector<double>& cloud,
                       const auto& at_look) {
    run_mixture(MixtureSetting{population, row.bandwidth}, start,
                mixture_dealer(execution, row.p, population), looks.back(),
                [&](Step done, std::span<const double> x) {
                  const auto look = std::ranges::find(looks, done);
                  if (look == looks.end())
                    return;
                  at_look(static_cast<std::size_t>(look - looks.begin()), x);
                  cloud.assign(x.begin(), x.end());
                });
    std::ranges::sort(cloud);
  };
  scope.threads.for_pieces(counts.executions, 1, [&](std::size_t e, std::size_t) {
    run(1, e + 1, executions[e], [&](std::size_t l, std::span<const double> x) {
      const Distances d = distance(x);
      w1[l][e] = d.w1;
      w2[l][e] = d.w2;
      if (e == 0)
        first[l].assign(x.begin(), x.end());
    });
  });
  scope.threads.for_pieces(counts.starts, 1, [&](std::size_t r, std::size_t) {
    run(r + 1, r + 1, starts[r], [](std::size_t, std::span<const double>) {});
  });
  std::vector<double> wandering;
  const std::vector<double> middle = middle_of(executions);
  for (const std::vector<double>& cloud : executions)
    wandering.push_back(apart(cloud, middle));
  return {
      {"w1", w1}, {"w2", w2}, {"particles", first}, {"wandering", wandering}, {"clouds", starts}};
}

/// W_1 of as many independent draws from pi itself, many times over: what "reached" is measured by.
std::vector<double> exact_draws(std::size_t count) {
  const DistanceToMixture distance(population);
  std::vector<double> w1;
  for (std::size_t r = 0; r < count; ++r) {
    const Philox philox(r + 1);
    std::vector<double> x;
    for (std::size_t i = 0; i < population; ++i)
      x.push_back(mixture_quantile(uniform(philox(Stream::user, 0, i))));
    w1.push_back(distance(x).w1);
  }
  return w1;
}

/// How far the result with batches of p is from that of SVGD with the same bandwidth, for every
/// start.
std::vector<double> from_svgd(const std::vector<Row>& rows, std::size_t p) {
  const Row &batched = row_of(rows, p), &full = row_of(rows, population);
  std::vector<double> distances;
  for (std::size_t r = 0; r < full.clouds.size(); ++r)
    distances.push_back(apart(batched.clouds[r], full.clouds[r]));
  return distances;
}

/// "p = 20 is more like SVGD than p is", by the differences over common starts.
Claim less_like_svgd(const std::vector<Row>& rows, std::size_t p) {
  const std::vector<double> small = from_svgd(rows, p), large = from_svgd(rows, 20);
  std::vector<double> more;
  for (std::size_t r = 0; r < small.size(); ++r)
    more.push_back(small[r] - large[r]);
  const Mean difference = mean_of(more);
  Claim claim = claim_less(
      fmt::format("With p = {} the density differs from SVGD's, with p = 20 it is more alike", p),
      "section 4.1", 0, 0, difference.value, difference.error);
  claim.measured =
      fmt::format("W1 to the result of SVGD from the same start {:.3f}, with p = 20 {:.3f}: more "
                  "by {:.3f} +- {:.3f}",
                  mean_of(small).value, mean_of(large).value, difference.value, difference.error);
  return claim;
}

/// W_1 to pi at the last look, for every start.
std::vector<double> ends(const Row& row) {
  const DistanceToMixture distance(population);
  std::vector<double> w1;
  for (const std::vector<double>& cloud : row.clouds)
    w1.push_back(distance(cloud).w1);
  return w1;
}

Claim reaches(const Row& row, double before, const Mean& by_draws) {
  const std::vector<double> w1 = ends(row);
  const Mean end = mean_of(w1);
  Claim claim = claim_less(
      row.p == population ? fmt::format("{} captures the target", row.label)
                          : fmt::format("{} inherits that: it is there at step 500", row.label),
      "section 4.1", end.value, end.error, 2 * by_draws.value, 2 * by_draws.error);
  claim.measured =
      fmt::format("W1 to pi from {:.1f} down to {:.3f} +- {:.3f} over {} starts; of as many exact "
                  "draws {:.3f} +- {:.3f}",
                  before, end.value, end.error, w1.size(), by_draws.value, by_draws.error);
  claim.because = "there is: on average at most twice as far from the target as exact draws, as "
                  "many as particles";
  return claim;
}

Json claims_about(const std::vector<Row>& rows, double before) {
  Json claims = Json::array();
  const Mean by_draws = mean_of(exact_draws(rows[0].clouds.size()));
  for (const Row& row : rows)
    claims.push_back(to_json(reaches(row, before, by_draws)));
  for (const std::size_t p : {2, 5})
    claims.push_back(to_json(less_like_svgd(rows, p)));
  for (const std::size_t p : {2, 5}) {
    const Mean small = mean_of(row_of(rows, p).wandering),
               large = mean_of(row_of(rows, 20).wandering);
    Claim claim = claim_less(fmt::format("With p = {} the density is not very stable across "
                                         "executions, with p = 20 it is more so",
                                         p),
                             "section 4.1", large.value, large.error, small.value, small.error);
    claim.measured = fmt::format("W1 from the middle of all executions from one start {:.3f} +- "
                                 "{:.3f}, with p = 20 {:.3f} +- {:.3f}",
                                 small.value, small.error, large.value, large.error);
    claim.because += fmt::format(
        "; from start to start the start decides as well: the sd of W1 to pi over {} starts is "
        "{:.3f} for SVGD with h = 2, {:.3f} for p = {}",
        rows[0].clouds.size(), sd_of(ends(row_of(rows, population))), sd_of(ends(row_of(rows, p))),
        p);
    claims.push_back(to_json(claim));
  }
  return claims;
}

/// SVGD at step 50 costs more than RBM-SVGD with p = 2 at step 500, and is far from there.
Claim cheap_and_better(const Mean& cheap, const Mean& early) {
  Claim claim =
      claim_less("RBM-SVGD with p = 2 at step 500 is far better than SVGD at step 50",
                 "section 4.1", cheap.value, cheap.error, early.value / 5, early.error / 5);
  claim.measured = fmt::format("W1 to pi {:.3f} +- {:.3f} against {:.2f}", cheap.value, cheap.error,
                               early.value);
  claim.because = "far better is: at most a fifth. In pairs, 500 steps with p cost 500 p/N steps "
                  "of SVGD: 10 for p = 2, 25 "
                  "for p = 5, and 50 only for p = 10; the paper writes 50 for p = 5";
  return claim;
}

} // namespace

Json measure_mixture_density(Scope& scope) {
  const Counts all = scope.quick ? Counts{20, 20} : Counts{400, 400};
  std::vector<double> grid, pi;
  for (int i = 0; i <= 250; ++i) {
    grid.push_back(-15 + 0.1 * i);
    pi.push_back(mixture_density(grid.back()));
  }
  std::vector<Row> rows = all_rows();
  Json data = {{"steps", looks}, {"grid", grid}, {"pi", pi}, {"rows", Json::array()}};
  double before = 0;
  Mean cheap, early;
  for (Row& row : rows) {
    // SVGD has no batches to differ in: two executions stand for all.
    const Counts counts{row.p == population ? 2 : all.executions, all.starts};
    Json settings = to_json(MixtureSetting{population, row.bandwidth});
    settings.update({{"p", row.p},
                     {"steps", looks},
                     {"executions", counts.executions},
                     {"starts", counts.starts}});
    const Json part = scope.parts.get("mixture-density/" + row.label, settings,
                                      [&] { return measure_row(scope, row, counts); });
    row.wandering = part["wandering"].get<std::vector<double>>();
    row.clouds = part["clouds"].get<std::vector<std::vector<double>>>();
    Json entry = {{"label", row.label},
                  {"p", row.p},
                  {"bandwidth", settings["bandwidth"]},
                  {"density", Json::array()},
                  {"particles", part["particles"]},
                  {"w1", Json::array()},
                  {"w2", Json::array()},
                  {"repeats", {{"count", all.executions}}}};
    for (const Json& particles : part["particles"])
      entry["density"].push_back(density_of(particles.get<std::vector<double>>(), grid));
    for (const std::string kind : {"w1", "w2"}) {
      for (const Json& executions : part[kind]) {
        const auto values = executions.get<std::vector<double>>();
        entry[kind].push_back(values[0]);
        entry["repeats"][kind + "_mean"].push_back(mean_of(values).value);
        entry["repeats"][kind + "_sd"].push_back(sd_of(values));
      }
    }
    data["rows"].push_back(entry);
    before = entry["w1"][0].get<double>();
    if (row.bandwidth > 0 && row.p == population)
      early = mean_of(part["w1"][1].get<std::vector<double>>());
    if (row.p == 2)
      cheap = mean_of(part["w1"].back().get<std::vector<double>>());
  }
  Json claims = claims_about(rows, before);
  claims.push_back(to_json(cheap_and_better(cheap, early)));
  Json settings = to_json(MixtureSetting{population, 2});
  settings.update({{"bandwidth", "2; the first row: med^2 / (2 log N), afresh at each step"},
                   {"executions", all.executions},
                   {"starts", all.starts},
                   {"density", "Gaussian kernel estimate, Silverman's width"}});
  return {{"settings", settings}, {"data", data}, {"claims", claims}};
}

} // namespace starling::reproduce
