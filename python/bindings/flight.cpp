// Runs under way: begun from settings or from a state, stepped without the interpreter's lock.
#include "away.hpp"
#include "parts.hpp"
#include "wire.hpp"

#include "io/errors.hpp"
#include "mpi/agreement.hpp"
#include "plan/names.hpp"
#include "plan/plan.hpp"
#include "plan/spec.hpp"

#include <starling/cpu/level.hpp>
#include <starling/cpu/products.hpp>
#include <starling/version.hpp>

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace starling::python {

namespace nb = nanobind;
using namespace nb::literals;
using plan::Recipe;
using run::Flight;

namespace {

using Positions = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// A field of a recipe from what Python gave for it.
template <typename Field>
void set(Field& field, const std::string& name, nb::handle value) {
  const std::string text = bytes_of(nb::str(value));
  if constexpr (std::is_same_v<Field, bool>) {
    if (!nb::isinstance<nb::bool_>(value))
      throw nb::type_error(fmt::format("{}: must be True or False; got {}", name, text).c_str());
    field = nb::cast<bool>(value);
  } else if constexpr (std::is_same_v<Field, double>) {
    field = plan::parse_number(name, text);
  } else if constexpr (std::is_same_v<Field, std::uint64_t>) {
    field = plan::parse_count(name, text, 0);
  } else {
    field = text;
  }
}

/// Settings by their names on the command line, with _ for -.
plan::Plan plan_from(const std::string& target, const nb::dict& settings) {
  Recipe recipe;
  recipe.target = target;
  std::size_t used = 0;
  const auto with = [&](std::string name, auto&& use) {
    std::replace(name.begin(), name.end(), '-', '_');
    if (!settings.contains(name.c_str()))
      return;
    use(name, settings[name.c_str()]);
    ++used;
  };
  bool raw = false;
  plan::for_each_field(recipe, [&](const plan::About& about, auto& field) {
    with(about.name, [&](const std::string& name, nb::handle value) {
      set(field, name, value);
      raw = raw || about.raw;
    });
  });
  if (raw && recipe.method.empty())
    recipe.method = "paper";
  for (const plan::Extra& extra : plan::extras())
    with(extra.setting.name, [&](const std::string& name, nb::handle value) {
      if (!extra.is_for(target))
        throw nb::type_error(fmt::format("{}: is a setting of {}; the target here is {}{}", name,
                                         plan::in_a_row(extra.owners),
                                         target == "guest" ? "a function" : target,
                                         target == "guest" && name == "data_batch"
                                             ? ": give it to from_rows or from_jax_rows"
                                             : "")
                                 .c_str());
      plan::Value typed = extra.setting.usual;
      std::visit([&](auto& field) { set(field, name, value); }, typed);
      recipe.extra[extra.setting.name] = typed;
    });
  if (used != settings.size())
    throw nb::type_error("a setting was given that no run has");
  return plan::resolve(
      recipe); // whether a function gives its log density is seen at its first call
}

/// Takes steps without the interpreter's lock; a tenth of a second apart it is asked for, to see
/// whether Ctrl-C was pressed and to tell how far it is. Ranks stop together, whichever of them is
/// asked to.
void take(Flight& flight, Step count, nb::object tell, nb::object ranks) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point last = Clock::now();
  const std::shared_ptr<mpi::Wire> wire = wire_over(ranks);
  const Away away;
  const auto ask = [&] {
    if (Clock::now() - last < std::chrono::milliseconds(100) && !leaving())
      return Signal::go_on;
    last = Clock::now();
    const nb::gil_scoped_acquire held;
    refuse_if_leaving();
    if (PyErr_CheckSignals() != 0)
      throw nb::python_error();
    if (tell.is_none())
      return Signal::go_on;
    const int answer = PyObject_IsTrue(nb::object(tell(flight.done())).ptr());
    if (answer < 0)
      throw nb::python_error();
    return answer ? Signal::stop : Signal::go_on;
  };
  if (!wire)
    return flight.take(count, ask);
  bool pressed = false; // Ctrl-C, here: whoever calls this lets it wait, since it must not come
                        // between what all ranks do
  const auto hear = [&] {
    const nb::gil_scoped_acquire held;
    pressed = nb::cast<bool>(ranks.attr("pressed"));
    if (pressed)
      ranks.attr("pressed") = false;
  };
  const auto end_if_pressed = [&] {
    if (!mpi::any(*wire, pressed))
      return;
    const nb::gil_scoped_acquire held;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    try {
      throw nb::python_error();
    } catch (...) {
      mpi::note_agreed(*wire, std::current_exception());
      throw;
    }
  };
  flight.take(count, [&] {
    Signal signal = Signal::go_on;
    mpi::run_and_agree(*wire, [&] {
      const bool asked = Clock::now() - last >= std::chrono::milliseconds(100);
      signal = ask();
      if (asked)
        hear();
    });
    end_if_pressed();
    return mpi::any(*wire, signal == Signal::stop) ? Signal::stop : Signal::go_on;
  });
  mpi::run_and_agree(*wire, hear); // steps may all have been taken before anybody asked
  end_if_pressed();
}

/// The plan that `make` makes, once all ranks have the same.
template <typename Make>
std::pair<std::shared_ptr<mpi::Wire>, plan::Plan> agreed(nb::handle ranks, Make&& make) {
  const std::shared_ptr<mpi::Wire> wire = wire_over(ranks);
  if (!wire || wire->size() == 1)
    return {wire, make()};
  std::optional<plan::Plan> plan;
  mpi::run_and_agree(*wire, [&] { plan = make(); });
  const cpu::Products products = cpu::products();
  mpi::same_everywhere(
      *wire, "build",
      fmt::format("{} for {}, {} for {}", version, cpu::level(), products.library, products.core));
  mpi::same_everywhere(*wire, "settings", assemble::identity_of_ranks(plan->recipe));
  if (plan->blocks < wire->size())
    plan::refuse("blocks", plan->blocks == 0
                               ? "this run has no blocks of rows, so it goes on with one rank alone"
                               : fmt::format("{} blocks are too few for {} ranks", plan->blocks,
                                             wire->size()));
  return {wire, *plan};
}

} // namespace

