// Mass around a cloud's own centre that the cloud has not met: farther out, or at the top.
#pragma once

#include <starling/cloud.hpp>
#include <starling/density.hpp>
#include <starling/frame.hpp>
#include <starling/random/philox.hpp>
#include <starling/scout/modes.hpp>

#include <optional>
#include <span>

namespace starling::scout {

/// A part of a density that a cloud does not have, or has too little of.
struct MissedPart {
  double share = 0; ///< of the whole mass, beyond what the cloud has; at least about so much
  Frame frame;      ///< its normal
};

/// Both compare an estimate Z of a part's mass, which is unbiased, with a bound of the mass that
/// the cloud stands for. With q the normal of the cloud's frame and k numbers fitted to n rows
///     log B = mean over rows (log pi - log q) + k / n,
/// which is at least the logarithm of that mass, by Jensen's inequality. They say nothing where
/// there are less than 10 rows for each dimension, or where the share is small.

/// Beyond the farthest row, in polar coordinates of the frame: places in random directions, and the
/// logarithm of the volume that each stands for.
std::optional<MissedPart> mass_farther_out(const Cloud& rows, const Frame& frame,
                                           const Cloud& places, std::span<const double> log_volume);

/// Where Laplace's fit at this top is denser than the cloud's normal: by draws from its Student t.
/// Asked only where the top is higher above the rows than a normal's would be.
std::optional<MissedPart> mass_at_top(const Cloud& rows, const Frame& frame, const Mode& top,
                                      CountedDensity& density, const Philox& philox, Step step);

} // namespace starling::scout
