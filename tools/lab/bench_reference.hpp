// What runs are held against: reference draws of a posterior, or figures of each of its columns.
#pragma once

#include "bench_errors.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace starling::tool {

/// What is known of one column.
struct Figures {
  std::string name;
  double mean = 0, sd = 0, q05 = 0, q50 = 0, q95 = 0;
  bool has_moments = true; ///< false: judged by its quantiles

  bool constant() const { return has_moments ? sd == 0 : q95 == q05; }
};

struct Reference {
  std::filesystem::path file;
  Columns draws;                   ///< of reference.npz
  std::vector<double> independent; ///< W1 of as many independent draws; empty: too few to tell
  std::vector<Figures> figures;    ///< of reference.json
};

/// Draws where there are any, else figures.
std::filesystem::path reference_in(const std::filesystem::path& folder);

/// For runs of `count` particles. Throws io::InputMissing, or io::BadData.
Reference read_reference(const std::filesystem::path& file, std::size_t count);

/// How far rows of draws are from it. Every column of reference draws has
/// to be there. Of figures one has to be: others may belong to another form of the model, and
/// constants say nothing. Throws io::BadData.
Errors errors_against(const Reference& reference, const std::vector<std::string>& names,
                      const std::vector<double>& draws);

} // namespace starling::tool
