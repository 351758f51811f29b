// SVGD steps of a cloud in its frame, between calls of the density.
#pragma once

#include <starling/stages/state.hpp>

#include <memory>

namespace starling::stages {

class SvgdStep; // the roles of a step

/// Where a cloud goes by SVGD. A new place counts once the density was asked there; a particle
/// whose new place fails stays where it was.
class Svgd {
public:
  Svgd();
  /// Begins at this cloud.
  explicit Svgd(const Cloud& cloud);
  Svgd(Svgd&&) noexcept;
  Svgd& operator=(Svgd&&) noexcept;
  ~Svgd();

  /// Brings the cloud to where the last step led, with scores there; by the guide's scores of step
  /// k, or at the end by its density.
  void arrive(const Context& context, Cloud& cloud, Step k, bool at_end);
  /// Step k, from the cloud and its scores.
  void step(const Context& context, const Cloud& cloud, const Frame& frame, Step k,
            double step_size);

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("next", self.next_);
  }
  void check(const Context& context, std::size_t rows) const;
  const Frame::Matrix& next() const { return next_; }

private:
  SvgdStep& roles(const Context& context, const Cloud& cloud);

  Frame::Matrix next_;              // where the cloud goes, not yet evaluated
  std::unique_ptr<SvgdStep> roles_; // made when they are first needed
};

} // namespace starling::stages
