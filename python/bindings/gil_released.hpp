// Work without the interpreter's lock (the GIL), and the interpreter's end.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

namespace starling::python {

/// Releases the lock while it lives. The interpreter waits for all of them before it ends: a thread
/// that took the lock of one that is gone would take the process with it.
class GilReleased {
  struct Counted {
    Counted();
    ~Counted();
  };
  Counted counted_; // first: until the lock is held again
  nanobind::gil_scoped_release released_;
};

/// A thread of ours that will ask for the lock: the interpreter waits for it, too. Made by who
/// starts it, so that it is counted from the beginning.
class CountedThread {
public:
  CountedThread();
  CountedThread(CountedThread&& other) noexcept : counts_(std::exchange(other.counts_, false)) {}
  ~CountedThread();

private:
  bool counts_ = true;
};

/// Throws SystemExit once the interpreter is ending; called with the lock held.
void throw_if_interpreter_ends();

/// True once it is; needs no lock.
bool interpreter_ends();

/// Makes the interpreter wait at its exit.
void wait_at_exit();

} // namespace starling::python
