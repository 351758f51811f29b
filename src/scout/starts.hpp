// Rows of a cloud from which its modes are looked for.
#pragma once

#include <starling/scout/modes.hpp>

#include <cstddef>
#include <vector>

namespace starling::scout {

/// Some of the rows of a cloud, the frame of these, and those of them that ways up begin from.
struct StartRows {
  StartRows(Rows<const double> cloud, const ModeSearch& search);

  std::vector<std::size_t> chosen; ///< among those of the cloud
  Frame::Matrix rows, starts;
  Frame frame;
  static constexpr Step around = 3000; ///< address of places all around
};

/// Each the farthest from those before it: every clump that stands apart has one soon. O(rows x
/// count).
std::vector<Eigen::Index> farthest_first(const Frame::Matrix& y, std::size_t count);

} // namespace starling::scout
