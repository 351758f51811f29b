// The Python module _starling: recipes, flights and outcomes as they are, for the package to dress.
#include "guest.hpp"

#include "assemble/config.hpp"
#include "assemble/pool.hpp"
#include "assemble/report.hpp"
#include "assemble/run.hpp"
#include "assemble/spec.hpp"
#include "io/errors.hpp"
#include "io/output_folder.hpp"
#include "io/runs.hpp"
#include "io/zarr_layout.hpp"

#include <starling/cpu/level.hpp>
#include <starling/version.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>

namespace starling::python {

namespace nb = nanobind;
using namespace nb::literals;
using assemble::Flight;
using assemble::Outcome;
using assemble::Recipe;

namespace {

using Positions = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// The numbers of a vector as an array that owns them.
nb::object array(std::vector<double> values, std::vector<std::size_t> shape) {
  auto* kept = new std::vector<double>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, double>(kept->data(), shape.size(), shape.data(), owner));
}

/// A field of a recipe from what Python gave for it.
template <typename Field>
void set(Field& field, const std::string& name, nb::handle value) {
  const std::string text = nb::cast<std::string>(nb::str(value));
  if constexpr (std::is_same_v<Field, bool>) {
    if (!nb::isinstance<nb::bool_>(value))
      throw nb::type_error(fmt::format("{}: must be True or False; got {}", name, text).c_str());
    field = nb::cast<bool>(value);
  } else if constexpr (std::is_same_v<Field, double>) {
    field = assemble::parse_number(name, text);
  } else if constexpr (std::is_same_v<Field, std::uint64_t>) {
    field = assemble::parse_count(name, text, 0);
  } else {
    field = text;
  }
}

/// Settings by their names on the command line, with _ for -.
Recipe recipe_from(const std::string& target, const nb::dict& settings) {
  Recipe recipe;
  recipe.target = target;
  std::size_t used = 0;
  assemble::for_each_field(recipe, [&](const char* group, std::string name, auto& field, auto) {
    std::replace(name.begin(), name.end(), '-', '_');
    if (settings.contains(name.c_str())) {
      if (!assemble::is_for(group, target))
        throw nb::type_error(fmt::format("{}: must be used with target {}; got {}", name, group, target).c_str());
      set(field, name, settings[name.c_str()]);
      ++used;
    }
  });
  if (used != settings.size())
    throw nb::type_error("settings: must be those of a recipe; got another");
  assemble::resolve(recipe);
  return recipe;
}

nb::dict settings_of(const Recipe& recipe) {
  nb::dict settings;
  settings["target"] = recipe.target;
  assemble::for_each_field(recipe, [&](auto, std::string name, const auto& field, auto) {
    std::replace(name.begin(), name.end(), '-', '_');
    settings[name.c_str()] = field;
  });
  return settings;
}

nb::list rows_of(const std::vector<assemble::TraceRow>& trace) {
  nb::list rows;
  for (const assemble::TraceRow& row : trace) {
    nb::dict one;
    assemble::for_each_column(row, [&](const char* name, const auto& value) { one[name] = value; });
    rows.append(one);
  }
  return rows;
}

/// Takes steps without the interpreter's lock; a tenth of a second apart it is asked for, to see
/// whether Ctrl-C was pressed and to tell how far it is.
void take(Flight& flight, Step count, nb::object tell) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point last = Clock::now();
  const nb::gil_scoped_release released;
  flight.take(count, [&] {
    if (Clock::now() - last < std::chrono::milliseconds(100))
      return Signal::go_on;
    last = Clock::now();
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0)
      throw nb::python_error();
    if (tell.is_none())
      return Signal::go_on;
    const int answer = PyObject_IsTrue(nb::object(tell(flight.done())).ptr());
    if (answer < 0)
      throw nb::python_error();
    return answer ? Signal::stop : Signal::go_on;
  });
}

void add_flight(nb::module_& m) {
  const auto rows = [](std::vector<double> (Flight::*get)() const) {
    return [get](const Flight& f) {
      return array((f.*get)(), {f.recipe().particles, f.names().size()});
    };
  };
  nb::class_<Flight>(m, "Flight")
      .def("take", &take, "count"_a, "tell"_a.none())
      .def_prop_ro("done", &Flight::done)
      .def_prop_ro("total", &Flight::total)
      .def_prop_ro("over", &Flight::over)
      .def_prop_ro("names", &Flight::names)
      .def_prop_ro("positions", rows(&Flight::positions))
      .def_prop_ro("scores", rows(&Flight::scores))
      .def_prop_ro("drifts", rows(&Flight::drifts))
      .def_prop_ro("drift_size", &Flight::drift_size)
      .def_prop_ro("settings", [](const Flight& f) { return settings_of(f.recipe()); })
      .def_prop_ro("trace", [](const Flight& f) { return rows_of(f.trace()); })
      .def("save", [](const Flight& f) {
        const std::string bytes = io::pack(f.save());
        return nb::bytes(bytes.data(), bytes.size());
      })
      .def("keep", [](const Flight& f, const std::string& file) { io::write_checkpoint(file, f.save()); }, "file"_a)
      .def("outcome", [](Flight& f, bool measured) {
        const nb::gil_scoped_release released;
        return f.outcome(measured);
      }, "measured"_a);

  m.def("begin", [](const std::string& target, const nb::dict& settings, std::uint64_t run,
                    const assemble::Guest* guest, std::optional<Positions> start) {
    const Recipe recipe = recipe_from(target, settings);
    const std::span<const double> positions =
        start ? std::span<const double>(start->data(), start->size()) : std::span<const double>();
    const nb::gil_scoped_release released;
    return Flight::begin(recipe, run, guest, positions);
  }, "target"_a, "settings"_a, "run"_a, "guest"_a.none(), "start"_a.none());
  m.def("resume", [](const nb::bytes& bytes, const std::string& where, std::optional<std::uint64_t> steps,
                     std::optional<std::uint64_t> threads, const assemble::Guest* guest) {
    const io::Checkpoint checkpoint = io::unpack({bytes.c_str(), bytes.size()}, where);
    Recipe recipe = assemble::saved(checkpoint, where).recipe;
    recipe.steps = steps.value_or(recipe.steps);
    recipe.threads = threads.value_or(recipe.threads);
    assemble::resolve(recipe);
    if ((recipe.target == "guest") != (guest != nullptr))
      throw io::BadData(where, guest ? "target: must be left out for a run of " + recipe.target + "; got one"
                                     : std::string("target: must be given again for a run of Python's own; got none"));
    const nb::gil_scoped_release released;
    return Flight::resume(checkpoint, recipe, where, guest);
  }, "state"_a, "where"_a, "steps"_a.none(), "threads"_a.none(), "guest"_a.none());
}

