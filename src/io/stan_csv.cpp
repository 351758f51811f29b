// Writes draws as Stan CSV.
#include "io/stan_csv.hpp"

#include "io/output_file.hpp"

#include <starling/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <ostream>
#include <stdexcept>

#include <fmt/format.h>

namespace starling::io {
namespace {

using Sink = std::function<void(std::string_view)>;

/// In one line: a name, and a path, may have any letters. Blanks at its ends would be lost, and so
/// would a name of no letters.
std::string escaped(std::string_view name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool at_an_end = i == 0 || i + 1 == name.size() ||
                           name.find_first_not_of(" \t", i) == name.npos ||
                           name.find_last_not_of(" \t", i) == name.npos;
    text += c == '\\'                ? "\\\\"
            : c == '\n'              ? "\\n"
            : c == '\r'              ? "\\r"
            : at_an_end && c == ' '  ? "\\s"
            : at_an_end && c == '\t' ? "\\t"
                                     : std::string(1, c);
  }
  return text;
}

/// The comments before the draws, as CmdStan writes them. cmdstanpy needs model, method, algorithm,
/// num_samples (equal to the rows), num_warmup (not 0), save_warmup and thin; cmdstanr also id;
/// Stan's reader takes the line after "data" to be its file. "unit_e" is the metric for which
/// nobody looks for a mass matrix.
std::string comments_before(std::size_t rows, const StanHeader& header, const std::string& names) {
  std::string text =
      fmt::format("# stan_version_major = 2\n"
                  "# stan_version_minor = 36\n"
                  "# stan_version_patch = 0\n"
                  "# model = {}_model\n"
                  "# method = sample (Default)\n"
                  "#   sample\n"
                  "#     num_samples = {}\n"
                  "#     num_warmup = {}\n"
                  "#     save_warmup = 0 (Default)\n"
                  "#     thin = 1 (Default)\n"
                  "#     algorithm = rbm_svgd\n"
                  "#       rbm_svgd\n"
                  "#         metric = unit_e\n",
                  escaped(header.model), rows, std::max(header.steps, std::uint64_t{1}));
  for (const auto& [key, value] : header.settings)
    text += fmt::format("#         {} = {}\n", escaped(key), escaped(value));
  text += names;
  text +=
      fmt::format("# id = {}\n"
                  "# data\n"
                  "#   file = {}\n"
                  "# init = 2 (Default)\n"
                  "# random\n"
                  "#   seed = {}\n"
                  "# output\n"
                  "#   file = draws.csv\n"
                  "#   diagnostic_file =  (Default)\n"
                  "#   refresh = 100 (Default)\n",
                  header.run == 1 ? "1 (Default)" : std::to_string(header.run),
                  header.data_file.empty() ? " (Default)" : escaped(header.data_file), header.seed);
  return text;
}

/// The times after the draws. cmdstanpy counts the draws up to here, and Stan's reader takes the
/// times from column 17; stansummary divides by that of the sampling.
std::string comments_after(const StanHeader& header) {
  return fmt::format("# \n"
                     "#  Elapsed Time: 0 seconds (Warm-up)\n"
                     "#                {0:.3f} seconds (Sampling)\n"
                     "#                {0:.3f} seconds (Total)\n"
                     "# \n",
                     header.seconds);
}

/// The names that the header does not tell.
std::string comments_of_names(const StanColumns& columns, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < columns.names.size(); ++i)
    if (const std::string& name = names[columns.from[i]]; bracketed(columns.names[i]) != name)
      text += fmt::format("#         column {} = {}\n", columns.names[i],
                          name.empty() ? "\\e" : escaped(name));
  return text;
}

void append_number(std::string& line, double value) {
  if (std::isnan(value)) { // never "-nan", which not every reader knows
    line += "nan";
    return;
  }
  char room[32];
  line.append(room, std::to_chars(room, room + sizeof room, value).ptr);
}

void write(const Sink& sink, const Draws& draws, const StanHeader& header, Threads& threads) {
  const std::size_t columns = draws.names.size();
  if (!draws.complete())
    reject("draws", fmt::format("{} x {} values", draws.rows, columns),
           std::to_string(draws.values.size()));
  const bool has_lp = columns > 0 && draws.names[0] == "lp__";
  if (!has_lp && std::ranges::find(draws.names, "lp__") != draws.names.end())
    throw std::invalid_argument("draws: lp__ must be the first column");
  const StanColumns written = stan_columns(draws.names);
  std::string line = has_lp ? "" : "lp__,";
  for (std::size_t column = 0; column < columns; ++column) {
    if (column > 0)
      line += ',';
    line += written.names[column];
  }
  if (columns == 0)
    line.pop_back();
  sink(comments_before(draws.rows, header, comments_of_names(written, draws.names)));
  line += '\n';

  sink(line);
  const auto append_rows = [&](std::string& text, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      if (!has_lp)
        text += columns == 0 ? "0" : "0,";
      for (std::size_t column = 0; column < columns; ++column) {
        if (column > 0)
          text += ',';
        append_number(text, draws.at(row, written.from[column]));
      }
      text += '\n';
    }
  };
  // Numbers take far longer to put in words than to write: all threads do, some blocks of rows
  // ahead.
  const std::size_t together = 1 + csv_numbers_together / (columns + 1), blocks = 64;
  std::vector<std::string> texts(blocks);
  for (std::size_t from = 0; from < draws.rows; from += blocks * together) {
    const std::size_t some = std::min(draws.rows - from, blocks * together);
    threads.for_pieces(some, together, [&](std::size_t begin, std::size_t end) {
      std::string& text = texts[begin / together];
      text.clear();
      append_rows(text, from + begin, from + end);
    });
    for (std::size_t block = 0; block * together < some; ++block)
      sink(texts[block]);
  }
  sink(comments_after(header));
}

} // namespace

void write_stan_csv(std::ostream& out, const Draws& draws, const StanHeader& header,
                    Threads& threads) {
  write([&](std::string_view text) { out << text; }, draws, header, threads);
}

void write_stan_csv(const std::filesystem::path& file, const Draws& draws, const StanHeader& header,
                    Threads& threads) {
  OutputFile out(file);
  write([&](std::string_view text) { out.write(text); }, draws, header, threads);
  out.close();
}

} // namespace starling::io
