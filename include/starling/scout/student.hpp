// A Student t, or a normal, in a frame: what densities are weighed against.
#pragma once

#include <starling/frame.hpp>
#include <starling/random/philox.hpp>

#include <cstddef>
#include <vector>

namespace starling::scout {

/// x = frame(z sqrt(f / chi^2_f)), z standard normal; the frame may bend. Without degrees of
/// freedom it is the normal.
struct Student {
  Frame frame;
  std::size_t freedom = 0; ///< 0: the normal

  /// Of each row, with all constants: it integrates to 1.
  std::vector<double> log_density(Rows<const double> x) const;
  /// So many draws, a row each. Row i takes the numbers of that stream and step from
  /// i (dim + freedom) on.
  Frame::Matrix draw(const Philox& philox, Stream stream, Step step, std::size_t count) const;

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("frame", self.frame);
    visit("freedom", self.freedom);
  }
};

/// In this frame, with those degrees of freedom among 3, 5, 10, 30 and the normal's under which
/// these rows are likeliest.
Student likeliest_student(const Frame& frame, Rows<const double> x);

} // namespace starling::scout
