// Targets that Python brings: a function over all particles, or the address of a C function.
#pragma once

#include "assemble/roles.hpp"

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace starling::python {

/// Called with the lock of the interpreter held, once per step: function(x) with x an (N, d) array
/// returns the scores, or (log densities, scores). Python keeps the function alive: a reference
/// from here would be hidden from its collector, and a function that knows its own run would never
/// go. `on_card` does the same for positions on a card; None: it cannot.
assemble::Guest guest_of(nanobind::handle function, std::size_t dim, std::vector<std::string> names,
                         nanobind::handle on_card);

/// Called without that lock: int(n, d, x, grad, logp, user) over all particles (`batched`), or
/// int(d, x, grad, logp, user) for one. Both return 0 when all is well.
assemble::Guest guest_at(std::uintptr_t address, bool batched, std::size_t dim,
                         std::vector<std::string> names);

/// One made of `rows` rows of data, called with the lock held: likelihood(x, rows, weights) returns
/// the sums over the given rows of weight times log likelihood, and their scores; prior(x) the same
/// of the prior, or None for a flat one; values(x, rows, weights) the sums alone, or None;
/// row_scores(x, rows) the scores of single rows at one position, or None. Kept alive as above.
assemble::Guest guest_of_rows(nanobind::handle likelihood, nanobind::handle prior,
                              nanobind::handle values, nanobind::handle row_scores,
                              std::size_t rows, std::uint64_t data_batch, std::size_t dim,
                              std::vector<std::string> names);

} // namespace starling::python
