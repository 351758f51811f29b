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
  Frame::Matrix hit = {};  ///< some of these places, far apart
  std::vector<Mode> modes; ///< all that are not negligible, known ones among them
  double missed = 0; ///< of the mass, around the cloud's own middle: then `modes` has two normals
};

/// Of these places those where the score leads to none of the frames' middles, by more than 60
/// degrees seen in each frame; at most so many, in directions far apart. A mode that is narrower
/// than the known ones draws nothing beyond a ball around it, and such a place lies in one.
Frame::Matrix led_elsewhere(const Cloud& places, std::span<const Frame> known, std::size_t most);

/// The known modes, and those that climbs from such places end at. Each known one has its frame.
std::vector<Mode> modes_led_to(const Cloud& places, CountedDensity& density,
                               std::span<const Mode> known, const ModeSearch& search);

/// Looks for modes by climbs, from some of the rows and from up to 1000 widths away, and for
/// whatever else is as high as the cloud by log densities at up to 2000 places (8 for each row) of
/// wider and rounder clouds: its frame times 3; its columns without their correlations; a ball as
/// wide as its widest column; the cube that a scout starts in; and at 3 to 1000 widths along random
/// directions and along parameters. A look hits where the log density is above the cloud's lower
/// quartile, and no row is nearer than twice the farthest that such rows are from their own third
/// neighbours. Up to 10 dimensions 2000 more looks go far out in random directions. 2000 looks,
/// 4000 beyond 10 dimensions, go around the origin, about as far from it as the known modes are.
/// Ways up from some of the hits, and from looks that are led elsewhere, join the other climbs.
/// Where all this is one mode without hits, the mass that looks in random directions and the top
/// stand for is compared with the cloud's (shells.hpp): a wide part may lie around the cloud, and a
/// narrow one in it. Two modes then stand for both: the normal of the cloud, and that of the missed
/// part. `round`: so many searches of this run came before. Needs log densities.
Looked look_around(const Cloud& cloud, CountedDensity& density, std::span<const Mode> known,
                   const ModeSearch& search, Step round);

/// How many of these places hit as looks do, by distances in this frame.
std::size_t unmet(const Cloud& places, const Cloud& cloud, const Frame& frame);

} // namespace starling::scout
