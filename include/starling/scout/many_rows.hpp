// Scout of a density with many rows: up on some of them, to the top by Newton's steps on all.
#pragma once

#include <starling/row_density.hpp>
#include <starling/scout/scout.hpp>

namespace starling::scout {

/// Rows that the scout climbs on; below twice as many, nothing is gained by leaving any out.
constexpr std::size_t climbed_rows = 10'000;

/// L-BFGS, Laplace and the count of modes as in `scout`, on rows drawn evenly, each for n/m of
/// them. From there Newton's steps, on eight times as many rows and then on all, halved where they
/// do not lead up, until one is shorter than a hundredth of the width; the frame is Laplace's at
/// the top. The curvature comes from the density's expansion, or from differences of its scores.
/// Where some rows have several modes, each is climbed on all rows and those that differ are found.
/// Throws TargetError as `scout` does.
Report scout(const RowDensity& density, std::uint64_t seed, RowCounts& counts,
             const Settings& settings = {});

/// A cloud of that many rows from the frame's normal.
Frame::Matrix draws(const Frame& frame, std::size_t count, std::uint64_t seed);

} // namespace starling::scout
