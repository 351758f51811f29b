// What a regression says of new rows of its table.
#pragma once

#include "io/new_rows.hpp"
#include "io/stan_csv.hpp"

#include <starling/judge/summary.hpp>
#include <starling/threads.hpp>

#include <span>
#include <string>
#include <vector>

namespace starling::results {

/// What is asked for.
struct Asked {
  std::string target;       ///< "linear"
  io::TableUse use;         ///< `table` of summary.json
  bool observation = false; ///< a new observation with its noise, not its expected value
};

struct Predictions {
  std::vector<std::size_t> rows;    ///< of the file, from 1
  std::vector<std::string> classes; ///< of a multinomial regression: as many figures for each row
  std::vector<judge::ParameterSummary> figures; ///< mean, sd and quantiles
};

/// From summary.json of a run. Throws BadData that names the place where the run was no regression.
Asked asked_of(const std::string& summary_json, const std::string& where);

/// Over all draws: the expected value of the label, the probability of its positive value or of
/// each class. Of an observation: the mixture over draws of normals or Poissons, exactly; nothing
/// is drawn. `weights` of the draws, with the sum 1; none: all count alike.
Predictions predict(const Asked& asked, std::span<const io::Draws> runs,
                    std::span<const double> weights, const io::NewRows& rows, Threads& threads);

/// A line for each figure: row,mean,sd,q05,q50,q95, and the class after the row where there are
/// several.
std::string to_csv(const Predictions& predictions);

} // namespace starling::results
