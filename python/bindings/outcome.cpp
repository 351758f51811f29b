// What runs came to, and their files: written, read, summed up.
#include "parts.hpp"

#include "plan/config.hpp"
#include "results/results.hpp"
#include "io/output_folder.hpp"
#include "io/runs.hpp"
#include "io/zarr_layout.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <nlohmann/json.hpp>

namespace starling::python {

namespace nb = nanobind;
using namespace nb::literals;
using run::Outcome;

namespace {

plan::Recipe recipe_of(const Outcome& o) { return assemble::read_identity(o.settings.identity, "outcome"); }

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
      .def_prop_ro("draw_names", [](const Outcome& o) { return o.draw_names(); })
      .def_prop_ro("draws",
                   [](const Outcome& o) { return array(o.draws(), {o.settings.particles, o.draw_names().size()}); })
      .def_prop_ro("settings", [](const Outcome& o) { return settings_of(recipe_of(o)); })
      .def_prop_ro("trace", [](const Outcome& o) { return rows_of(o.trace); })
      .def_prop_ro("steps_done", [](const Outcome& o) { return o.steps_done; })
      .def_prop_ro("verdict", [](const Outcome& o) { return o.diagnosis.verdict; })
      .def_prop_ro("warnings", [](const Outcome& o) { return o.warnings; });
  m.def("summary", [](const std::vector<Outcome>& runs) { return results::to_json(runs).dump(); });
  m.def("config", [](const Outcome& o) { return plan::write_config(recipe_of(o)); });
  m.def(
      "write",
      [](const std::vector<Outcome>& runs, const std::string& folder, const std::string& formats,
         bool force) {
        results::check_formats(formats);
        io::OutputFolder out(folder, force);
        results::write_results(out, runs, formats);
        out.commit();
      },
      "runs"_a, "folder"_a, "formats"_a, "force"_a);
  m.def("variables", [](const std::vector<std::string>& names) { // [(group, name, shape, columns)]
    nb::list list;
    for (const io::ZarrVariable& v : io::zarr_layout(names))
      list.append(nb::make_tuple(v.group, v.name, v.shape, v.columns));
    return list;
  });
  m.def("read",
        [](const std::string& path) { // [(names, values)], lp__ among the names where it is known
          nb::list runs;
          for (io::Draws& draws : io::read_runs(path))
            runs.append(nb::make_tuple(
                draws.names, array(std::move(draws.values), {draws.rows, draws.names.size()})));
          return runs;
        });
}

} // namespace starling::python
