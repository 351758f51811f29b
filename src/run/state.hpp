// The state of a run to a checkpoint and back.
#pragma once

#include <starling/ensemble.hpp>
#include <starling/run/flight.hpp>

#include <string>

namespace starling::run {

/// All of a state but the columns of the ensemble.
struct Head {
  Saved saved;
  bool settled = false;
  std::size_t memories = 0; ///< columns that the step rule keeps
  Timing seconds;
  std::vector<judge::TraceRow> trace;
};

/// A checkpoint with that head and no columns of the ensemble yet.
Checkpoint with_head(const Head& head);
/// Throws io::BadData that names `where` unless head and columns fit each other: nothing is
/// allocated by a number that the columns do not bear out.
Head read_head(const Checkpoint& checkpoint, const std::string& where);

/// The same, unless it is of another run, or of other rows.
Head read_head_for(const Settings& settings, std::size_t dim, bool single,
                   const Checkpoint& checkpoint, const std::string& where);

/// "is not of 100 particles in 2 dimensions, in double precision: its column 'position' does not
/// fit".
[[noreturn]] void refuse_other_shape(const std::string& where, std::size_t particles,
                                     std::size_t dim, bool single, const std::string& column);

/// visit(name, values) for each column that outlives a step.
template <typename AnyEnsemble, typename Visit>
void for_each_saved(AnyEnsemble& particles, Visit&& visit) {
  const auto flat = [](auto rows) { return std::span(rows.data, rows.size()); };
  visit("position", flat(particles.position()));
  for (std::size_t c = 0; c < particles.memories(); ++c)
    visit("memory " + std::to_string(c), flat(particles.memory(c)));
  visit("moves", particles.moves());
  visit("id", particles.id());
}

template <typename Real>
void save_columns(const Ensemble<Real>& particles, Checkpoint& checkpoint) {
  for_each_saved(particles,
                 [&](std::string name, auto values) { checkpoint.add(std::move(name), values); });
}

/// The head has been read, so every column is as it must be.
template <typename Real>
void restore_columns(const Checkpoint& checkpoint, const std::string& where, std::size_t memories,
                     Ensemble<Real>& particles) {
  particles.remember(memories);
  for_each_saved(particles, [&](const std::string& name, auto values) {
    if (!checkpoint.take(name, values))
      refuse_other_shape(where, particles.count(), particles.dim(), sizeof(Real) == 4, name);
  });
}

} // namespace starling::run
