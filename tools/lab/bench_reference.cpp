// Reads what runs are held against, and holds them against it.
#include "bench_reference.hpp"

#include "io/errors.hpp"
#include "io/npy.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <utility>

namespace starling::tool {

namespace {

using Json = nlohmann::ordered_json;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// `names` and `draws`, whose last axis is the parameters.
Columns read_draws(const std::filesystem::path& file) {
  std::map<std::string, io::Texts> texts;
  auto arrays = io::read_npz(file, &texts);
  const io::Texts& names = texts["names"];
  const io::Array& draws = arrays["draws"];
  if (names.empty() || draws.shape.empty() || draws.shape.back() != names.size() ||
      draws.values.size() < 2 * names.size())
    throw io::BadData(
        file.string(),
        "must hold names and draws, and the last axis of draws must be as long as names");
  return columns_of(names, names, draws.values, file.string());
}

/// Lists `names`, `mean`, `sd`, `q05`, `q50`, `q95`, one entry a column; and `no_moments`, names.
std::vector<Figures> read_figures(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in)
    throw io::InputMissing(file, errno);
  try {
    const Json j = Json::parse(in);
    const std::vector<std::string> without = j.value("no_moments", std::vector<std::string>());
    std::vector<Figures> all;
    for (const auto& name : j.at("names").get<std::vector<std::string>>()) {
      const auto figure = [&, at = all.size()](const char* key) {
        const Json& one = j.at(key).at(at);
        return one.is_null() ? nan : one.get<double>(); // no mean, no sd
      };
      all.push_back({name, figure("mean"), figure("sd"), figure("q05"), figure("q50"),
                     figure("q95"), std::ranges::find(without, name) == without.end()});
    }
    return all;
  } catch (const Json::exception&) {
    throw io::BadData(file.string(),
                      "must hold names, and for each of them mean, sd, q05, q50 and q95");
  }
}

/// In widths; the largest of the three.
double quantile_error(const std::vector<double>& sorted, const Figures& figures, double width) {
  if (std::ranges::any_of(sorted, [](double v) { return std::isnan(v); }))
    return nan;
  double worst = 0;
  for (const auto& [q, truth] :
       {std::pair(0.05, figures.q05), std::pair(0.5, figures.q50), std::pair(0.95, figures.q95)})
    worst = larger(std::abs(quantile_of(sorted, q) - truth) / width, worst);
  return worst;
}

/// How far the share of draws below a quantile is from what it should be; the largest of the three.
double share_error(const std::vector<double>& sorted, const Figures& figures) {
  if (std::ranges::any_of(sorted, [](double v) { return std::isnan(v); }))
    return nan;
  double worst = 0;
  for (const auto& [q, truth] :
       {std::pair(0.05, figures.q05), std::pair(0.5, figures.q50), std::pair(0.95, figures.q95)}) {
    const auto below = std::ranges::upper_bound(sorted, truth) - sorted.begin();
    worst = std::max(worst, std::abs(double(below) / double(sorted.size()) - q));
  }
  return worst;
}

void add(Errors& errors, const Figures& figures, const std::vector<double>& sorted) {
  if (figures.has_moments) {
    const Moments ours = moments_of(sorted);
    take_worst(errors, figures.name, std::abs(ours.mean - figures.mean) / figures.sd,
               ours.sd / figures.sd);
    errors.quantile = larger(quantile_error(sorted, figures, figures.sd), errors.quantile);
    return;
  }
  const double error = share_error(sorted, figures);
  if (errors.share_of.empty() || !(error <= errors.share))
    errors.share = error, errors.share_of = figures.name;
}

} // namespace

std::filesystem::path reference_in(const std::filesystem::path& folder) {
  const std::filesystem::path draws = folder / "reference.npz", figures = folder / "reference.json";
  return !exists(draws) && exists(figures) ? figures : draws;
}

Reference read_reference(const std::filesystem::path& file, std::size_t count) {
  Reference reference{file, {}, {}, {}};
  if (file.extension() == ".json") {
    reference.figures = read_figures(file);
    return reference;
  }
  reference.draws = read_draws(file);
  reference.independent = independent_w1(reference.draws, count);
  return reference;
}

Errors errors_against(const Reference& reference, const std::vector<std::string>& names,
                      const std::vector<double>& draws) {
  const std::string where = reference.file.string();
  if (!reference.draws.names.empty())
    return errors_of(columns_of(reference.draws.names, names, draws, where), reference.draws,
                     reference.independent);
  Errors errors;
  errors.w1 = errors.w1_ratio = errors.w1_ratio_worst = nan;
  bool any = false;
  for (const Figures& figures : reference.figures) {
    if (figures.constant() || std::ranges::find(names, figures.name) == names.end())
      continue;
    add(errors, figures, columns_of({figures.name}, names, draws, where).values[0]);
    any = true;
  }
  if (!any)
    throw io::BadData(where, "must have a parameter of the model that is not constant");
  return errors;
}

} // namespace starling::tool
