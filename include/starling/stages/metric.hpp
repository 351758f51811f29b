// The metric of a run in stages: what the coordinates in which the cloud flies may be.
#pragma once

namespace starling::stages {

/// The coordinates of the density itself, scaled, scaled and turned, or scaled and turned in a few
/// directions. By size: dense up to 100 dimensions, low rank above, and bent where that helps
/// clearly. Bent: the same, and bent wherever it helps. The names that users give are in
/// src/plan/stages.cpp.
enum class Metric { none, diagonal, dense, low_rank, by_size, bent };

/// When a frame bends, and how much that has to help.
enum class Bends { never, clearly_better, better };

} // namespace starling::stages
