// Summaries and the verdict.
#include "assemble/diagnose.hpp"

#include <starling/kernel/bandwidth.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace starling::assemble {

namespace {

// What a cloud may be off by before it is said: a fifth of an sd in place, a fifth in spread
// (a quarter upwards), and more than two standard errors of as many independent draws.
constexpr double tolerated_shift = 0.2, least_spread = 0.8, most_spread = 1.25, errors = 2;

// The value below which a share q of the sorted values lies, linear between neighbours.
double quantile(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

struct Spread {
  double sd_of_score = 0, se_of_identity = 0;
};

Spread spread_of(Rows<const double> x, Rows<const double> score, std::size_t a,
                 const ParameterSummary& p) {
  double mean_score = 0, squares = 0, products = 0, product_squares = 0;
  const auto n = static_cast<double>(x.count);
  for (std::size_t i = 0; i < x.count; ++i) {
    const double s = score[i][a], product = -(x[i][a] - p.mean) * s;
    mean_score += s / n;
    squares += s * s / n;
    products += product / n;
    product_squares += product * product / n;
  }
  return {std::sqrt(std::max(0.0, squares - mean_score * mean_score)),
          std::sqrt(std::max(0.0, product_squares - products * products) / n)};
}

double mean_of(Rows<const double> score, std::size_t a) {
  double mean = 0;
  for (std::size_t i = 0; i < score.count; ++i)
    mean += score[i][a] / static_cast<double>(score.count);
  return mean;
}

void judge(Diagnosis& d, Rows<const double> x, Rows<const double> score, bool periodic) {
  const ParameterSummary *moving = nullptr, *narrow = nullptr, *wide = nullptr;
  std::size_t narrow_count = 0, wide_count = 0;
  const double root_n = std::sqrt(static_cast<double>(x.count));
  for (std::size_t a = 0; a < x.dim; ++a) {
    const ParameterSummary& p = d.parameters[a];
    const Spread spread = spread_of(x, score, a, p);
    const double noise = errors * spread.sd_of_score * p.sd / root_n;
    if (std::abs(p.shift) > std::max(tolerated_shift, noise) &&
        (!moving || std::abs(p.shift) > std::abs(moving->shift)))
      moving = &p;
    if (periodic)
      continue;
    const double slack = errors * spread.se_of_identity;
    if (p.spread_identity < least_spread && p.spread_identity + slack < 1) {
      ++narrow_count;
      if (!narrow || p.spread_identity < narrow->spread_identity)
        narrow = &p;
    }
    if (p.spread_identity > most_spread && p.spread_identity - slack > 1) {
      ++wide_count;
      if (!wide || p.spread_identity > wide->spread_identity)
        wide = &p;
    }
  }
  if (moving) {
    d.verdict = "still moving";
    d.sentence = fmt::format("{} is {:.2g} sd from where its scores balance: take more steps, or "
                             "start nearer", moving->name, std::abs(moving->shift));
  } else if (narrow) {
    d.verdict = "collapsed";
    d.sentence = fmt::format("the spread of {} of {} parameters is too small ({}: identity {:.2f} "
                             "instead of 1): known of local kernels in many dimensions; do not "
                             "trust these standard deviations",
                             narrow_count, x.dim, narrow->name, narrow->spread_identity);
  } else if (wide) {
    d.verdict = "noisy";
    d.sentence = fmt::format("the spread of {} of {} parameters is too large ({}: identity {:.2f} "
                             "instead of 1): raise --batch or lower --step-size",
                             wide_count, x.dim, wide->name, wide->spread_identity);
  } else {
    d.verdict = "converged";
    d.sentence = periodic ? "the scores balance (spread is not judged on a torus)"
                          : "the scores balance and the spread is right";
  }
}

} // namespace

ParameterSummary summarize(std::string name, std::vector<double> values) {
  ParameterSummary p;
  p.name = std::move(name);
  const auto n = static_cast<double>(values.size());
  for (const double v : values)
    p.mean += v / n;
  double squares = 0;
  for (const double v : values)
    squares += (v - p.mean) * (v - p.mean);
  p.sd = std::sqrt(squares / n);
  std::sort(values.begin(), values.end());
  p.q05 = quantile(values, 0.05);
  p.q50 = quantile(values, 0.50);
  p.q95 = quantile(values, 0.95);
  p.spread_identity = NAN;
  return p;
}

Diagnosis diagnose(Rows<const double> x, Rows<const double> score,
                   const std::vector<std::string>& names, std::uint64_t seed, bool periodic) {
  Diagnosis d;
  const std::vector<double> identity = spread_identity(x, score);
  for (std::size_t a = 0; a < x.dim; ++a) {
    std::vector<double> values(x.count);
    for (std::size_t i = 0; i < x.count; ++i)
      values[i] = x[i][a];
    d.parameters.push_back(summarize(names[a], std::move(values)));
    d.parameters.back().shift = mean_of(score, a) * d.parameters.back().sd;
    if (!periodic && x.count > 1)
      d.parameters.back().spread_identity = identity[a];
  }
  if (x.count == 1) { // the mode, not a sample: only the slope can be judged
    double steepest = 0;
    for (const double s : score)
      steepest = std::max(steepest, std::abs(s));
    d.verdict = steepest < 1e-2 ? "converged" : "still moving";
    d.sentence = fmt::format("one particle seeks the mode; the largest score left is {:.2g}", steepest);
    return d;
  }
  const std::size_t pairs = std::clamp<std::size_t>(4 * x.count, 4096, 200000);
  kernel::SampledMedianBandwidth<double> median(seed, 2000);
  const double h = median(0, x) * std::log(static_cast<double>(x.count)); // 2h = med^2
  d.ksd = stein_discrepancy(x, score, h, pairs, seed);
  judge(d, x, score, periodic);
  return d;
}

} // namespace starling::assemble
