// Summaries of draws, and the sentences about those that mislead.
#include <starling/judge/summary.hpp>

#include "judge/moments.hpp"
#include "judge/ranks.hpp"
#include "judge/suspects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <span>
#include <utility>

namespace starling::judge {

namespace {

// More of the variance than this in a hundredth of the particles is that of a few: of a normal they
// have .08, of an exponential .2.
constexpr double most_outside = 0.5;

/// Of the hundredth of the values that is farthest from the mean.
double outer_squares(const Ranks& ranks, double mean) {
  double sum = 0;
  std::size_t low = 0,
              high = ranks.largest.size(); // those before `low` and from `high` on are counted
  for (std::size_t left = ranks.least.size(); left > 0; --left) {
    const double below = mean - ranks.least[low], above = ranks.largest[high - 1] - mean;
    sum += below > above ? below * below : above * above;
    below > above ? ++low : --high;
  }
  return sum;
}

void fill_in(ParameterSummary& p, std::size_t count, const Moments& moments, const Ranks& ranks) {
  p.mean = moments.mean;
  p.sd = std::sqrt(moments.squares / static_cast<double>(count));
  p.heavy = moments.heavy;
  p.q05 = ranks.quantile[0];
  p.q50 = ranks.quantile[1];
  p.q95 = ranks.quantile[2];
  p.outer_share = moments.squares > 0 ? outer_squares(ranks, p.mean) / moments.squares : 0;
}

/// Columns [begin, end) of many rows. First they are laid out one after another; then the sums of a
/// column, which wait for each other, are taken while others search it.
void summarize_together(Rows<const double> x, std::size_t begin, std::size_t end, Threads& threads,
                        std::span<ParameterSummary> to) {
  const std::size_t width = end - begin, rows = 1 + 16384 / width;
  UnwrittenColumn<double> values(width * x.count);
  std::vector<std::atomic<bool>> gaps(width);
  threads.for_pieces(x.count, rows, [&](std::size_t first, std::size_t last) {
    for (std::size_t c = 0; c < width; ++c) {
      double* const to_column = values.data() + c * x.count;
      int gap = 0;
      for (std::size_t i = first; i < last; ++i) {
        const double value = x.data[i * x.dim + begin + c];
        to_column[i] = value;
        gap |= static_cast<int>(value != value);
      }
      if (gap)
        gaps[c] = true;
    }
  });
  const auto column = [&](std::size_t c) {
    return std::span<const double>(values).subspan(c * x.count, x.count);
  };
  RanksTogether ranks(values, x.count);
  std::vector<Moments> moments(width);
  threads.for_pieces(width, 1, [&](std::size_t c, std::size_t) {
    if (!gaps[c])
      ranks.choose_windows(c);
  });
  threads.for_pieces(width + ranks.blocks(), 1, [&](std::size_t piece, std::size_t) {
    piece < width ? void(moments[piece] = moments_of(column(piece))) : ranks.search(piece - width);
  });
  threads.for_pieces(ranks.windows(), 1,
                     [&](std::size_t window, std::size_t) { ranks.sort(window); });
  threads.for_pieces(width, 1, [&](std::size_t c, std::size_t) {
    if (gaps[c]) {
      to[begin + c] =
          summarize(std::move(to[begin + c].name), {column(c).begin(), column(c).end()});
      return;
    }
    to[begin + c].spread_identity = NAN;
    fill_in(to[begin + c], x.count, moments[c], ranks.result(c));
  });
}

} // namespace

ParameterSummary summarize(std::string name, std::vector<double> values) {
  ParameterSummary p;
  p.name = std::move(name);
  p.left_out = std::erase_if(values, [](double v) { return std::isnan(v); });
  p.spread_identity = NAN;
  if (values.empty()) {
    p.mean = p.sd = p.q05 = p.q50 = p.q95 = p.shift = NAN;
    return p;
  }
  const Moments moments = moments_of(values);
  const std::size_t count = values.size();
  fill_in(p, count, moments, ranks_of(std::move(values)));
  return p;
}

std::vector<ParameterSummary> summarize(std::span<const std::string> names, Rows<const double> x,
                                        Threads& threads) {
  std::vector<ParameterSummary> all(x.dim);
  for (std::size_t a = 0; a < x.dim; ++a)
    all[a].name = names[a];
  if (x.count < ranked_together) {
    const std::size_t together = 1 + 16384 / (x.count + 1); // columns: a piece is not too short
    threads.for_pieces(x.dim, together, [&](std::size_t begin, std::size_t end) {
      for (std::size_t a = begin; a < end; ++a) {
        std::vector<double> values(x.count);
        for (std::size_t i = 0; i < x.count; ++i)
          values[i] = x[i][a];
        all[a] = summarize(std::move(all[a].name), std::move(values));
      }
    });
    return all;
  }
  constexpr std::size_t most = std::size_t{1}
                               << 22; // numbers that are laid out at once, or two columns
  const std::size_t together = std::clamp<std::size_t>(most / x.count, 2, 64);
  for (std::size_t a = 0; a < x.dim; a += together)
    summarize_together(x, a, std::min(x.dim, a + together), threads, all);
  return all;
}

ParameterSummary summarize(std::string name, std::span<const double> values,
                           std::span<const double> weights) {
  ParameterSummary p;
  p.name = std::move(name);
  p.spread_identity = p.shift = p.outer_share = NAN;
  std::vector<std::pair<double, double>> sorted;
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      ++p.left_out;
      continue;
    }
    sorted.emplace_back(values[i], weights[i]);
    sum += weights[i];
    p.mean += weights[i] * values[i];
  }
  p.mean /= sum; // NaN where nothing is left
  double squares = 0;
  for (const auto& [value, weight] : sorted)
    squares += weight * (value - p.mean) * (value - p.mean);
  p.sd = std::sqrt(squares / sum);
  std::ranges::sort(sorted);
  const auto up_to = [&](double q) {
    double reached = 0;
    for (const auto& [value, weight] : sorted)
      if ((reached += weight) >= q * sum)
        return value;
    return sorted.empty() ? NAN : sorted.back().first;
  };
  p.q05 = up_to(0.05);
  p.q50 = up_to(0.5);
  p.q95 = up_to(0.95);
  return p;
}

