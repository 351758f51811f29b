// Writes draws as Stan CSV.
#include "io/stan_csv.hpp"

#include "io/output_file.hpp"

#include <starling/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <ostream>
#include <set>

#include <fmt/format.h>

namespace starling::io {
namespace {

using Sink = std::function<void(std::string_view)>;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether all that follows the first dot are indices: ".1.12".
bool are_indices(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts = i == 0 || text[i - 1] == '.';
    if (text[i] == '.' ? (i > 0 && starts) || i + 1 == text.size()
                       : !is_digit(text[i]) || (starts && text[i] == '0'))
      return false;
  }
  return true;
}

const std::string& one_line(const std::string& what, const std::string& text) {
  if (text.find_first_of("\r\n") != std::string::npos)
    reject(what, "one line", "a line break");
  return text;
}

/// The comments before the draws, as CmdStan writes them. cmdstanpy needs model, method, algorithm,
/// num_samples (equal to the rows), num_warmup (not 0), save_warmup and thin; cmdstanr also id;
/// Stan's reader takes the line after "data" to be its file. "unit_e" is the metric for which
/// nobody looks for a mass matrix.
std::string comments_before(std::size_t rows, const StanHeader& header) {
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
                  one_line("model", header.model), rows, std::max(header.steps, std::uint64_t{1}));
  for (const auto& [key, value] : header.settings)
    text += fmt::format("#         {} = {}\n", one_line("setting", key), one_line(key, value));
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
                  header.data_file.empty() ? " (Default)" : one_line("data_file", header.data_file),
                  header.seed);
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

void append_number(std::string& line, double value) {
  if (std::isnan(value)) { // never "-nan", which not every reader knows
    line += "nan";
    return;
  }
  char room[32];
  line.append(room, std::to_chars(room, room + sizeof room, value).ptr);
}

void write(const Sink& sink, const Draws& draws, const StanHeader& header) {
  const std::size_t columns = draws.names.size();
  if (draws.values.size() != draws.rows * columns)
    reject("draws", fmt::format("{} x {} values", draws.rows, columns),
           std::to_string(draws.values.size()));
  const bool has_lp = columns > 0 && draws.names[0] == "lp__";
  std::string line = has_lp ? "" : "lp__,";
  std::set<std::string> seen;
  if (!has_lp)
    seen.insert("lp__");
  for (std::size_t column = 0; column < columns; ++column) {
    const std::string name = stan_name(draws.names[column]);
    if (!seen.insert(name).second)
      reject("draws", "named differently in each column", name + " twice");
    if (column > 0)
      line += ',';
    line += name;
  }
  if (columns == 0)
    line.pop_back();
  sink(comments_before(draws.rows, header));
  line += '\n';

  constexpr std::size_t flush_at = std::size_t{1} << 16;
  for (std::size_t row = 0; row < draws.rows; ++row) {
    if (!has_lp)
      line += columns == 0 ? "0" : "0,";
    for (std::size_t column = 0; column < columns; ++column) {
      if (column > 0)
        line += ',';
      append_number(line, draws.values[row * columns + column]);
    }
    line += '\n';
    if (line.size() > flush_at) {
      sink(line);
      line.clear();
    }
  }
  sink(line);
  sink(comments_after(header));
}

} // namespace

std::string stan_name(std::string_view name) {
  std::string result(name);
  if (result.ends_with(']')) {
    result.pop_back();
    for (char& c : result)
      if (c == '[' || c == ',')
        c = '.';
  }
  const std::size_t dot = std::min(result.find('.'), result.size());
  const std::size_t plain = are_indices(std::string_view(result).substr(dot)) ? dot : result.size();
  for (std::size_t i = 0; i < plain; ++i)
    if (!is_letter(result[i]) && !is_digit(result[i]))
      result[i] = '_';
  if (plain == 0 || !is_letter(result[0]))
    result.insert(result.begin(), 'x');
  return result;
}

std::string bracketed(std::string_view stan_name) {
  std::string name(stan_name);
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos || dot == 0 || !are_indices(stan_name.substr(dot)))
    return name;
  std::replace(name.begin() + static_cast<std::ptrdiff_t>(dot), name.end(), '.', ',');
  name[dot] = '[';
  return name + ']';
}

void write_stan_csv(std::ostream& out, const Draws& draws, const StanHeader& header) {
  write([&](std::string_view text) { out << text; }, draws, header);
}

void write_stan_csv(const std::filesystem::path& file, const Draws& draws,
                    const StanHeader& header) {
  OutputFile out(file);
  write([&](std::string_view text) { out.write(text); }, draws, header);
  out.close();
}

} // namespace starling::io
