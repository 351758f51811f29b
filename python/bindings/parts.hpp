// The parts of the module, and what they share.
#pragma once

#include "assemble/flight.hpp"

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace starling::python {

/// The numbers of a vector as an array that owns them.
nanobind::object array(std::vector<double> values, std::vector<std::size_t> shape);

/// A text as the system has it, and the way back: Python's surrogates stand for bytes that are no
/// UTF-8, such as paths may have. A path of any kind (str, bytes, os.PathLike) is taken.
std::string bytes_of(nanobind::handle text);
nanobind::object text_of(const std::string& bytes);

/// Every field of a recipe by its name on the command line, with _ for -.
nanobind::dict settings_of(const plan::Recipe& recipe);

/// A dictionary for each look.
nanobind::list rows_of(const std::vector<judge::TraceRow>& trace);

void add_flight(nanobind::module_& m);
void add_function_flight(nanobind::module_& m);
void add_outcome(nanobind::module_& m);
void add_tables(nanobind::module_& m);

} // namespace starling::python