void add_flight(nb::module_& m) {
  const auto rows = [](std::vector<double> (Flight::*get)() const) {
    return [get](const Flight& f) {
      return array((f.*get)(), {f.settings().particles, f.names().size()});
    };
  };
  nb::class_<Flight>(m, "Flight")
      .def("take", &take, "count"_a, "tell"_a.none(), "ranks"_a.none())
      .def_prop_ro("done", &Flight::done)
      .def_prop_ro("total", &Flight::total)
      .def_prop_ro("over", &Flight::over)
      .def_prop_ro("stage", &Flight::stage) // empty where there is only one
      .def_prop_ro("names", &Flight::names)
      .def_prop_ro("positions", rows(&Flight::positions))
      .def_prop_ro("scores", rows(&Flight::scores))
      .def_prop_ro("drifts", rows(&Flight::drifts))
      .def_prop_ro("drift_size", &Flight::drift_size)
      .def_prop_ro("settings",
                   [](const Flight& f) {
                     return settings_of(assemble::read_identity(f.settings().identity, "flight"));
                   })
      .def_prop_ro("trace", [](const Flight& f) { return rows_of(f.trace()); })
      .def("save",
           [](const Flight& f) {
             const std::string bytes = run::pack(f.save());
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def(
          "keep",
          [](const Flight& f, nb::handle file) { run::write_checkpoint(bytes_of(file), f.save()); },
          "file"_a)
      .def(
          "outcome",
          [](Flight& f, bool measured) {
            const Away away;
            return f.outcome(measured);
          },
          "measured"_a);

  m.def(
      "begin",
      [](const std::string& target, const nb::dict& settings, std::uint64_t run,
         const assemble::Guest* guest, std::optional<Positions> start, nb::object ranks) {
        const auto [wire, plan] = agreed(ranks, [&] { return plan_from(target, settings); });
        const std::span<const double> positions =
            start ? std::span<const double>(start->data(), start->size())
                  : std::span<const double>();
        const Away away;
        return assemble::make_flight(plan, run, guest, positions, wire);
      },
      "target"_a, "settings"_a, "run"_a, "guest"_a.none(), "start"_a.none(), "ranks"_a.none());
  m.def("keep_state", [](nb::handle file, const nb::bytes& bytes) {
    run::write_checkpoint(bytes_of(file), run::unpack({bytes.c_str(), bytes.size()}, "state"));
  });
  m.def("particles_in", [](const nb::bytes& bytes, const std::string& where) {
    return run::saved(run::unpack({bytes.c_str(), bytes.size()}, where), where).particles;
  });
  m.def(
      "resume",
      [](const nb::bytes& bytes, const std::string& where, std::optional<std::uint64_t> steps,
         std::optional<std::uint64_t> threads, const assemble::Guest* guest, nb::handle given_model,
         bool trust, nb::object ranks) {
        const run::Checkpoint checkpoint = run::unpack({bytes.c_str(), bytes.size()}, where);
        Recipe recipe = assemble::recipe_in(checkpoint, where);
        if (steps && recipe.method == "auto")
          throw std::invalid_argument(
              "steps: a run in stages goes on to its own end; leave steps out to resume it");
        recipe.steps = steps.value_or(recipe.steps);
        recipe.threads = threads.value_or(recipe.threads);
        if ((recipe.target == "guest") != (guest != nullptr))
          throw io::BadData(
              where, guest ? "target: leave it out; the checkpoint is of a run of " + recipe.target
                           : std::string("target: give it again; the checkpoint is of a run of a "
                                         "function, which no file can keep"));
        // Code that a file names is loaded only if the caller names it too, or trusts the file.
        const std::string named = recipe.text_of("model"), model = bytes_of(given_model);
        if (!named.empty() && model.empty() && !trust)
          throw std::invalid_argument(
              fmt::format("target: {} names {}, which is code; give the target again, or "
                          "trust=True to load what it names",
                          where, named));
        if (!named.empty() && !model.empty())
          recipe.set("model", model);
        const auto [wire, plan] = agreed(ranks, [&] { return plan::resolve(recipe); });
        const Away away;
        return assemble::resume_flight(checkpoint, plan, where, guest, wire);
      },
      "state"_a, "where"_a, "steps"_a.none(), "threads"_a.none(), "guest"_a.none(), "model"_a,
      "trust"_a, "ranks"_a.none());
}

} // namespace starling::python
