// Work without the interpreter's lock, and the interpreter's end.
#pragma once

#include <nanobind/nanobind.h>

namespace starling::python {

/// Gives the lock away while it lives. The interpreter waits for all of them before it ends: a
/// thread that came back to one that is gone would take the process with it.
class Away {
  struct Counted {
    Counted();
    ~Counted();
  };
  Counted counted_; // first: until the lock is held again
  nanobind::gil_scoped_release released_;
};

/// Throws what Python understands once the interpreter is ending; asked with the lock held.
void refuse_if_leaving();

/// True once it is; needs no lock.
bool leaving();

/// Tells the interpreter to wait.
void add_leaving();

} // namespace starling::python
