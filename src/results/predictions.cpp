// Predictions for new rows, from draws in the table's units.
#include "results/predictions.hpp"

#include "assemble/regression.hpp"
#include "io/errors.hpp"
#include "io/record.hpp"
#include "plan/names.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace starling::results {

namespace {

using assemble::RegressionKind;

/// The draws of all runs that predictions need.
struct Coefficients {
  std::size_t draws = 0, blocks = 1, width = 0; ///< width: weights and the intercept after them
  std::vector<double> values;                   ///< draws x blocks x width
  std::vector<double> sigma;                    ///< of a linear regression
};

Coefficients coefficients_of(RegressionKind kind, const io::TableUse& use,
                             std::span<const io::Draws> runs) {
  const std::vector<std::string> features = io::own_names(use.feature_names());
  const std::vector<std::string> wanted = assemble::regression_names(kind, features, use.classes);
  Coefficients made;
  made.blocks = assemble::weight_blocks(kind, use.classes.size());
  made.width = features.size() + 1;
  for (const io::Draws& run : runs) {
    std::vector<std::size_t> places;
    for (const std::string& name : wanted) {
      const auto found = std::ranges::find(run.names, name);
      if (found == run.names.end())
        throw io::BadData("draws: must have a column " + name + ", as summary.json says");
      places.push_back(static_cast<std::size_t>(found - run.names.begin()));
    }
    made.draws += run.rows;
    for (std::size_t i = 0; i < run.rows; ++i) {
      const double* const draw = run.values.data() + i * run.names.size();
      for (std::size_t c = 0; c < made.blocks * made.width; ++c)
        made.values.push_back(draw[places[c]]);
      if (kind == RegressionKind::linear)
        made.sigma.push_back(std::exp(draw[places[made.width]]));
    }
  }
  return made;
}

/// w.f of each draw, in one block.
void predictors(const Coefficients& c, std::size_t block, const double* features,
                std::vector<double>& eta) {
  for (std::size_t i = 0; i < c.draws; ++i) {
    const double* const w = c.values.data() + (i * c.blocks + block) * c.width;
    double sum = w[c.width - 1];
    for (std::size_t a = 0; a + 1 < c.width; ++a)
      sum += w[a] * features[a];
    eta[i] = sum;
  }
}

/// Expected values of the label in one row: of each class where there are several.
std::vector<std::vector<double>> expected(RegressionKind kind, const Coefficients& c,
                                          const double* features) {
  std::vector<std::vector<double>> of(c.blocks, std::vector<double>(c.draws));
  for (std::size_t b = 0; b < c.blocks; ++b)
    predictors(c, b, features, of[b]);
  if (kind == RegressionKind::logistic)
    for (double& x : of[0])
      x = 1 / (1 + std::exp(-x));
  if (kind == RegressionKind::poisson)
    for (double& x : of[0])
      x = std::exp(x);
  if (kind == RegressionKind::multinomial) {
    of.emplace_back(c.draws, 0.0); // the class that the others are compared with
    for (std::size_t i = 0; i < c.draws; ++i) {
      double most = 0, sum = 0;
      for (const std::vector<double>& one : of)
        most = std::max(most, one[i]);
      for (std::vector<double>& one : of)
        sum += one[i] = std::exp(one[i] - most);
      for (std::vector<double>& one : of)
        one[i] /= sum;
    }
  }
  return of;
}

judge::ParameterSummary figures_of(std::vector<double> values, std::span<const double> weights) {
  return weights.empty() ? judge::summarize("", std::move(values))
                         : judge::summarize("", values, weights);
}

/// A distribution that is a mixture over draws.
struct Mixture {
  std::span<const double> means, weights; ///< no weights: all alike
  std::vector<double> sds;

  double weight(std::size_t i) const {
    return weights.empty() ? 1 / static_cast<double>(means.size()) : weights[i];
  }

  /// sum of weight_i Phi((y - mean_i) / sd_i) = share, by bisection.
  double quantile(double share) const {
    constexpr double far = 9; // sds: beyond any share here
    double low = means[0], high = means[0];
    for (std::size_t i = 0; i < means.size(); ++i) {
      low = std::min(low, means[i] - far * sds[i]);
      high = std::max(high, means[i] + far * sds[i]);
    }
    for (int halving = 0; halving < 50; ++halving) {
      const double middle = low + (high - low) / 2;
      double below = 0;
      for (std::size_t i = 0; i < means.size(); ++i)
        below += weight(i) * std::erfc((means[i] - middle) / sds[i] / std::numbers::sqrt2) / 2;
      (below < share ? low : high) = middle;
    }
    return low + (high - low) / 2;
  }

