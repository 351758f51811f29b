// What runs came to, and their files: written, read, summed up.
#include "gil_released.hpp"
#include "parts.hpp"

#include "io/output_file.hpp"
#include "io/output_folder.hpp"
#include "io/runs.hpp"
#include "io/zarr_layout.hpp"
#include "plan/config.hpp"
#include "results/formats.hpp"
#include "results/predictions.hpp"
#include "results/results.hpp"

#include <starling/judge/thin.hpp>

#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>

#include <nlohmann/json.hpp>

namespace starling::python {

namespace nb = nanobind;
using namespace nb::literals;
using run::Outcome;

namespace {

plan::Recipe recipe_of(const Outcome& o) {
  return assemble::read_identity(o.settings.identity, "outcome");
}

using Values = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

const std::vector<Outcome>& at_least_one(const std::vector<Outcome>& runs) {
  if (runs.empty())
    throw nb::value_error("runs: there must be at least one; got none");
  return runs;
}

void write_text(const std::filesystem::path& file, const std::string& text) {
  io::OutputFile out(file);
  out.write(text);
  out.close();
}

using Texts = std::map<std::string, nb::bytes>;

void write_texts(io::OutputFolder& folder, const Texts& texts) {
  for (const auto& [name, text] : texts)
    write_text(folder.path(name), std::string(text.c_str(), text.size()));
}

/// The folder of a run that was read from files: the draws in the formats asked for, the other
/// files as they were.
void write_again(const std::vector<std::pair<std::vector<std::string>, Values>>& runs,
                 std::optional<Values> unconstrained, const nb::dict& settings, const Texts& texts,
                 nb::handle folder, const std::string& formats, bool force) {
  results::check_formats(formats);
  const auto number = [&](const char* name) {
    std::uint64_t value = 0;
    return settings.contains(name) && nb::try_cast(settings[name], value) ? value : 0;
  };
  std::vector<io::Draws> draws;
  results::DrawsToWrite all{draws, {}, {}, {}, number("seed"), {}, {}};
  if (settings.contains("target"))
    all.target = bytes_of(settings["target"]);
  for (const auto& [names, values] : runs) {
    draws.push_back({names, values.shape(0), {values.data(), values.data() + values.size()}});
    all.runs.push_back({draws.size(), number("steps"), number("seed"), 0});
  }
  if (unconstrained) {
    all.unconstrained = {unconstrained->data(), unconstrained->size()};
    all.unconstrained_shape.assign(unconstrained->shape_ptr(),
                                   unconstrained->shape_ptr() + unconstrained->ndim());
  }
  io::OutputFolder out(bytes_of(folder), force);
  results::write_draws(out, all, formats);
  write_texts(out, texts);
  out.commit();
}

/// Rows, classes, and mean, sd and three quantiles of each: results::predict for draws that Python
/// holds.
nb::tuple predicted(const std::string& summary,
                    const std::vector<std::pair<std::vector<std::string>, Values>>& runs,
                    nb::handle file, bool drop_missing, bool observation, std::size_t threads) {
  results::Asked asked = results::asked_of(summary, "the result");
  asked.observation = observation;
  std::vector<io::Draws> draws;
  for (const auto& [names, values] : runs)
    draws.push_back({names, values.shape(0), {values.data(), values.data() + values.size()}});
  const std::filesystem::path table = bytes_of(file);
  const results::Predictions made = [&] {
    const GilReleased released;
    Threads crew(threads);
    return results::predict(asked, draws, {}, io::read_new_rows(table, asked.use, drop_missing),
                            crew);
  }();
  std::vector<double> figures;
  for (const judge::ParameterSummary& one : made.figures)
    figures.insert(figures.end(), {one.mean, one.sd, one.q05, one.q50, one.q95});
  return nb::make_tuple(made.rows, made.classes,
                        array(std::move(figures), {made.figures.size(), 5}));
}

} // namespace

void add_outcome(nb::module_& m) {
  nb::class_<Outcome>(m, "Outcome")
      .def_prop_ro("names", [](const Outcome& o) { return o.names; })
      .def_prop_ro("positions",
                   [](const Outcome& o) {
                     return array(o.positions, {o.settings.particles, o.dim()});
                   })
      .def_prop_ro("log_density",
                   [](const Outcome& o) { return array(o.log_density, {o.log_density.size()}); })
      .def_prop_ro("scores", // None where the end was not measured
                   [](const Outcome& o) {
                     return o.scores.empty() ? nb::object(nb::none())
                                             : array(o.scores, {o.settings.particles, o.dim()});
                   })
      .def_prop_ro("draw_names", [](const Outcome& o) { return o.draw_names(); })
      .def_prop_ro("draws",
                   [](const Outcome& o) {
                     return array(o.draws(), {o.settings.particles, o.draw_names().size()});
                   })
      .def_prop_ro("settings", [](const Outcome& o) { return settings_of(recipe_of(o)); })
      .def_prop_ro("trace", [](const Outcome& o) { return rows_of(o.trace); })
      .def_prop_ro("steps_done", [](const Outcome& o) { return o.steps_done; })
      .def_prop_ro("verdict", [](const Outcome& o) { return judge::word(o.diagnosis.judgement); })
      .def_prop_ro("warnings", [](const Outcome& o) { return o.warnings; });
  m.def("summary", [](const std::vector<Outcome>& runs) {
    return results::to_json(at_least_one(runs)).dump();
  });
  m.def("config", [](const Outcome& o) { return text_of(plan::write_config(recipe_of(o))); });
  m.def(
      "write",
      [](const std::vector<Outcome>& runs, nb::handle folder, const std::string& formats,
         bool force, const Texts& texts) {
        results::check_formats(formats);
        io::OutputFolder out(bytes_of(folder), force);
        results::write_results(out, at_least_one(runs), formats);
        write_texts(out, texts);
        out.commit();
      },
      "runs"_a, "folder"_a, "formats"_a, "force"_a, "texts"_a);
  m.def(
      "write_texts",
      [](const Texts& texts, nb::handle folder, bool force) {
        io::OutputFolder out(bytes_of(folder), force);
        write_texts(out, texts);
        out.commit();
      },
      "texts"_a, "folder"_a, "force"_a);
  m.def("write_again", &write_again, "runs"_a, "unconstrained"_a.none(), "settings"_a, "texts"_a,
        "folder"_a, "formats"_a, "force"_a);
  m.def("variables", [](const std::vector<std::string>& names) {
    nb::list list; // [(group, name, name in ArviZ, shape, first indices, columns)]
    for (const io::ZarrVariable& v : io::zarr_layout(names))
      list.append(nb::make_tuple(v.group, v.name, v.file, v.shape, v.first, v.columns));
    return list;
  });
  m.def(
      "thin", // rows, weights, discrepancy, that of as many independent draws
      [](const Values& positions, const Values& scores, std::size_t count, bool weights,
         std::size_t threads) {
        const auto rows = [](const Values& v) {
          return Rows<const double>{v.data(), v.shape(0), v.shape(1)};
        };
        const auto chosen = [&] {
          const GilReleased released;
          Threads crew(threads);
          return judge::thin(rows(positions), rows(scores), count, weights, crew);
        };
        judge::Thinned thinned = chosen();
        const std::size_t kept = thinned.weights.size();
        return nb::make_tuple(thinned.chosen, array(std::move(thinned.weights), {kept}),
                              thinned.discrepancy, thinned.of_independent);
      },
      "positions"_a, "scores"_a, "count"_a, "weights"_a, "threads"_a);
  m.def("predict", &predicted, "summary"_a, "runs"_a, "file"_a, "drop_missing"_a, "observation"_a,
        "threads"_a);
  m.def("read",
        [](nb::handle path) { // [(names, values)], lp__ among the names where it is known
          nb::list runs;
          for (io::Draws& draws : io::read_runs(bytes_of(path)))
            runs.append(nb::make_tuple(
                draws.names, array(std::move(draws.values), {draws.rows, draws.names.size()})));
          return runs;
        });
}

} // namespace starling::python
