// Scores that cards make, shared out: each rank's card holds the whole cloud and scores its own
// blocks of rows.
#pragma once

#include "cuda/outside.hpp"
#include "mpi/wire.hpp"

#include <memory>

namespace starling::assemble {

/// What mpi::shared_target is on the host: the same scores, asked for block by block, each block by
/// the rank that holds it, and brought to the cards of all. A failure on one rank is thrown on all.
template <typename Real>
std::shared_ptr<const cuda::Outside<Real>>
shared_on_card(std::shared_ptr<const cuda::Outside<Real>> there, std::shared_ptr<mpi::Wire> wire,
               std::size_t blocks);

} // namespace starling::assemble
