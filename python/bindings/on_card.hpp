// Targets that Python brings for a card: a function over arrays that lie there.
#pragma once

#include "cuda/outside.hpp"

#include <nanobind/nanobind.h>

#include <atomic>
#include <functional>
#include <memory>

namespace starling::python {

/// Called with the lock of the interpreter held, once per step: function(x), with x an OnCard,
/// returns scores, or (log densities, scores), as arrays that lie on the same card. Kept alive by
/// Python, as target_of_function has it. `has_density` learns whether it returns log densities,
/// when they are asked for. `from_host`: what computes rows of the host there without it.
using FromHost = std::function<cuda::RowsFromHost(const std::shared_ptr<cuda::Machine>&)>;

template <typename Real>
std::shared_ptr<const cuda::Outside<Real>> on_card(nanobind::handle function, bool few_sizes,
                                                   std::shared_ptr<std::atomic<bool>> has_density,
                                                   FromHost from_host);

/// The class OnCard: positions on a card, which any array library takes by DLPack, while the call
/// lasts.
void add_on_card(nanobind::module_& m);

} // namespace starling::python
