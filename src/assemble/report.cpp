// Writing what a run leaves behind.
#include "assemble/report.hpp"

#include "assemble/config.hpp"
#include "assemble/spec.hpp"
#include "io/npy.hpp"
#include "io/output_file.hpp"
#include "io/stan_csv.hpp"

#include <starling/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace starling::assemble {

namespace {

using Json = nlohmann::ordered_json;

// JSON has no NaN: what has no value is null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

void write_text(const std::filesystem::path& file, const std::string& text) {
  io::OutputFile out(file);
  out.write(text);
  out.close();
}

/// What the draws are: the model's parameters, or the positions themselves.
const std::vector<std::string>& names_of(const Outcome& o) {
  return o.constrained ? o.constrained->names : o.names;
}
const std::vector<double>& values_of(const Outcome& o) {
  return o.constrained ? o.constrained->values : o.positions;
}

io::Draws draws_of(const Outcome& o) {
  const std::size_t n = o.log_density.size(), d = names_of(o).size();
  io::Draws draws;
  draws.rows = n;
  draws.names.push_back("lp__");
  draws.names.insert(draws.names.end(), names_of(o).begin(), names_of(o).end());
  draws.values.reserve(n * (d + 1));
  for (std::size_t i = 0; i < n; ++i) {
    draws.values.push_back(o.log_density[i]);
    const auto row = values_of(o).begin() + static_cast<std::ptrdiff_t>(i * d);
    draws.values.insert(draws.values.end(), row, row + static_cast<std::ptrdiff_t>(d));
  }
  return draws;
}

std::string trace_csv(const Outcome& o) {
  std::string text = "step,sweeps,seconds,batch,drift,score,spread\n";
  for (const TraceRow& row : o.trace)
    text += fmt::format("{},{},{:.6f},{},{},{},{}\n", row.step, row.sweeps, row.seconds, row.batch,
                        row.drift, row.score, row.spread);
  return text;
}

Json list_of(const std::vector<ParameterSummary>& parameters) {
  Json list = Json::array();
  for (const ParameterSummary& p : parameters)
    list.push_back({{"name", p.name},
                    {"mean", number(p.mean)},
                    {"sd", number(p.sd)},
                    {"q05", number(p.q05)},
                    {"q50", number(p.q50)},
                    {"q95", number(p.q95)},
                    {"spread_identity", number(p.spread_identity)},
                    {"shift", number(p.shift)}});
  return list;
}

} // namespace

Json to_json(const Outcome& o) {
  const Recipe& r = o.recipe;
  Json j;
  j["version"] = version;
  j["target"] = r.target;
  j["particles"] = r.particles;
  j["dim"] = o.dim();
  if (r.batch == "all")
    j["batch"] = "all";
  else
    j["batch"] = parse_count("batch", r.batch, 2);
  j["steps"] = r.steps;
  j["seed"] = r.seed;
  j["threads"] = o.threads;
  j["precision"] = r.precision;
  j["kernel"] = r.kernel;
  j["bandwidth"] = r.bandwidth;
  j["advance"] = r.advance;
  j["step_size"] = r.step_size;
  j["seconds"] = o.seconds.total;
  j["seconds_deal"] = o.seconds.deal;
  j["seconds_score"] = o.seconds.score;
  j["seconds_drift"] = o.seconds.drift;
  j["seconds_advance"] = o.seconds.advance;
  j["parameters"] = list_of(o.parameters());
  if (o.constrained)
    j["unconstrained"] = list_of(o.diagnosis.parameters);
  j["ksd"] = {{"value", number(o.diagnosis.ksd.value)}, {"se", number(o.diagnosis.ksd.se)}};
  if (o.held_out) {
    j["test_accuracy"] = number(o.held_out->accuracy);
    j["test_log_likelihood"] = number(o.held_out->log_likelihood);
  }
  j["verdict"] = o.diagnosis.verdict;
  j["verdict_reason"] = o.diagnosis.sentence;
  j["warnings"] = o.warnings;
  return j;
}

std::string table(const std::vector<ParameterSummary>& parameters, std::size_t most) {
  std::size_t wide = 9;
  for (const ParameterSummary& p : parameters)
    wide = std::max(wide, p.name.size());
  const auto cell = [](double value) {
    return std::isfinite(value) ? fmt::format("{:10.4g}", value) : fmt::format("{:>10}", "-");
  };
  std::string text = fmt::format("{:<{}} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "parameter",
                                 wide, "mean", "sd", "5%", "50%", "95%", "spread");
  for (std::size_t a = 0; a < parameters.size() && a < most; ++a) {
    const ParameterSummary& p = parameters[a];
    text += fmt::format("{:<{}} {} {} {} {} {} {}\n", p.name, wide, cell(p.mean), cell(p.sd),
                        cell(p.q05), cell(p.q50), cell(p.q95), cell(p.spread_identity));
  }
  if (parameters.size() > most)
    text += fmt::format("... and {} more\n", parameters.size() - most);
  return text;
}

void write_results(io::OutputFolder& folder, const Outcome& o) {
  io::StanHeader header;
  header.model = o.recipe.target;
  header.steps = o.recipe.steps;
  header.seed = o.recipe.seed;
  header.data_file = o.recipe.data;
  header.seconds = o.seconds.total;
  io::write_stan_csv(folder.path("draws.csv"), draws_of(o), header);

  io::NpzWriter npz(folder.path("draws.npz"));
  npz.add("draws", values_of(o), {o.log_density.size(), names_of(o).size()});
  npz.add("log_density", o.log_density, {o.log_density.size()});
  npz.add("names", names_of(o));
  if (o.constrained)
    npz.add("unconstrained", o.positions, {o.log_density.size(), o.dim()});
  npz.close();

  write_text(folder.path("summary.json"), to_json(o).dump(2) + "\n");
  write_text(folder.path("config.toml"), write_config(o.recipe));
  write_text(folder.path("trace.csv"), trace_csv(o));
}

void write_state(io::OutputFolder& folder, const Outcome& o) {
  io::write_npy(folder.path("state.npy"), {{o.recipe.particles, o.dim()}, o.positions});
  write_text(folder.path("config.toml"), write_config(o.recipe));
  write_text(folder.path("trace.csv"), trace_csv(o));
}

} // namespace starling::assemble
