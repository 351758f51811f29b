// Summaries, discrepancies and the verdict on a cloud whose scores are exact.
#include <starling/judge/diagnose.hpp>

#include <starling/batches.hpp>
#include <starling/finite.hpp>
#include <starling/judge/by_balance.hpp>
#include <starling/random/permute.hpp>
#include <starling/random/scramble.hpp>

#include <algorithm>
#include <cmath>

namespace starling::judge {

// More than one particle in a hundred where the density fails, and no figure can be believed.
static constexpr double tolerated_losses = 0.01;

Diagnosis diagnose(Rows<const double> x, Rows<const double> score,
                   std::span<const double> log_density, const std::vector<std::string>& names,
                   std::uint64_t seed, bool periodic, const std::vector<TraceRow>& trace,
                   Threads& threads) {
  Diagnosis d;
  const std::vector<Balance> parameters = balance(x, score, threads);
  d.parameters = summarize(names, x, threads);
  for (std::size_t a = 0; a < x.dim; ++a) {
    d.parameters[a].shift = parameters[a].shift;
    if (!periodic && x.count > 1) {
      d.parameters[a].spread_identity = parameters[a].spread;
      d.parameters[a].identity_se = parameters[a].spread_se;
    }
  }
  if (!periodic && x.count > 1) {
    constexpr std::size_t most_pairs = 200000; // some milliseconds
    Batches batches; // of everyone, in batches that have about that many pairs together
    batches.population = x.count;
    if (x.count <= 2 * most_pairs) {
      permute(batches.lay_out(x.count, Batches::pieces(x.count, 2 * most_pairs / x.count + 1)),
              Philox(seed), Stream::diagnosis, 0);
    } else { // pairs of different rows, without an order of all
      const Scramble row(static_cast<std::uint32_t>(x.count), Philox(seed), Stream::diagnosis, 0);
      const std::span<std::uint32_t> order = batches.cut(2 * most_pairs, most_pairs);
      threads.for_pieces(order.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t m = begin; m < end; ++m)
          order[m] = row(static_cast<std::uint32_t>(m));
      });
    }
    const SteinDiscrepancies found = stein_discrepancy(x, score, batches, most_pairs, threads);
    d.ksd = found.multiquadric;
    d.ksd_gaussian = found.gaussian;
  }
  d.judgement = judge_by_balance(parameters, x.count, names, periodic, trace);
  const auto lost =
      all_finite(log_density, threads)
          ? 0
          : std::ranges::count_if(log_density, [](double v) { return !std::isfinite(v); });
  if (lost > 0) {
    const bool too_many =
        static_cast<double>(lost) > tolerated_losses * static_cast<double>(x.count);
    if (too_many)
      d.judgement.verdict = Verdict::diverged;
    d.judgement.remark(evidence::LostParticles{static_cast<std::size_t>(lost), x.count, too_many});
  }
  return d;
}

Diagnosis diverged(const std::string& why) {
  Diagnosis d;
  d.judgement = {Verdict::diverged, evidence::Failed{why}};
  return d;
}

} // namespace starling::judge