  /// The least count up to which the Poissons with these means have this share, for each share.
  std::vector<double> counts(std::span<const double> shares) const {
    const auto [least, most] = std::ranges::minmax(means);
    double k = std::max(0.0, std::floor(least - 10 * std::sqrt(least) - 10)), up_to = 0;
    const double last = most + 10 * std::sqrt(most) + 10;
    std::vector<double> found;
    for (; found.size() < shares.size() && k <= last; ++k) {
      const double log_factorial = std::lgamma(k + 1);
      for (std::size_t i = 0; i < means.size(); ++i)
        up_to +=
            weight(i) * (means[i] > 0 ? std::exp(k * std::log(means[i]) - means[i] - log_factorial)
                                      : double(k == 0));
      while (found.size() < shares.size() && up_to >= shares[found.size()])
        found.push_back(k);
    }
    found.resize(shares.size(), last);
    return found;
  }
};

/// From the figures of expected values to those of observations.
void add_noise(RegressionKind kind, const Coefficients& c, std::span<const double> means,
               std::span<const double> weights, judge::ParameterSummary& figures) {
  constexpr double shares[] = {.05, .5, .95};
  constexpr double many = 1e4; // counts of this mean and more are about normal
  Mixture mixture{means, weights, c.sigma};
  const bool counts = kind == RegressionKind::poisson;
  if (counts)
    for (const double mean : means)
      mixture.sds.push_back(std::sqrt(mean));
  double noise = 0;
  for (std::size_t i = 0; i < means.size(); ++i)
    noise += mixture.weight(i) * mixture.sds[i] * mixture.sds[i];
  figures.sd = std::sqrt(figures.sd * figures.sd + noise);
  std::vector<double> found;
  if (counts && std::ranges::min(means) < many)
    found = mixture.counts(shares);
  else
    for (const double share : shares)
      found.push_back(mixture.quantile(share));
  figures.q05 = found[0], figures.q50 = found[1], figures.q95 = found[2];
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

} // namespace

Asked asked_of(const std::string& summary_json, const std::string& where) {
  Asked asked;
  std::string table;
  try {
    const auto j = nlohmann::json::parse(summary_json);
    asked.target = j.at("target");
    if (j.contains("table"))
      table = j["table"].dump();
  } catch (const nlohmann::json::exception&) {
    throw io::BadData(where, "is not the summary.json of a run");
  }
  if (table.empty() || !assemble::regression_kind(asked.target))
    throw io::BadData(where, "is not a regression on a table, so it cannot predict");
  asked.use = io::table_use_of(table);
  return asked;
}

Predictions predict(const Asked& asked, std::span<const io::Draws> runs,
                    std::span<const double> weights, const io::NewRows& rows, Threads& threads) {
  const RegressionKind kind = *assemble::regression_kind(asked.target);
  if (asked.observation && kind != RegressionKind::linear && kind != RegressionKind::poisson)
    plan::refuse("observation", asked.target + " predicts the probability of a class, which "
                                               "describes an observation fully; remove it");
  const Coefficients c = coefficients_of(kind, asked.use, runs);
  Predictions made;
  made.rows = rows.numbers;
  if (kind == RegressionKind::multinomial)
    made.classes = asked.use.classes;
  const std::size_t each = std::max<std::size_t>(made.classes.size(), 1);
  made.figures.resize(rows.numbers.size() * each);
  threads.for_pieces(rows.numbers.size(), 16, [&](std::size_t first, std::size_t last) {
    for (std::size_t r = first; r < last; ++r) {
      auto values = expected(kind, c, rows.features.data() + r * rows.columns);
      for (std::size_t e = 0; e < each; ++e) {
        judge::ParameterSummary& figures = made.figures[r * each + e];
        figures = figures_of(values[e], weights);
        if (asked.observation)
          add_noise(kind, c, values[e], weights, figures);
      }
    }
  });
  return made;
}

std::string to_csv(const Predictions& p) {
  const std::size_t each = std::max<std::size_t>(p.classes.size(), 1);
  std::string text =
      p.classes.empty() ? "row,mean,sd,q05,q50,q95\n" : "row,class,mean,sd,q05,q50,q95\n";
  for (std::size_t f = 0; f < p.figures.size(); ++f) {
    const judge::ParameterSummary& one = p.figures[f];
    text += std::to_string(p.rows[f / each]) + ",";
    if (!p.classes.empty())
      text += csv_text(p.classes[f % each]) + ",";
    text += fmt::format("{},{},{},{},{}\n", one.mean, one.sd, one.q05, one.q50, one.q95);
  }
  return text;
}

} // namespace starling::results
