// Targets that Python brings: functions over all particles or over rows of data, C functions.
#pragma once

#include "assemble/roles.hpp"

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace starling::python {

/// Each of these returns a UserTarget that owns the functions it calls, as its attribute
/// `functions`; a flight that is made with it owns them too (own_functions). The closures of the
/// engine borrow them from there. So they live as long as anything can call them, and Python's
/// collector sees every reference: a function that knows its own run is collected with it.

/// Called with the lock of the interpreter held, once per step: function(x) with x an (N, d) array
/// returns the scores, or (log densities, scores). `on_card` does the same for positions on a card;
/// None: it cannot. `few_sizes`: what it does there is compiled for each number of rows;
/// `single_on_card`: it takes numbers in single precision alone there. `loop_of(dim, single,
/// block, device)` is asked for a Loop that computes the same without Python: on the GPU of that
/// number, or where it computes by itself for None; with that many rows in a block if that is a
/// GPU. It may answer None, and be None.
nanobind::object target_of_function(nanobind::object function, std::size_t dim,
                                    std::vector<std::string> names, nanobind::object on_card,
                                    bool few_sizes, bool single_on_card, nanobind::object loop_of);

/// Called without that lock: int(n, d, x, grad, logp, user) over all particles (`batched`), or
/// int(d, x, grad, logp, user) for one. Both return 0 when all is well. `code` is the object that
/// the address is of.
nanobind::object target_at_address(std::uintptr_t address, bool batched, std::size_t dim,
                                   std::vector<std::string> names, nanobind::object code);

/// One made of `rows` rows of data, called with the lock held: likelihood(x, rows, weights) returns
/// the sums over the given rows of weight times log likelihood, and their scores; prior(x) the same
/// of the prior, or None for a flat one; values(x, rows, weights) the sums alone, or None;
/// row_scores(x, rows) the scores of single rows at one position, or None. `on_card`: these
/// functions compute on a card by themselves.
nanobind::object target_of_rows(nanobind::object likelihood, nanobind::object prior,
                                nanobind::object values, nanobind::object row_scores,
                                std::size_t rows, std::uint64_t data_batch, std::size_t dim,
                                std::vector<std::string> names, bool on_card);

/// Lets a UserTarget make draws of positions: function(x) with x an (N, d) array returns an
/// (N, K) array, a column for each of the K names. Called with the lock held.
void constrain_by(nanobind::object user_target, std::vector<std::string> names,
                  nanobind::object function);

/// A target as an object of Python's that owns these functions.
nanobind::object owning(assemble::UserTarget target, nanobind::tuple functions);

/// Lets a flight own what its target calls. The target may be None.
void own_functions(nanobind::handle flight, nanobind::handle user_target);

/// What the engine takes: null for None.
const assemble::UserTarget* target_in(nanobind::handle user_target);

/// The class UserTarget, and the functions above.
void add_user_target(nanobind::module_& m);

} // namespace starling::python
