// From a plan to a run under way: begun, or where a checkpoint left it.
#pragma once

#include "assemble/identity.hpp"
#include "assemble/roles.hpp"
#include "mpi/wire.hpp"

#include <starling/run/flight.hpp>

#include <memory>
#include <span>
#include <string>

namespace starling::assemble {

/// At its start: the plan's, or, where that is "given", the positions. `run` is which of its runs.
/// A start that is positions, given or from a file, enters the seed of all that is dealt
/// (run::continued_seed). Over a wire all ranks call this alike, and the plan must have blocks;
/// none is a wire of one rank.
std::unique_ptr<run::Flight> make_flight(const plan::Plan& plan, std::uint64_t run = 0,
                                         const UserTarget* user_target = nullptr,
                                         std::span<const double> positions = {},
                                         const std::shared_ptr<mpi::Wire>& wire = {});

/// Where the checkpoint left it. `plan` is that of the checkpoint, but for steps and threads.
/// Throws io::BadData that names `where` when the two do not fit.
std::unique_ptr<run::Flight> resume_flight(const run::Checkpoint& checkpoint,
                                           const plan::Plan& plan, const std::string& where,
                                           const UserTarget* user_target = nullptr,
                                           const std::shared_ptr<mpi::Wire>& wire = {});

} // namespace starling::assemble
