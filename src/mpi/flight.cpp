// Raw runs whose rows are spread over ranks.
#include "mpi/flight.hpp"

#include "mpi/particles_on_ranks.hpp"

#include <utility>

namespace starling::mpi {

template <typename Real>
std::unique_ptr<run::Flight> begin(RunSpec<Real> spec, run::Roles<Real> roles,
                                   const run::Settings& settings,
                                   const std::function<void(Rows<Real>, std::size_t)>& start) {
  return run::begin_in<ParticlesOnRanks<Real>>(std::move(roles), settings, start, std::move(spec));
}

template <typename Real>
std::unique_ptr<run::Flight> resume(RunSpec<Real> spec, run::Roles<Real> roles,
                                    const run::Settings& settings,
                                    const run::Checkpoint& checkpoint, const std::string& where) {
  return run::resume_in<ParticlesOnRanks<Real>>(std::move(roles), settings, checkpoint, where,
                                                std::move(spec));
}

template std::unique_ptr<run::Flight> begin(RunSpec<double>, run::Roles<double>,
                                            const run::Settings&,
                                            const std::function<void(Rows<double>, std::size_t)>&);
template std::unique_ptr<run::Flight> begin(RunSpec<float>, run::Roles<float>, const run::Settings&,
                                            const std::function<void(Rows<float>, std::size_t)>&);
template std::unique_ptr<run::Flight> resume(RunSpec<double>, run::Roles<double>,
                                             const run::Settings&, const run::Checkpoint&,
                                             const std::string&);
template std::unique_ptr<run::Flight> resume(RunSpec<float>, run::Roles<float>,
                                             const run::Settings&, const run::Checkpoint&,
                                             const std::string&);

} // namespace starling::mpi
