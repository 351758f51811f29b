// A target whose rows the ranks share out: everyone asks for all rows, and has them all in the end.
#pragma once

#include "mpi/wire.hpp"

#include <starling/run/roles.hpp>

#include <memory>

namespace starling::mpi {

/// Scores and log densities are asked for block by block, each block by the rank that holds it, and
/// gathered. Blocks are a fixed number, whatever the ranks are, so a target that treats its rows
/// together (matrix products) gives the same bits on any ranks. All else of the target is asked on
/// every rank alike.
template <typename Real>
run::AnyTarget<Real> shared_target(run::AnyTarget<Real> target, std::shared_ptr<Wire> wire,
                                   std::size_t blocks);

} // namespace starling::mpi
