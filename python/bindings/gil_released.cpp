// Counting threads that work without the interpreter's lock, and waiting for them at its exit.
#include "gil_released.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace starling::python {

namespace nb = nanobind;

namespace {

std::atomic<int> without_lock{0};
std::atomic<bool> ending{false};

constexpr auto patience = std::chrono::seconds(10); // for a function that hangs, no longer

void wait_for_all() {
  ending = true;
  const nb::gil_scoped_release released; // they need it to come back
  const auto until = std::chrono::steady_clock::now() + patience;
  while (without_lock > 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (without_lock > 0) // a function that hangs holds its run for ever: no fault of ours
    nb::set_leak_warnings(false);
}

} // namespace

GilReleased::Counted::Counted() { ++without_lock; }
GilReleased::Counted::~Counted() { --without_lock; }

bool interpreter_ends() { return ending; }

void throw_if_interpreter_ends() {
  if (!ending)
    return;
  PyErr_SetString(PyExc_SystemExit, "the interpreter is ending, and the run with it");
  throw nb::python_error();
}

void wait_at_exit() {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&wait_for_all));
}

} // namespace starling::python
