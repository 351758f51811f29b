// Whether a log density has no top: looked for along straight ways out of a cloud.
#pragma once

#include <starling/rows.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

namespace starling::judge {

/// A way out along which the log density never falls.
struct Unbounded {
  std::size_t parameter = 0; ///< the one that changes most along it, in its sd
  bool grows = true;         ///< else it stays the same
};

/// Looks outwards from the middle of the cloud, to 10^8 of its widths, along the mean score and
/// along the parameters that lie farthest out (eight of them), both ways. Of a density that can be
/// normalised, whose cloud is about where its mass is, every way out goes down in the end. Some 150
/// log densities in one call, at places where they may overflow: more than any number is a rise, no
/// number at all ends the way.
std::optional<Unbounded> unbounded_along(
    Rows<const double> cloud, Rows<const double> scores,
    const std::function<void(Rows<const double>, Rows<double>, std::span<double>)>& density);

} // namespace starling::judge
