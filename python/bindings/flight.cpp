// Runs under way: begun from settings or from a state, stepped without the interpreter's lock.
#include "gil_released.hpp"
#include "parts.hpp"
#include "user_target.hpp"
#include "wire.hpp"

#include "io/errors.hpp"
#include "mpi/agreement.hpp"
#include "plan/names.hpp"
#include "plan/plan.hpp"
#include "plan/spec.hpp"

#include <starling/cpu/level.hpp>
#include <starling/cpu/products.hpp>
#include <starling/run/fly.hpp>
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
  } else if constexpr (requires { field.emplace(); }) {
    set(field.emplace(), name, value);
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
  plan::for_each_field(recipe, [&](const plan::FieldInfo& info, auto& field) {
    with(info.name, [&](const std::string& name, nb::handle value) { set(field, name, value); });
  });
  for (const plan::TableSetting& extra : plan::table_settings())
    with(extra.setting.name, [&](const std::string& name, nb::handle value) {
      if (!extra.is_for(target))
        throw nb::type_error(fmt::format("{}: is a setting of {}; the target here is {}{}", name,
                                         plan::list_words(extra.owners),
                                         target == "guest" ? "a function" : target,
                                         target == "guest" && name == "data_batch"
                                             ? ": give it to from_rows or from_jax_rows"
                                             : "")
                                 .c_str());
      plan::Value typed = extra.setting.default_value;
      std::visit([&](auto& field) { set(field, name, value); }, typed);
      recipe.extra[extra.setting.name] = typed;
    });
  if (used != settings.size())
    throw nb::type_error("a setting is not known");
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
  const GilReleased released;
  const auto ask = [&] {
    if (Clock::now() - last < std::chrono::milliseconds(100) && !interpreter_ends())
      return Signal::go_on;
    last = Clock::now();
    const nb::gil_scoped_acquire held;
    throw_if_interpreter_ends();
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
    pressed = nb::cast<bool>(ranks.attr("interrupt_pending"));
    if (pressed)
      ranks.attr("interrupt_pending") = false;
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
                               ? "this run has no blocks, so it continues on one rank only"
                               : fmt::format("{} blocks are too few for {} ranks", plan->blocks,
                                             wire->size()));
  return {wire, *plan};
}

/// The flight that `make` makes without the interpreter's lock, owner of what its target calls.
template <typename Make>
nb::object owned(nb::handle user_target, Make&& make) {
  const assemble::UserTarget* const given = target_in(user_target);
  std::unique_ptr<Flight> flight;
  {
    const GilReleased released;
    flight = make(given);
  }
  nb::object made = nb::cast(std::move(flight));
  own_functions(made, user_target);
  return made;
}

} // namespace

void add_flight(nb::module_& m) {
  const auto rows = [](std::vector<double> (Flight::*get)() const) {
    return [get](const Flight& f) {
      return array((f.*get)(), {f.settings().particles, f.names().size()});
    };
  };
  nb::class_<Flight>(m, "Flight", nb::dynamic_attr()) // for the functions of its target
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
          [](Flight& f, bool interrupted) {
            const GilReleased released;
            run::Outcome outcome = f.outcome(true);
            if (outcome.stages)
              outcome.scores = f.scores();
            if (interrupted)
              run::mark_interrupted(outcome);
            return outcome;
          },
          "interrupted"_a);

  m.def(
      "begin",
      [](const std::string& target, const nb::dict& settings, std::uint64_t run,
         nb::object user_target, std::optional<Positions> start, nb::object ranks) {
        const auto [wire, plan] = agreed(ranks, [&] { return plan_from(target, settings); });
        const std::span<const double> positions =
            start ? std::span<const double>(start->data(), start->size())
                  : std::span<const double>();
        return owned(user_target, [&, &wire = wire, &plan = plan](const auto* given) {
          return assemble::make_flight(plan, run, given, positions, wire);
        });
      },
      "target"_a, "settings"_a, "run"_a, "user_target"_a.none(), "start"_a.none(),
      "ranks"_a.none());
  m.def("keep_state", [](nb::handle file, const nb::bytes& bytes) {
    run::write_checkpoint(bytes_of(file), run::unpack({bytes.c_str(), bytes.size()}, "state"));
  });
  m.def("particles_in", [](const nb::bytes& bytes, const std::string& where) {
    return run::saved(run::unpack({bytes.c_str(), bytes.size()}, where), where).particles;
  });
  m.def(
      "resume",
      [](const nb::bytes& bytes, const std::string& where, std::optional<std::uint64_t> steps,
         std::optional<std::uint64_t> threads, nb::object user_target, nb::handle given_model,
         bool trust, nb::object ranks) {
        const run::Checkpoint checkpoint = run::unpack({bytes.c_str(), bytes.size()}, where);
        Recipe recipe = assemble::recipe_in(checkpoint, where);
        if (steps && recipe.method == "auto")
          throw std::invalid_argument(
              "steps: a run of method='auto' chooses them itself; remove steps to resume it");
        recipe.steps = steps.value_or(recipe.steps);
        recipe.threads = threads.value_or(recipe.threads);
        if ((recipe.target == "guest") == user_target.is_none())
          throw io::BadData(
              where, !user_target.is_none()
                         ? "target: leave it out; the checkpoint is of a run of " + recipe.target
                         : std::string("target: give it again; the checkpoint is of a run of a "
                                       "function, which a file cannot hold"));
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
        return owned(user_target, [&, &wire = wire, &plan = plan](const auto* given) {
          return assemble::resume_flight(checkpoint, plan, where, given, wire);
        });
      },
      "state"_a, "where"_a, "steps"_a.none(), "threads"_a.none(), "user_target"_a.none(), "model"_a,
      "trust"_a, "ranks"_a.none());
}

} // namespace starling::python
