// Raw runs whose steps a card takes.
#include "cuda/flight.hpp"

#include "cuda/particles_on_card.hpp"

#include <utility>

namespace starling::cuda {

template <typename Real>
std::unique_ptr<run::Flight> begin(std::shared_ptr<Machine> machine, RunSpec<Real> spec,
                                   run::Roles<Real> roles, const run::Settings& settings,
                                   const std::function<void(Rows<Real>)>& start) {
  return run::begin_in<ParticlesOnCard<Real>>(std::move(roles), settings, start, std::move(machine),
                                              std::move(spec));
}

template <typename Real>
std::unique_ptr<run::Flight> resume(std::shared_ptr<Machine> machine, RunSpec<Real> spec,
                                    run::Roles<Real> roles, const run::Settings& settings,
                                    const run::Checkpoint& checkpoint, const std::string& where) {
  return run::resume_in<ParticlesOnCard<Real>>(std::move(roles), settings, checkpoint, where,
                                               std::move(machine), std::move(spec));
}

template std::unique_ptr<run::Flight> begin(std::shared_ptr<Machine>, RunSpec<double>,
                                            run::Roles<double>, const run::Settings&,
                                            const std::function<void(Rows<double>)>&);
template std::unique_ptr<run::Flight> begin(std::shared_ptr<Machine>, RunSpec<float>,
                                            run::Roles<float>, const run::Settings&,
                                            const std::function<void(Rows<float>)>&);
template std::unique_ptr<run::Flight> resume(std::shared_ptr<Machine>, RunSpec<double>,
                                             run::Roles<double>, const run::Settings&,
                                             const run::Checkpoint&, const std::string&);
template std::unique_ptr<run::Flight> resume(std::shared_ptr<Machine>, RunSpec<float>,
                                             run::Roles<float>, const run::Settings&,
                                             const run::Checkpoint&, const std::string&);

} // namespace starling::cuda
