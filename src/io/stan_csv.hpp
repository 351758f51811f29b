// Draws as Stan CSV, which stansummary, cmdstanpy, cmdstanr and ArviZ read.
#pragma once

#include <starling/threads.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starling::io {

/// A table of draws: one row each, one column per name. Its numbers are its own, or lie elsewhere:
/// a copy of a large cloud would be half as much memory again.
struct Draws {
  std::vector<std::string> names;
  std::size_t rows = 0;
  std::vector<double> values; ///< rows x names, row-major; empty where they lie elsewhere
  std::span<const double> elsewhere_first = {}, elsewhere_rest = {}; ///< first column; the others

  bool complete() const {
    return values.empty() && rows > 0 && !names.empty()
               ? elsewhere_first.size() == rows &&
                     elsewhere_rest.size() == rows * (names.size() - 1)
               : values.size() == rows * names.size();
  }
  double at(std::size_t row, std::size_t column) const {
    if (!values.empty())
      return values[row * names.size() + column];
    return column == 0 ? elsewhere_first[row]
                       : elsewhere_rest[row * (names.size() - 1) + column - 1];
  }
};

/// What the comments around the draws say about the run.
struct StanHeader {
  std::string model = "starling"; ///< the readers see it as NAME_model
  std::uint64_t steps = 0; ///< written as num_warmup, at least 1: draws are the particles after
  std::uint64_t seed = 0;
  std::uint64_t run = 1; ///< which of several runs, from 1: the readers' chain id
  std::string data_file;
  double seconds = 0;
  /// Further lines "key = value" beside the algorithm. Not the keys above, nor those of CmdStan.
  std::vector<std::pair<std::string, std::string>> settings;
};

/// A name as Stan writes it: "theta[1,2]" becomes "theta.1.2". What the readers cannot parse as
/// NAME or NAME.INDEX.INDEX becomes an underscore: "w[Soil type]" gives "w_Soil_type".
std::string stan_name(std::string_view name);

/// The way back, to the form of all our names: "theta.1.2" becomes "theta[1,2]".
std::string bracketed(std::string_view stan_name);

/// The columns of a file: readers take NAME.1, NAME.2 .. for an array, whose columns stand together
/// with the first index running fastest, and count its indices from 1.
struct StanColumns {
  std::vector<std::string> names; ///< as the header has them, all different
  std::vector<std::size_t> from;  ///< the place of each among the names given
};

/// Names that fill a box from 1 on become NAME.INDEX, others alone what stan_name makes of them
/// without dots, with _2, _3 .. where two would be the same: a[0] and a[1] are a_0 and a_1, because
/// a.1 would be read as the first of an array. Throws std::invalid_argument when two are the same.
StanColumns stan_columns(const std::vector<std::string>& names);

/// Writes the draws in the columns of stan_columns; a comment "column a_0 = a[0]" keeps each name
/// that the header changes otherwise than by dots. The readers need lp__ as the first column; draws
/// without one (a density known by its score alone) get zeros there, as CmdStan gives when it has
/// no density either. Numbers are the shortest that read back the same. Throws
/// std::invalid_argument when sizes do not fit, two names are the same, or a text of the header
/// has a line break; CannotWrite when the file cannot be written. Threads put blocks of rows of
/// `csv_numbers_together` numbers in words; the file is the same for any number of them.
inline constexpr std::size_t csv_numbers_together = 8192;
void write_stan_csv(std::ostream& out, const Draws& draws, const StanHeader& header,
                    Threads& threads = Threads::alone());
void write_stan_csv(const std::filesystem::path& file, const Draws& draws, const StanHeader& header,
                    Threads& threads = Threads::alone());

/// Reads the draws of a Stan CSV file, plain, gzip or xz, by Starling or by CmdStan; comments and
/// blank lines are passed over. Names are in our form, as they were given: theta[1,2]. Saved
/// warm-up draws are not told apart. Throws InputMissing, or BadData with line and column.
Draws read_stan_csv(const std::filesystem::path& file);

} // namespace starling::io
