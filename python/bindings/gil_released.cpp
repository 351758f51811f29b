// Counting threads that work without the interpreter's lock, and waiting for them at its exit.
#include "gil_released.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <pthread.h>

namespace starling::python {

namespace nb = nanobind;

namespace {

std::atomic<int> without_lock{0};
thread_local int of_this_thread = 0; // of those
std::atomic<bool> ending{false};
std::atomic<bool> lost{false}; // a run is held by a thread that will never come back

constexpr auto patience = std::chrono::seconds(10); // for a function that hangs, no longer

void wait_for_all() {
  ending = true;
  const nb::gil_scoped_release released; // they need it to come back
  const auto until = std::chrono::steady_clock::now() + patience;
  while (without_lock > 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (without_lock > 0 || lost) // nobody can free what such a thread holds: that is no leak of ours
    nb::set_leak_warnings(false);
}

/// In a forked process there is only the thread that forked: nobody waits for the others.
void forget_other_threads() {
  lost = lost || without_lock > of_this_thread;
  without_lock = of_this_thread;
}

} // namespace

GilReleased::Counted::Counted() {
  ++without_lock;
  ++of_this_thread;
}
GilReleased::Counted::~Counted() {
  --without_lock;
  --of_this_thread;
}

CountedThread::CountedThread() { ++without_lock; }
CountedThread::~CountedThread() {
  if (counts_)
    --without_lock;
}

bool interpreter_ends() { return ending; }

void throw_if_interpreter_ends() {
  if (!ending)
    return;
  PyErr_SetString(PyExc_SystemExit, "Python is ending, so the run was stopped");
  throw nb::python_error();
}

void wait_at_exit() {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&wait_for_all));
  pthread_atfork(nullptr, nullptr, &forget_other_threads);
}

} // namespace starling::python
