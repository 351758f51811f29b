// Exact moves: Hamiltonian Monte Carlo on every particle of a cloud, in a frame.
#pragma once

#include <starling/cloud.hpp>
#include <starling/random/philox.hpp>
#include <starling/threads.hpp>

#include <cstdint>
#include <functional>
#include <span>

namespace starling::exact {

/// How a move is made. The number of leaps is uniform on 1 .. most_leaps. A move that diverges is
/// tried again in shorter steps, over the same length (delayed rejection).
struct Stride {
  double step = 0.5;
  std::size_t most_leaps = 7;
  double shorter = 0.2; ///< times the step, in the second try; 0: there is none
};

/// What came of the first tries, each as a share of them.
struct Moved {
  double accepted = 1; ///< the mean probability of acceptance
  /// Those that ended where the density is finite and the energy too far off to be accepted ever:
  /// the steps are too long for a place that they went through, such as the neck of a funnel.
  double diverged = 0;
};

/// Moves every particle once, in lock-step: a leapfrog step of all who still go is one call of the
/// density. Leaves the density invariant for any frame and stride chosen without looking at these
/// moves' random numbers, which are those of (seed, move, id). A place where the density fails is
/// refused.
///
/// Where `ends` is given, `density` only guides the leaps, and its scores are the walkers'; whether
/// a move is accepted is for the log densities of `ends`, which the walkers carry. The leaps are
/// reversible whatever guides them, so it is the density of `ends` that is left invariant, at one
/// call a move. What each particle does for itself is shared out among the threads; the density
/// shares out its own work.
using LogDensities = std::function<void(Rows<const double> x, std::span<double> log_density)>;
Moved move(Cloud& walkers, const Frame& frame, const Stride& stride, CountedDensity& density,
           std::uint64_t seed, Step move, const LogDensities& ends = {},
           Threads& threads = Threads::alone());

/// The step at which moves of full length are accepted with about this probability, found on up to
/// 128 of the walkers, which stay where they are. `use` tells several tunings of a run apart.
double tune(const Cloud& walkers, const Frame& frame, Stride stride, double acceptance,
            CountedDensity& density, std::uint64_t seed, std::uint64_t use);

} // namespace starling::exact
