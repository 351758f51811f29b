// What a search around a cloud met, as the verdict takes it.
#pragma once

#include <cstddef>

namespace starling::judge {

/// A mode that is too light for particles of its own, and the parameter that it changes most.
struct LightMode {
  double share = 0; ///< 0: there is none that matters
  std::size_t parameter = 0;
  double place = 0;
  double off = 0; ///< from the cloud's mean there, in its sd

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("share", self.share);
    visit("parameter", self.parameter);
    visit("place", self.place);
    visit("off", self.off);
  }
};

struct Searched {
  std::size_t searches = 0; ///< 0: nothing was searched
  std::size_t climbs = 0, looks = 0;
  std::size_t hits = 0;  ///< looks as high as the cloud and away from all of it, at the last search
  std::size_t modes = 1; ///< that have particles, or should
  LightMode light;

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("searches", self.searches);
    visit("climbs", self.climbs);
    visit("looks", self.looks);
    visit("hits", self.hits);
    visit("modes", self.modes);
    visit("light", self.light);
  }
};

} // namespace starling::judge
