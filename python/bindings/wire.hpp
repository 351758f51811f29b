// Ranks of a run that Python started, over a communicator of mpi4py.
#pragma once

#include "mpi/wire.hpp"

#include <nanobind/nanobind.h>

#include <memory>

namespace starling::python {

/// `ranks` is a starling.ranks.Ranks, which has one wire; nullptr for None. What it raises comes
/// through as it is.
std::shared_ptr<mpi::Wire> wire_over(nanobind::handle ranks);

} // namespace starling::python
