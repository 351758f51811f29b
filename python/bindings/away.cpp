// Counting those who are away.
#include "away.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace starling::python {

namespace nb = nanobind;

namespace {

std::atomic<int> away{0};
std::atomic<bool> ending{false};

constexpr auto patience = std::chrono::seconds(10); // for a function that hangs, no longer

void wait_for_all() {
  ending = true;
  const nb::gil_scoped_release released; // they need it to come back
  const auto until = std::chrono::steady_clock::now() + patience;
  while (away > 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

} // namespace

Away::Counted::Counted() { ++away; }
Away::Counted::~Counted() { --away; }

bool leaving() { return ending; }

void refuse_if_leaving() {
  if (!ending)
    return;
  PyErr_SetString(PyExc_SystemExit, "the interpreter is ending, and the run with it");
  throw nb::python_error();
}

void add_leaving() {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&wait_for_all));
}

} // namespace starling::python