std::string outlier_warning(const std::vector<ParameterSummary>& parameters, std::size_t count) {
  Suspects far;
  for (std::size_t a = 0; count >= 100 && a < parameters.size(); ++a)
    if (parameters[a].outer_share > most_outside)
      far.add(a, parameters[a].outer_share);
  if (far.count == 0)
    return "";
  return fmt::format("{:.0f} % of the variance of {}{} is in {} of {} particles: a heavy tail, or "
                     "a few lost particles; read quantiles, not mean and sd",
                     100 * far.fault, parameters[far.worst].name,
                     far.count > 1 ? fmt::format(" (and much of {} more)", far.count - 1) : "",
                     outermost(count), count);
}

std::string missing_values_warning(const std::vector<ParameterSummary>& parameters) {
  Suspects gaps;
  std::size_t values = 0;
  for (std::size_t a = 0; a < parameters.size(); ++a)
    if (parameters[a].left_out > 0) {
      gaps.add(a, static_cast<double>(parameters[a].left_out));
      values += parameters[a].left_out;
    }
  if (gaps.count == 0)
    return "";
  const ParameterSummary& most = parameters[gaps.worst];
  if (gaps.count == 1)
    return most.left_out == 1
               ? fmt::format("one value of {} is NaN or infinite and is left out of its figures",
                             most.name)
               : fmt::format("{} values of {} are NaN or infinite and are left out of its figures",
                             most.left_out, most.name);
  return fmt::format("{} values of {} parameters are NaN or infinite and are left out of their "
                     "figures (most are of {}: {})",
                     values, gaps.count, most.name, most.left_out);
}

} // namespace starling::judge
