// How long a step takes on a machine, in the cases that docs/gpu_figures.md shows.
#pragma once

#include "cuda/cloud.hpp"

#include <memory>
#include <string>
#include <vector>

namespace starling::cuda {

struct Figure {
  std::string deal;
  std::size_t particles, dim, batch; ///< batch 0: everyone, full SVGD
  Step steps;                        ///< in each repeat
  double seconds = 0;         ///< of a step: the median of the repeats, by the machine's own clock
  double bytes = 0;           ///< of a particle, all that is held on the machine
  std::size_t data_batch = 0; ///< 0: the normal; else a logistic regression with the size of
                              ///< Covertype, so many rows a step
};

/// Single precision, normal target, Gaussian of fixed bandwidth, AdaGrad. `quick` makes the clouds
/// small.
std::vector<Figure> measure(const std::shared_ptr<Machine>& machine, std::size_t repeats,
                            bool quick);
/// Fills in seconds and bytes.
void time_steps(const std::shared_ptr<Machine>& machine, std::size_t repeats, RunSpec<float> spec,
                Figure& figure);
/// The part of it that is logistic regression.
std::vector<Figure> measure_logistic(const std::shared_ptr<Machine>& machine, std::size_t repeats,
                                     bool quick);

} // namespace starling::cuda
