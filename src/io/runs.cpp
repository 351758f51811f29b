// The draws of one or more runs, from any of the files that hold them.
#include "io/runs.hpp"

#include "io/errors.hpp"
#include "io/zarr.hpp"

#include <cerrno>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace starling::io {
namespace {

namespace fs = std::filesystem;
using Shape = std::vector<std::size_t>;

std::vector<Draws> from_several_csv(const fs::path& folder) {
  std::vector<Draws> runs;
  for (int k = 1;; ++k) {
    const fs::path file = folder / fmt::format("draws-{}.csv", k);
    if (k > 1 && !fs::exists(file))
      return runs;
    runs.push_back(read_stan_csv(file));
    if (runs.back().names != runs[0].names || runs.back().rows != runs[0].rows)
      throw BadData(file, "must have the same columns and as many draws as draws-1.csv");
  }
}

std::vector<Draws> from_npz(const fs::path& file) {
  std::map<std::string, Texts> texts;
  const auto arrays = read_npz(file, &texts);
  const auto draws = arrays.find("draws");
  const auto names = texts.find("names");
  if (draws == arrays.end() || names == texts.end())
    throw BadData(file, "must have the arrays draws and names");
  Shape shape = draws->second.shape;
  if (shape.size() == 2)
    shape.insert(shape.begin(), 1);
  if (shape.size() != 3 || shape[0] == 0 || shape[1] == 0 || shape[2] != names->second.size())
    throw BadData(file, fmt::format("draws: must have shape [runs x] draws x {} names; got {}",
                                    names->second.size(), fmt::join(draws->second.shape, " x ")));
  const std::size_t rows = shape[1], columns = shape[2];
  const auto density = arrays.find("log_density");
  const bool has_lp = density != arrays.end();
  if (has_lp &&
      density->second.shape != Shape(draws->second.shape.begin(), draws->second.shape.end() - 1))
    throw BadData(file, fmt::format("log_density: must have a number for each draw; got {}",
                                    fmt::join(density->second.shape, " x ")));
  std::vector<Draws> runs(shape[0]);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    Draws& run = runs[k];
    run.rows = rows;
    if (has_lp)
      run.names.push_back("lp__");
    run.names.insert(run.names.end(), names->second.begin(), names->second.end());
    run.values.reserve(rows * run.names.size());
    for (std::size_t row = k * rows; row < (k + 1) * rows; ++row) {
      if (has_lp)
        run.values.push_back(density->second.values[row]);
      const double* from = draws->second.values.data() + row * columns;
      run.values.insert(run.values.end(), from, from + columns);
    }
  }
  return runs;
}

} // namespace

std::vector<Draws> read_runs(const fs::path& path) {
  if (!fs::is_directory(path))
    return path.extension() == ".npz" ? from_npz(path) : std::vector<Draws>{read_stan_csv(path)};
  const auto has = [&](const char* name) { return fs::exists(path / name); };
  if (has(".zgroup") || has("zarr.json"))
    return read_zarr(path);
  if (has("draws.npz"))
    return from_npz(path / "draws.npz");
  if (has("draws-1.csv"))
    return from_several_csv(path);
  if (!has("draws.csv") && has("draws.zarr"))
    return read_zarr(path / "draws.zarr");
  return {read_stan_csv(path / "draws.csv")};
}

void add_runs(NpzWriter& npz, std::span<const Draws> runs) {
  const std::vector<std::string>& names = runs[0].names;
  const std::size_t first = !names.empty() && names[0] == "lp__" ? 1 : 0;
  // Of every row the columns from .. to, some rows at a time.
  const auto columns = [&](std::size_t from, std::size_t to) {
    return [&runs, from, to](const NpzWriter::Receiver& receive) {
      constexpr std::size_t together = 1 << 16; // numbers
      std::vector<double> some;
      some.reserve(together + to - from);
      for (const Draws& run : runs)
        for (std::size_t row = 0; row < run.rows; ++row) {
          for (std::size_t column = from; column < to; ++column)
            some.push_back(run.at(row, column));
          if (some.size() >= together) {
            receive(some);
            some.clear();
          }
        }
      receive(some);
    };
  };
  Shape shape = {runs[0].rows, names.size() - first};
  if (runs.size() > 1)
    shape.insert(shape.begin(), runs.size());
  npz.add("draws", columns(first, names.size()), shape);
  if (first == 1)
    npz.add("log_density", columns(0, 1), Shape(shape.begin(), shape.end() - 1));
  npz.add("names", std::span(names).subspan(first));
}

} // namespace starling::io
