// A search around draws, as tests of searches make it.
#pragma once

#include <starling/scout/look.hpp>

namespace blobs {

inline starling::scout::Looked looked(const starling::DensityOfRows& density,
                                      const starling::Frame::Matrix& x, std::uint64_t seed) {
  starling::CountedDensity asked(density);
  starling::scout::ModeSearch search;
  search.seed = seed;
  return look_around(cloud_at(starling::rows_of(x), asked), asked, {}, search, 0);
}

} // namespace blobs
