// The Python module _starling: recipes, flights and outcomes as they are, for the package to dress.
#include "assemble/processor.hpp"
#include "block_queue.hpp"
#include "gil_released.hpp"
#include "on_card.hpp"
#include "parts.hpp"
#include "user_target.hpp"

#include "foreign/compile_stan.hpp"
#include "foreign/library.hpp"
#include "io/errors.hpp"
#include "plan/config.hpp"
#include "plan/names.hpp"
#include "plan/tables.hpp"

#include <starling/cpu/level.hpp>
#include <starling/version.hpp>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace starling::python {

namespace nb = nanobind;
using namespace nb::literals;

nb::object array(std::vector<double> values, std::vector<std::size_t> shape) {
  auto* kept = new std::vector<double>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, double>(kept->data(), shape.size(), shape.data(), owner));
}

std::string bytes_of(nb::handle text) {
  PyObject* encoded = nullptr;
  if (!PyUnicode_FSConverter(text.ptr(), &encoded))
    throw nb::python_error();
  const nb::bytes bytes = nb::steal<nb::bytes>(encoded);
  return {bytes.c_str(), bytes.size()};
}

nb::object text_of(const std::string& bytes) {
  PyObject* text =
      PyUnicode_DecodeFSDefaultAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size()));
  if (!text)
    throw nb::python_error();
  return nb::steal(text);
}

nb::dict settings_of(const plan::Recipe& recipe) {
  nb::dict settings;
  settings["target"] = recipe.target;
  const bool open = recipe.method.empty(), staged = recipe.method == "auto";
  const auto set = [&](std::string name, const auto& value) {
    std::replace(name.begin(), name.end(), '-', '_');
    using Kind = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_same_v<Kind, std::string>)
      settings[name.c_str()] = text_of(value);
    else if constexpr (requires { value.has_value(); }) {
      if (value)
        settings[name.c_str()] = *value;
    } else if (fmt::format("{}", value) == fmt::format("{}", plan::undecided)) {
      if (open) // of a run that was planned what is not there was not asked for
        settings[name.c_str()] = nb::none();
    } else
      settings[name.c_str()] = value;
  };
  const plan::Recipe untouched;
  plan::for_each_pair(recipe, untouched,
                      [&](const plan::FieldInfo& info, const auto& field, const auto& not_given) {
                        const bool of_stages = info.group == "Stages" && info.name != "method";
                        if (open || !(of_stages ? !staged && field == not_given
                                                : staged && info.raw &&
                                                      field == not_given)) // as config.toml has it
                          set(info.name, field);
                      });
  for (const auto& extra : recipe.extra)
    std::visit([&](const auto& one) { set(extra.first, one); }, extra.second);
  return settings;
}

nb::list rows_of(const std::vector<judge::TraceRow>& trace) {
  nb::list rows;
  for (const judge::TraceRow& row : trace) {
    nb::dict one;
    judge::for_each_column(row, [&](const char* name, const auto& value) {
      if constexpr (requires { judge::word(*value); })
        one[name] = value ? judge::word(*value) : "";
      else
        one[name] = value;
    });
    rows.append(one);
  }
  return rows;
}

namespace {

void add_errors(nb::module_& m) {
  // Never let go: the destructor of a static object would run after the interpreter is gone.
  static PyObject* const target_error =
      PyErr_NewException("starling.TargetError", PyExc_ValueError, nullptr);
  static PyObject* const diverged =
      PyErr_NewException("starling.Diverged", PyExc_ArithmeticError, nullptr);
  m.attr("TargetError") = nb::borrow(target_error);
  m.attr("Diverged") = nb::borrow(diverged);
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const TargetError& error) {
      PyErr_SetString(target_error, error.what());
    } catch (const Diverged& error) {
      PyErr_SetString(diverged, error.what());
    } catch (const plan::BadConfig& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const io::BadData& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const foreign::BadLibrary& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    } catch (
        const io::FileError& error) { // with its errno: FileNotFoundError, FileExistsError, ...
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
  assemble::multiply_for_this_processor();
  wait_at_exit();
  add_errors(m);
  add_user_target(m);
  add_block_queue(m);
  add_on_card(m);
  add_flight(m);
  add_function_flight(m);
  add_outcome(m);
  add_tables(m);
  m.def("is_stan_program",
        [](nb::handle file) { return foreign::is_stan_program(bytes_of(file)); });
  m.def(
      "compile_stan", // (library, data)
      [](nb::handle program, nb::handle data, nb::handle python) {
        const std::string file = bytes_of(program), given = bytes_of(data), with = bytes_of(python);
        foreign::CompiledStan made;
        {
          const GilReleased released;
          made = foreign::compile_stan(file, given, with);
        }
        return nb::make_tuple(text_of(made.library), text_of(made.data));
      },
      "program"_a, "data"_a, "python"_a);
  m.def("defaults", [] { return settings_of(plan::with_defaults({})); });
  m.def("helps", [] {
    nb::dict helps;
    const auto add = [&](std::string name, const std::string& group, const std::string& help) {
      std::replace(name.begin(), name.end(), '-', '_');
      helps[name.c_str()] = nb::make_tuple(group, help);
    };
    for (const plan::FieldInfo& info : plan::field_infos())
      add(info.name, info.group, info.help);
    for (const plan::TableSetting& extra : plan::table_settings())
      add(extra.setting.name, plan::list_words(extra.owners), extra.setting.help);
    return helps;
  });
  m.def("raw_settings", [] { // those that only the raw method has
    std::vector<std::string> names;
    for (const plan::FieldInfo& info : plan::field_infos())
      if (info.raw) {
        names.push_back(info.name);
        std::replace(names.back().begin(), names.back().end(), '-', '_');
      }
    return names;
  });
  m.attr("version") = std::string(version);
  m.def("simd_level", [] { return std::string(cpu::level()); });
}
