// The state of a run to a checkpoint and back.
#pragma once

#include "run/flight.hpp"
#include "io/errors.hpp"

#include <starling/ensemble.hpp>

#include <fmt/format.h>

namespace starling::run {

/// All of a state but the columns of the ensemble.
struct Head {
  plan::Recipe recipe;
  std::uint64_t run = 0;
  Step done = 0;
  bool settled = false;
  std::size_t memories = 0; ///< columns that the step rule keeps
  Timing seconds;
  std::vector<judge::TraceRow> trace;
  std::string note;
};

std::string write_head(const Head& head);
/// Throws io::BadData that names `where`.
Head read_head(const io::Checkpoint& checkpoint, const std::string& where);

/// visit(name, values) for each column that outlives a step.
template <typename AnyEnsemble, typename Visit>
void for_each_saved(AnyEnsemble& particles, Visit&& visit) {
  const auto flat = [](auto rows) { return std::span(rows.data, rows.size()); };
  visit("position", flat(particles.position()));
  for (std::size_t c = 0; c < particles.memories(); ++c)
    visit(fmt::format("memory {}", c), flat(particles.memory(c)));
  visit("moves", particles.moves());
  visit("id", particles.id());
}

template <typename Real>
void save_columns(const Ensemble<Real>& particles, io::Checkpoint& checkpoint) {
  for_each_saved(particles, [&](std::string name, auto values) { checkpoint.add(std::move(name), values); });
}

template <typename Real>
void restore_columns(const io::Checkpoint& checkpoint, const std::string& where,
                     std::size_t memories, Ensemble<Real>& particles) {
  particles.remember(memories);
  for_each_saved(particles, [&](const std::string& name, auto values) {
    if (!checkpoint.take(name, values))
      throw io::BadData(where, fmt::format("must hold {} particles in {} dimensions, in {} precision; got "
                                           "another '{}'", particles.count(), particles.dim(),
                                           sizeof(Real) == 4 ? "single" : "double", name));
  });
}

} // namespace starling::run
