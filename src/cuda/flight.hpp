// A run whose steps are taken on a device, behind the interface of any run.
#pragma once

#include "cuda/cloud.hpp"

#include <starling/run/flight.hpp>

#include <memory>

namespace starling::cuda {

/// Looks, checkpoints and outcomes are the host's own: `roles` are those of the same run there.
template <typename Real>
std::unique_ptr<run::Flight> begin(std::shared_ptr<Machine> machine, RunSpec<Real> spec,
                                   run::Roles<Real> roles, const run::Settings& settings,
                                   const std::function<void(Rows<Real>)>& start);

/// Where a checkpoint left it, whichever device wrote it. Throws io::BadData that names `where`.
template <typename Real>
std::unique_ptr<run::Flight> resume(std::shared_ptr<Machine> machine, RunSpec<Real> spec,
                                    run::Roles<Real> roles, const run::Settings& settings,
                                    const run::Checkpoint& checkpoint, const std::string& where);

} // namespace starling::cuda
