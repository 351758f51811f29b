// Settings of a run in stages, the same for every density; what stands here was found on real
// posteriors.
#pragma once

#include <starling/density.hpp>
#include <starling/rows.hpp>
#include <starling/stages/metric.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace starling::stages {

/// The part of the flight's kernel beside the bilinear one: none; a Gaussian of the distance; one
/// for each of the user's parameters, in batches; the same, exact over all particles.
enum class FlightKernel { none, gaussian, parameters, marginals };

struct Settings {
  std::size_t particles = 1024;
  /// Those who fly and make exact moves, at most. A cloud of more particles is made of their draws.
  std::size_t walkers = 256;
  std::uint64_t seed = 1;
  std::size_t starts = 8;    ///< of the scout
  ClimbFrom climb_from = {}; ///< where it climbs from besides
  std::size_t steps = 50;    ///< of RBM-SVGD in the flight
  std::size_t batch_size = 8;
  double step_size = 0.3, decay = 10; ///< step t of T: step_size / (1 + decay t/T)
  double clip = 0.3;   ///< a particle's move in the frame is at most clip sqrt(d) long
  double bilinear = 1; ///< weight of the bilinear part
  FlightKernel kernel = FlightKernel::marginals;
  std::optional<double> kernel_weight; ///< of parameters and marginals; none given: 1 and 3
  double kernel_width = 0.1; ///< squared, of parameters and marginals, in variances of the cloud
  std::size_t certify_moves = 20; ///< of a test; 0: no test, and no settling
  std::size_t first_round = 36;   ///< moves of the first round of settling
  std::size_t settle_rounds = 5;  ///< the moves of so many, each twice the last; 0: never
  double enough_draws = 800;      ///< that a pool is worth, to make a cloud of: a mean to .035 sd
  /// Share of the exact moves that may diverge in a frame that bends; beyond it some are made in
  /// one that does not.
  double tolerated_divergence = 0.02;
  std::size_t polish_steps = 16;
  std::size_t polish_together = 65'536; ///< particles, at most; a larger cloud in blocks
  bool polish_confirmed = true;         ///< also a cloud that the first test confirmed
  bool settle_always = false;           ///< also a cloud that was confirmed
  bool temper = false;                  ///< modes are looked for by tempering, after the scout
  bool evidence = false;                ///< the log evidence too
  Metric metric = Metric::by_size;
  Bends bends = Bends::never; ///< a group decides, by metric and density

  // Where the density is made of many rows of data.
  std::size_t rows_a_step = 1000;  ///< that a step of the flight reads
  std::size_t guide_rows = 20'000; ///< that guide exact moves, at most; all rows decide on them
  /// Unless the guide stands for all rows: the sd over particles of the error of its log density is
  /// at most this. No mean is then off by more than that many sd. 0: all rows always decide.
  double guide_error = 0.025;
};

/// Columns that users read beside the positions, made from rows of positions; a row each.
struct ReadColumns {
  std::size_t count = 0;
  std::function<std::vector<double>(Rows<const double> x)> of;
};

} // namespace starling::stages
