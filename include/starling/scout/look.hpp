// A look around a cloud: is there anything as high that no particle has met?
#pragma once

#include <starling/cloud.hpp>
#include <starling/scout/modes.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace starling::scout {

/// What a search around a cloud met.
struct Looked {
  std::size_t climbs = 0, looks = 0;
  std::size_t hits = 0;    ///< looks as high as the cloud and away from all of it
  std::vector<Mode> modes; ///< all that are not negligible, known ones among them
};

/// Looks for modes by climbs, from some of the rows and from up to 1000 widths away, and for
/// whatever else is as high as the cloud by log densities at up to 2000 places (8 for each row) of
/// wider and rounder clouds: its frame times 3; its columns without their correlations; a ball as
/// wide as its widest column; the cube that a scout starts in; and at 3 to 1000 widths along random
/// directions and along parameters. A look hits where the log density is above the cloud's lower
/// quartile, and no row is nearer than twice the farthest that such rows are from their own third
/// neighbours. Ways up from some of the hits join the other climbs. `round`: so many searches of
/// this run came before. Needs log densities.
Looked look_around(const Cloud& cloud, CountedDensity& density, std::span<const Mode> known,
                   const ModeSearch& search, Step round);

} // namespace starling::scout
