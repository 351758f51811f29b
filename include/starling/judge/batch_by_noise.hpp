// The size of batches by measurement: grown while their noise is larger than the drift.
#pragma once

#include <starling/judge/trace.hpp>

#include <cstddef>
#include <vector>

namespace starling::judge {

/// p for the steps after these looks, which began with batches of `first` out of `population`.
///
/// Lemma 1 says how the noise of batches depends on p: its variance is V (1/(p-1) - 1/(N-1)), V a
/// matter of the cloud alone. A look measures that variance and the square of the mean drift by
/// dealing twice; taken together over the last looks they say which p would bring the noise down to
/// `batch_noise_share` of the drift. While that p is larger than the one in use, the batch is
/// doubled at each look, and it never shrinks: far from its place a cloud drifts as one, and two
/// particles a batch are enough; near it the mean drift dies out, and the noise does not. It stops
/// at a quarter of all: there the noise is below what N particles can show, and larger batches were
/// measured to be no better (docs/accuracy.md).
///
/// A pure function of the looks, which are a part of the state of a run: so is p.
std::size_t batch_by_noise(const std::vector<TraceRow>& trace, std::size_t first,
                           std::size_t population);

/// Of the root mean square of the drift, what the noise may have; and how many looks are taken
/// together, since one is itself a matter of chance.
constexpr double batch_noise_share = 4;
constexpr std::size_t batch_noise_looks = 4;
constexpr std::size_t largest_batch_part = 4; ///< p is at most N over this

} // namespace starling::judge
