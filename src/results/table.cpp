// The table people read: a line for each parameter.
#include "io/table_use.hpp"
#include "results/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace starling::results {

std::string table(const std::vector<judge::ParameterSummary>& parameters, std::size_t most) {
  std::size_t wide = 9;
  for (const judge::ParameterSummary& p : parameters)
    wide = std::max(wide, p.name.size());
  const auto cell = [](double value) {
    return std::isfinite(value) ? fmt::format("{:10.4g}", value) : fmt::format("{:>10}", "-");
  };
  const bool several =
      std::ranges::any_of(parameters, [](auto& p) { return !std::isnan(p.r_hat); });
  std::string text =
      fmt::format("{:<{}} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}{}\n", "parameter", wide, "mean",
                  "sd", "5%", "50%", "95%", "spread", several ? "      R-hat" : "");
  for (std::size_t a = 0; a < parameters.size() && a < most; ++a) {
    const judge::ParameterSummary& p = parameters[a];
    text += fmt::format("{:<{}} {} {} {} {} {} {}{}\n", p.name, wide, cell(p.heavy ? NAN : p.mean),
                        cell(p.heavy ? NAN : p.sd), cell(p.q05), cell(p.q50), cell(p.q95),
                        cell(p.spread_identity), several ? " " + cell(p.r_hat) : "");
  }
  if (std::ranges::any_of(parameters, &judge::ParameterSummary::heavy))
    text += "(no mean and sd where the tail is too heavy for them: read the quantiles)\n";
  if (parameters.size() > most)
    text += fmt::format("... and {} more\n", parameters.size() - most);
  return text;
}

std::string base_levels(const std::string& table) {
  if (table.empty())
    return {};
  std::vector<std::string> bases;
  const io::TableUse use = io::table_use_of(table);
  for (const io::ColumnUse& column : use.columns)
    if (!column.levels.empty())
      bases.push_back(column.name + "=" + column.levels[0]);
  if (use.classes.size() > 2)
    bases.push_back("the class " + use.classes.back());
  return bases.empty() ? "" : fmt::format("compared with {}\n", fmt::join(bases, ", "));
}

std::string evidence_line(const run::EvidenceReport& evidence) {
  const judge::LogEvidence& found = evidence.found;
  if (std::isnan(found.value))
    return "no log evidence: " + evidence.doubt;
  const std::string value =
      fmt::format("log evidence {:.3f} +- {:.2g} by bridge sampling", found.value, found.se);
  return evidence.doubt.empty() ? value : value + "; do not use it: " + evidence.doubt;
}

} // namespace starling::results
