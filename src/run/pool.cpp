// Pooling runs.
#include <starling/run/pool.hpp>

#include <starling/judge/rhat.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace starling::run {

namespace {

// Clouds that mean the same differ by less than as many independent draws would: R-hat near 1.
constexpr double tolerated_r_hat = 1.05;

/// Column a of a table, by rows.
std::vector<double> column(const std::vector<double>& values, std::size_t width, std::size_t a) {
  std::vector<double> one;
  one.reserve(values.size() / width);
  for (std::size_t at = a; at < values.size(); at += width)
    one.push_back(values[at]);
  return one;
}

/// The mean over the runs, whose errors are independent.
Discrepancy mean_of(std::span<const Outcome> runs, Discrepancy judge::Diagnosis::*which) {
  const auto count = static_cast<double>(runs.size());
  double value = 0, variance = 0;
  for (const Outcome& o : runs) {
    const Discrepancy& one = o.diagnosis.*which;
    value += one.value / count;
    variance += one.se * one.se / (count * count);
  }
  return {value, std::sqrt(variance)};
}

/// The parameters of all runs together; `summaries` and `values` give those of one run.
template <typename Summaries, typename Values>
std::vector<judge::ParameterSummary> pooled_summaries(std::span<const Outcome> runs,
                                                      Summaries&& summaries, Values&& values) {
  std::vector<judge::ParameterSummary> all;
  const std::size_t width = summaries(runs[0]).size();
  for (std::size_t a = 0; a < width; ++a) {
    std::vector<std::vector<double>> each;
    std::vector<double> every;
    double identity = 0;
    for (const Outcome& o : runs) {
      each.push_back(column(values(o), width, a));
      every.insert(every.end(), each.back().begin(), each.back().end());
      identity += summaries(o)[a].spread_identity / static_cast<double>(runs.size());
    }
    all.push_back(judge::summarize(summaries(runs[0])[a].name, std::move(every)));
    all.back().spread_identity = identity;
    all.back().shift = NAN;
    all.back().r_hat = judge::r_hat(each);
  }
  return all;
}

void add(Timing& sum, const Timing& t) {
  sum.total += t.total;
  sum.deal += t.deal;
  sum.score += t.score;
  sum.drift += t.drift;
  sum.advance += t.advance;
  sum.look += t.look;
}

/// The stages of all runs: their work in sum, the most modes, the moments over all moves. The
/// certificate is that of the first.
void add(StageReport& all, std::span<const Outcome> runs) {
  const auto count = static_cast<double>(runs.size());
  for (const Outcome& o : runs.subspan(1)) {
    for (const auto& [stage, more] : o.stages->gradients) { // a run in groups has one more
      const auto found =
          std::ranges::find(all.gradients, stage, &std::pair<std::string, std::uint64_t>::first);
      if (found != all.gradients.end())
        found->second += more;
      else
        all.gradients.emplace_back(stage, more);
    }
    all.modes = std::max(all.modes, o.stages->modes);
    all.turned_back += o.stages->turned_back;
    all.settled = all.settled || o.stages->settled;
    all.polished = all.polished || o.stages->polished;
  }
  all.evidence = pool_evidence(runs);
  const bool everywhere = std::ranges::all_of(runs, [&](const Outcome& o) {
    return o.stages->pooled_means.size() == all.pooled_means.size();
  });
  if (!everywhere) {
    all.pooled_means.clear();
    all.pooled_sds.clear();
  }
  for (std::size_t a = 0; a < all.pooled_means.size(); ++a) {
    double mean = 0, square = 0;
    for (const Outcome& o : runs)
      mean += o.stages->pooled_means[a] / count;
    for (const Outcome& o : runs)
      square +=
          (std::pow(o.stages->pooled_sds[a], 2) + std::pow(o.stages->pooled_means[a] - mean, 2)) /
          count;
    all.pooled_means[a] = mean;
    all.pooled_sds[a] = std::sqrt(square);
  }
}

} // namespace

Outcome pool(std::span<const Outcome> runs) {
  Outcome all = runs.front();
  if (runs.size() == 1)
    return all;
  if (all.stages)
    add(*all.stages, runs);
  const auto make_room = [&](std::vector<double>& numbers) {
    numbers.reserve(numbers.size() * runs.size());
  };
  make_room(all.positions);
  make_room(all.log_density);
  if (all.constrained)
    make_room(all.constrained->values);
  for (const Outcome& o : runs.subspan(1)) {
    all.positions.insert(all.positions.end(), o.positions.begin(), o.positions.end());
    all.log_density.insert(all.log_density.end(), o.log_density.begin(), o.log_density.end());
    if (all.constrained)
      all.constrained->values.insert(all.constrained->values.end(), o.constrained->values.begin(),
                                     o.constrained->values.end());
    for (const std::string& warning : o.warnings)
      if (std::ranges::find(all.warnings, warning) == all.warnings.end())
        all.warnings.push_back(warning);
    add(all.seconds, o.seconds);
    if (o.groups.size() > all.groups.size())
      all.groups = o.groups;
    if (all.held_out) {
      all.held_out->accuracy += o.held_out->accuracy;
      all.held_out->log_likelihood += o.held_out->log_likelihood;
    }
    if (o.diagnosis.judgement.verdict < all.diagnosis.judgement.verdict) { // a worse one
      all.diagnosis.judgement = o.diagnosis.judgement;
      all.diagnosis.judgement.remark(judge::evidence::OfRun{o.run() + 1});
      if (all.stages)
        all.stages->certificate = o.stages->certificate; // what decided
    }
  }
  const auto count = static_cast<double>(runs.size());
  if (all.held_out) // the mean over the runs
    all.held_out = {all.held_out->accuracy / count, all.held_out->log_likelihood / count};
  all.diagnosis.ksd = mean_of(runs, &judge::Diagnosis::ksd);
  all.diagnosis.ksd_gaussian = mean_of(runs, &judge::Diagnosis::ksd_gaussian);
  all.diagnosis.parameters = pooled_summaries(
      runs, [](const Outcome& o) -> auto& { return o.diagnosis.parameters; },
      [](const Outcome& o) -> auto& { return o.positions; });
  if (all.constrained)
    all.constrained_summary = pooled_summaries(
        runs, [](const Outcome& o) -> auto& { return o.constrained_summary; },
        [](const Outcome& o) -> auto& { return o.constrained->values; });

  const judge::ParameterSummary* apart = nullptr;
  for (const judge::ParameterSummary& p : all.parameters())
    if (p.r_hat > tolerated_r_hat && (!apart || p.r_hat > apart->r_hat))
      apart = &p;
  judge::Judgement& judgement = all.diagnosis.judgement;
  const bool unopposed = judgement.converged() || judgement.verdict == judge::Verdict::cannot_tell;
  if (judgement.judged() && unopposed && apart)
    judgement = {judge::Verdict::still_moving,
                 judge::evidence::RunsDisagree{apart->name, apart->r_hat}};
  else if (judgement.converged())
    judgement.remark(judge::evidence::OfAllRuns{runs.size()});
  return all;
}

} // namespace starling::run
