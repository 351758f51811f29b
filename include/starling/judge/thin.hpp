// Fewer particles that say nearly as much: Stein thinning, and Stein weights.
#pragma once

#include <starling/rows.hpp>
#include <starling/threads.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace starling::judge {

struct Thinned {
  std::vector<std::size_t> chosen; ///< rows, in the order in which they were chosen, each once
  std::vector<double> weights;     ///< of each; their sum is 1
  double discrepancy = 0;          ///< of the chosen with their weights: sqrt(w^T K w)
  double of_independent = 0;       ///< what as many independent draws have, in root mean square
  double of_all = 0;               ///< that of so many as there are
};

/// Chooses `count` rows one after another, each so that the kernel Stein discrepancy of those
/// chosen so far is least (Stein thinning), then exchanges each for the best in its place, twice,
/// where N count is at most 2^25. With `weigh`, weights of at least 0 and sum 1 that minimise it on
/// the chosen; otherwise all are alike.
///
/// The kernel is the inverse multiquadric of the looks (observe/
/// stein.hpp), in the frame of the cloud, y = L^-1 (x - m): so it is the same in any scale and
/// correlation of the parameters. 2h is the squared median distance there. Rows with a number that
/// is none are never chosen. Cost: up to 3 N count d, without a random number, the same on any
/// threads. Throws invalid_argument.
Thinned thin(Rows<const double> x, Rows<const double> score, std::size_t count, bool weigh,
             Threads& threads = Threads::alone());

/// w >= 0 with sum 1 that minimises w^T K w, K symmetric and positive semidefinite, row after row.
std::vector<double> stein_weights(std::span<const double> k, std::size_t size);

} // namespace starling::judge
