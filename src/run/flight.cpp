// What all flights have, and raw runs whose particles are here.
#include <starling/run/flight.hpp>

#include "run/particles_on_host.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace starling::run {

void Flight::save_to(const std::filesystem::path& file, const std::string& note) const {
  write_checkpoint(file, save(note));
}

bool Flight::finite() const {
  return std::ranges::all_of(positions(), [](double x) { return std::isfinite(x); });
}

Outcome Flight::outcome(bool measured) {
  Outcome o;
  o.settings = settings_;
  o.names = names();
  o.threads = threads_;
  o.warnings = warnings_;
  o.steps_done = done_;
  o.seconds = seconds_;
  o.trace = trace_;
  report(measured, o);
  if (o.positions.empty())
    o.positions = positions();
  if (late_warnings_)
    std::ranges::move(late_warnings_(), std::back_inserter(o.warnings));
  return o;
}

template <typename Real>
std::unique_ptr<Flight> begin(Roles<Real> roles, const Settings& settings,
                              const std::function<void(Rows<Real>)>& start) {
  return begin_in<ParticlesOnHost<Real>>(std::move(roles), settings, start);
}

template <typename Real>
std::unique_ptr<Flight> resume(Roles<Real> roles, const Settings& settings,
                               const Checkpoint& checkpoint, const std::string& where) {
  return resume_in<ParticlesOnHost<Real>>(std::move(roles), settings, checkpoint, where);
}

template std::unique_ptr<Flight> begin(Roles<double>, const Settings&,
                                       const std::function<void(Rows<double>)>&);
template std::unique_ptr<Flight> begin(Roles<float>, const Settings&,
                                       const std::function<void(Rows<float>)>&);
template std::unique_ptr<Flight> resume(Roles<double>, const Settings&, const Checkpoint&,
                                        const std::string&);
template std::unique_ptr<Flight> resume(Roles<float>, const Settings&, const Checkpoint&,
                                        const std::string&);

} // namespace starling::run
