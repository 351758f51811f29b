// The tables of choices as Python reads them: constructors, signatures and help are made from
// these.
#include "parts.hpp"

#include "plan/kernel_text.hpp"
#include "plan/tables.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <variant>

namespace starling::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

nb::object number_or_none(double value) {
  return std::isfinite(value) ? nb::object(nb::float_(value)) : nb::none();
}

nb::dict setting_of(const plan::Setting& setting) {
  nb::dict one;
  one["name"] = setting.name;
  one["help"] = setting.help;
  std::visit(
      [&](const auto& usual) {
        if constexpr (std::is_same_v<std::decay_t<decltype(usual)>, std::string>)
          one["usual"] = text_of(usual);
        else
          one["usual"] = usual;
      },
      setting.default_value);
  one["low"] = number_or_none(setting.range.low);
  one["high"] = number_or_none(setting.range.high);
  const bool bounded = std::isfinite(setting.range.low) || std::isfinite(setting.range.high);
  one["range"] = bounded ? setting.range.in_words() : std::string();
  one["words"] = setting.words;
  return one;
}

template <typename Entry>
nb::dict named(const Entry& entry) {
  nb::dict one;
  one["name"] = entry.name;
  one["help"] = entry.help;
  nb::list settings;
  if constexpr (requires { entry.settings; })
    for (const plan::Setting& setting : entry.settings)
      settings.append(setting_of(setting));
  one["settings"] = settings;
  if constexpr (requires { entry.starts; })
    one["starts"] = entry.starts;
  return one;
}

template <typename Entries>
nb::list listed(const Entries& entries) {
  nb::list list;
  for (const auto& entry : entries)
    list.append(named(entry));
  return list;
}

} // namespace

void add_tables(nb::module_& m) {
  m.def("tables", [] { // {"kernels": [{name, help, settings: [{name, usual, help, low, high, range,
                       // words}]}], ...}
    nb::dict tables;
    tables["kernels"] = listed(plan::kernels());
    tables["rules"] = listed(plan::rules());
    tables["targets"] = listed(plan::targets());
    tables["dealers"] = listed(plan::dealers());
    return tables;
  });
  m.def(
      "check_kernel", [](nb::handle text) { plan::parse_kernel(bytes_of(text)); }, "text"_a);
  m.def(
      "check_setting", // of a step rule or a target: in its kind and range
      [](const std::string& table, const std::string& entry, const std::string& name,
         nb::handle value) {
        const auto look = [&](const auto& entries) {
          for (const auto& one : entries)
            for (plan::Setting setting : one.settings)
              if (one.name == entry && setting.name == name) {
                const plan::Value typed = plan::parse(setting, bytes_of(nb::str(value)));
                plan::check(setting, typed);
              }
        };
        table == "rules" ? look(plan::rules()) : look(plan::targets());
      },
      "table"_a, "entry"_a, "name"_a, "value"_a);
}

} // namespace starling::python
