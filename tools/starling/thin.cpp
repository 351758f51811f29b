// starling thin: the few particles of a run that say most, chosen by their Stein discrepancy.
#include "commands.hpp"

#include "assemble/roles.hpp"
#include "io/errors.hpp"
#include "io/npy.hpp"
#include "io/output_file.hpp"
#include "io/output_folder.hpp"
#include "io/runs.hpp"
#include "io/text.hpp"
#include "plan/config.hpp"
#include "plan/names.hpp"
#include "results/results.hpp"

#include <starling/judge/thin.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cmath>
#include <filesystem>
#include <map>

namespace starling::tool {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Particles of all runs of a folder, one after another.
struct Cloud {
  std::vector<std::string> names;        ///< of the draws, lp__ first where it is known
  std::vector<double> draws;             ///< as users read them
  std::vector<double> positions, scores; ///< scores may be missing: empty
  std::size_t count = 0;
  bool constrained = false;
  Rows<const double> rows(const std::vector<double>& values) const {
    return {values.data(), count, values.size() / count};
  }
};

Cloud read_cloud(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw io::InputMissing(folder, fs::exists(folder) ? ENOTDIR : ENOENT);
  Cloud cloud;
  for (const io::Draws& run : io::read_runs(folder)) {
    cloud.names = run.names;
    cloud.count += run.rows;
    cloud.draws.insert(cloud.draws.end(), run.values.begin(), run.values.end());
  }
  if (cloud.count == 0)
    throw io::BadData(folder, "has no particles");
  std::map<std::string, io::Array> arrays;
  if (fs::exists(folder / "draws.npz"))
    arrays = io::read_npz(folder / "draws.npz");
  const auto take = [&](const char* name, std::vector<double>& values) {
    const auto found = arrays.find(name);
    if (found == arrays.end())
      return false;
    if (found->second.values.size() % cloud.count != 0)
      throw io::BadData(folder / "draws.npz",
                        fmt::format("'{}' must have a row for each particle", name));
    values = found->second.values;
    return true;
  };
  cloud.constrained = take("unconstrained", cloud.positions);
  take("scores", cloud.scores);
  if (!cloud.constrained) { // the draws are the positions, without lp__
    const std::size_t columns = cloud.names.size(), first = cloud.names[0] == "lp__" ? 1 : 0;
    for (std::size_t i = 0; i < cloud.count; ++i)
      for (std::size_t c = first; c < columns; ++c)
        cloud.positions.push_back(cloud.draws[i * columns + c]);
  }
  return cloud;
}

/// From the target that config.toml names.
void score(Cloud& cloud, const fs::path& folder, bool trust, Threads& threads) {
  plan::Recipe recipe;
  const fs::path file = folder / "config.toml";
  plan::read_config(file, recipe);
  if (recipe.target == "guest")
    plan::refuse("DIR",
                 "the target of this run was a function of a program: use result.thin(M) there");
  const plan::Plan plan = plan::resolve(recipe);
  if (const std::string library = recipe.text_of("model"); !library.empty() && !trust)
    plan::refuse("DIR", fmt::format("the scores need {}, which {} names; add --trust to load it",
                                    library, file.string()));
  auto target = assemble::make_target<double>(plan, plan.seed, threads);
  const std::size_t dim = cloud.positions.size() / cloud.count;
  if (target.constrain && !cloud.constrained)
    throw io::BadData(
        folder, "has no draws.npz with the unconstrained positions: sample with --format npz");
  if (target.dim != dim)
    throw io::BadData(
        folder, fmt::format("has particles of {} numbers; its target has {}", dim, target.dim));
  cloud.scores.resize(cloud.positions.size());
  std::vector<double> density(cloud.count);
  target.evaluate(cloud.rows(cloud.positions), {cloud.scores.data(), cloud.count, dim}, density);
}

std::vector<double> chosen_rows(const std::vector<double>& values, std::size_t columns,
                                const judge::Thinned& thinned) {
  std::vector<double> rows;
  for (const std::size_t i : thinned.chosen)
    rows.insert(rows.end(), values.begin() + std::ptrdiff_t(i * columns),
                values.begin() + std::ptrdiff_t((i + 1) * columns));
  return rows;
}

std::vector<judge::ParameterSummary> summaries(const io::Draws& draws,
                                               const std::vector<double>& weights) {
  std::vector<judge::ParameterSummary> list;
  for (std::size_t c = 0; c < draws.names.size(); ++c) {
    if (draws.names[c] == "lp__")
      continue;
    std::vector<double> values(draws.rows);
    for (std::size_t i = 0; i < draws.rows; ++i)
      values[i] = draws.values[i * draws.names.size() + c];
    list.push_back(judge::summarize(draws.names[c], values, weights));
  }
  return list;
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// summary.json of the run, with the figures of the particles that are left.
Json to_json(const ThinRequest& t, const Cloud& cloud, const judge::Thinned& thinned,
             const std::vector<judge::ParameterSummary>& parameters) {
  Json j = Json::object();
  try {
    j = Json::parse(io::read_text(fs::path(t.from) / "summary.json"));
    j["verdict_reason"] = fmt::format("before thinning, {}", j.value("verdict_reason", ""));
  } catch (const Json::exception&) {
    throw io::BadData(fs::path(t.from) / "summary.json", "must be the summary.json of a run");
  }
  for (const char* of_all :
       {"runs", "certificate", "pooled", "unconstrained", "ksd", "ksd_gaussian"})
    j.erase(of_all); // of the whole cloud, not of these
  j["particles"] = thinned.chosen.size();
  j["thinned"] = {{"from", cloud.count},
                  {"weighted", t.weights},
                  {"discrepancy", number(thinned.discrepancy)},
                  {"discrepancy_of_independent_draws", number(thinned.of_independent)},
                  {"discrepancy_of_as_many_as_before", number(thinned.of_all)}};
  j["parameters"] = Json::array();
  for (const judge::ParameterSummary& p : parameters) {
    j["parameters"].push_back({{"name", p.name},
                               {"mean", number(p.mean)},
                               {"sd", number(p.sd)},
                               {"q05", number(p.q05)},
                               {"q50", number(p.q50)},
                               {"q95", number(p.q95)},
                               {"spread_identity", nullptr}});
    if (p.left_out > 0)
      j["parameters"].back()["left_out"] = p.left_out;
  }
  return j;
}

/// The draws with a column of their weights after lp__.
io::Draws with_weights(const io::Draws& draws, const std::vector<double>& weights) {
  const std::size_t columns = draws.names.size(), first = draws.names[0] == "lp__" ? 1 : 0;
  io::Draws more;
  more.rows = draws.rows;
  more.names = draws.names;
  more.names.insert(more.names.begin() + std::ptrdiff_t(first), "weight__");
  for (std::size_t i = 0; i < draws.rows; ++i) {
    const auto row = draws.values.begin() + std::ptrdiff_t(i * columns);
    more.values.insert(more.values.end(), row, row + std::ptrdiff_t(first));
    more.values.push_back(weights[i]);
    more.values.insert(more.values.end(), row + std::ptrdiff_t(first),
                       row + std::ptrdiff_t(columns));
  }
  return more;
}

void write_text(const fs::path& file, const std::string& text) {
  io::OutputFile out(file);
  out.write(text);
  out.close();
}

void write(io::OutputFolder& folder, const ThinRequest& t, const Cloud& cloud,
           const io::Draws& draws, const judge::Thinned& thinned, const Json& j) {
  io::StanHeader header;
  const auto number_of = [&](const char* key) { // whatever else stands there is no number of steps
    return j.contains(key) && j[key].is_number_unsigned() ? j[key].get<std::uint64_t>() : 1;
  };
  header.steps = number_of("steps_done");
  header.seed = number_of("seed");
  header.settings = {{"thinned_from", std::to_string(cloud.count)}};
  io::write_stan_csv(folder.path("draws.csv"),
                     t.weights ? with_weights(draws, thinned.weights) : draws, header);
  io::NpzWriter npz(folder.path("draws.npz"));
  io::add_runs(npz, std::span(&draws, 1));
  npz.add("weights", thinned.weights, {thinned.weights.size()});
  npz.add("chosen", std::vector<std::uint64_t>(thinned.chosen.begin(), thinned.chosen.end()),
          {thinned.chosen.size()});
  const std::size_t dim = cloud.positions.size() / cloud.count;
  npz.add("scores", chosen_rows(cloud.scores, dim, thinned), {thinned.chosen.size(), dim});
  if (cloud.constrained)
    npz.add("unconstrained", chosen_rows(cloud.positions, dim, thinned),
            {thinned.chosen.size(), dim});
  npz.close();
  write_text(folder.path("summary.json"), j.dump(2) + "\n");
  write_text(folder.path("config.toml"), io::read_text(fs::path(t.from) / "config.toml"));
  folder.commit();
}

} // namespace

int thin(const ThinRequest& t) {
  std::optional<io::OutputFolder> folder; // before the work: what cannot be written is said at once
  if (!t.out.empty())
    folder.emplace(t.out, t.force);
  Threads threads(t.threads);
  Cloud cloud = read_cloud(t.from);
  if (t.to > cloud.count)
    reject("to", fmt::format("at most the number of particles, {}", cloud.count),
           std::to_string(t.to));
  if (cloud.scores.empty())
    score(cloud, t.from, t.trust, threads);
  const judge::Thinned thinned =
      judge::thin(cloud.rows(cloud.positions), cloud.rows(cloud.scores), t.to, t.weights, threads);
  const io::Draws draws{cloud.names, thinned.chosen.size(),
                        chosen_rows(cloud.draws, cloud.names.size(), thinned)};
  const auto parameters = summaries(draws, thinned.weights);
  const Json j = to_json(t, cloud, thinned, parameters);
  if (folder)
    write(*folder, t, cloud, draws, thinned, j);
  if (t.json) {
    fmt::print("{}\n", j.dump(2));
    return ok;
  }
  fmt::print("{} of {} particles{}\n\n{}\n", thinned.chosen.size(), cloud.count,
             t.weights ? ", weighted" : "", results::table(parameters));
  fmt::print("Stein discrepancy {:.3g}; as many independent draws have {:.3g}, {} have {:.3g}\n",
             thinned.discrepancy, thinned.of_independent, cloud.count, thinned.of_all);
  return ok;
}

} // namespace starling::tool