void add_outcome(nb::module_& m) {
  nb::class_<Outcome>(m, "Outcome")
      .def_prop_ro("names", [](const Outcome& o) { return o.names; })
      .def_prop_ro("positions", [](const Outcome& o) { return array(o.positions, {o.recipe.particles, o.dim()}); })
      .def_prop_ro("log_density", [](const Outcome& o) { return array(o.log_density, {o.log_density.size()}); })
      .def_prop_ro("draw_names", [](const Outcome& o) { return o.constrained ? o.constrained->names : o.names; })
      .def_prop_ro("draws", [](const Outcome& o) {
        const auto& values = o.constrained ? o.constrained->values : o.positions;
        return array(values, {o.recipe.particles, o.constrained ? o.constrained->names.size() : o.dim()});
      })
      .def_prop_ro("settings", [](const Outcome& o) { return settings_of(o.recipe); })
      .def_prop_ro("trace", [](const Outcome& o) { return rows_of(o.trace); })
      .def_prop_ro("steps_done", [](const Outcome& o) { return o.steps_done; })
      .def_prop_ro("verdict", [](const Outcome& o) { return o.diagnosis.verdict; })
      .def_prop_ro("warnings", [](const Outcome& o) { return o.warnings; });
  m.def("summary", [](const std::vector<Outcome>& runs) { return assemble::to_json(runs).dump(); });
  m.def("config", [](const Outcome& o) { return assemble::write_config(o.recipe); });
  m.def("write", [](const std::vector<Outcome>& runs, const std::string& folder, const std::string& formats, bool force) {
    assemble::check_formats(formats);
    io::OutputFolder out(folder, force);
    assemble::write_results(out, runs, formats);
    out.commit();
  }, "runs"_a, "folder"_a, "formats"_a, "force"_a);
  m.def("variables", [](const std::vector<std::string>& names) { // [(name, shape, columns)]
    nb::list list;
    for (const io::ZarrVariable& v : io::zarr_layout(names))
      list.append(nb::make_tuple(v.name, v.shape, v.columns));
    return list;
  });
  m.def("read", [](const std::string& path) { // [(names, values)], lp__ among the names where it is known
    nb::list runs;
    for (io::Draws& draws : io::read_runs(path))
      runs.append(nb::make_tuple(draws.names, array(std::move(draws.values), {draws.rows, draws.names.size()})));
    return runs;
  });
}

void add_errors(nb::module_& m) {
  static nb::object target_error = nb::steal(PyErr_NewException("starling.TargetError", PyExc_ValueError, nullptr));
  static nb::object diverged = nb::steal(PyErr_NewException("starling.Diverged", PyExc_ArithmeticError, nullptr));
  m.attr("TargetError") = target_error;
  m.attr("Diverged") = diverged;
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const TargetError& error) {
      PyErr_SetString(target_error.ptr(), error.what());
    } catch (const Diverged& error) {
      PyErr_SetString(diverged.ptr(), error.what());
    } catch (const assemble::BadConfig& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const io::BadData& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const io::FileError& error) { // with its errno: FileNotFoundError, FileExistsError, ...
      errno = error.code().value();
      PyErr_SetObject(PyExc_OSError, nb::make_tuple(errno, error.what()).ptr());
    }
  });
}

} // namespace

} // namespace starling::python

NB_MODULE(_starling, m) {
  using namespace starling;
  using namespace starling::python;
  add_errors(m);
  nb::class_<assemble::Guest>(m, "Guest");
  m.def("guest_of", &guest_of, "function"_a, "dim"_a, "names"_a);
  m.def("guest_at", &guest_at, "address"_a, "batched"_a, "dim"_a, "names"_a);
  add_flight(m);
  add_outcome(m);
  m.def("defaults", [] { return settings_of(assemble::Recipe()); });
  m.def("helps", [] {
    nb::dict helps;
    const assemble::Recipe any;
    assemble::for_each_field(any, [&](const char* group, std::string name, const auto&, const char* help) {
      std::replace(name.begin(), name.end(), '-', '_');
      helps[name.c_str()] = nb::make_tuple(group, help);
    });
    return helps;
  });
  m.attr("version") = std::string(version);
  m.def("simd_level", [] { return std::string(cpu::level()); });
}
