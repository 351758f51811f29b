// Scout: where a density is and how wide, how many modes it has, and a cloud to start from.
#pragma once

#include <starling/density.hpp>
#include <starling/frame.hpp>
#include <starling/scout/climb.hpp>
#include <starling/scout/modes.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starling::scout {

struct Settings {
  std::size_t starts = 8;        ///< ways up, from U(-2, 2)^d, in pairs x and -x
  std::size_t iterations = 400;  ///< of L-BFGS, at most
  std::size_t dense_up_to = 500; ///< dimensions; above, the frame is of low rank beside a diagonal
  ClimbFrom climb_from = {};     ///< further starts, which the target knows; empty: none
  std::optional<Frame::Form> form = {}; ///< in any dimension; none: by dense_up_to
};

struct Report {
  Frame frame;                ///< of the better approximation
  bool by_pathfinder = false; ///< else Laplace's
  double elbo = 0;
  std::size_t modes = 1;         ///< separate ones that are not negligible
  bool stopped_counting = false; ///< there are more than ModeSearch::most
  std::vector<Mode> found;       ///< those, heaviest first, where there are several; else empty
  std::size_t arrived = 0;       ///< ways up that ended at a finite density
  std::vector<double> tops;      ///< their log densities
  Frame::Matrix on_ways;         ///< where Pathfinder stopped on ways without a top, a row each
};

/// L-BFGS from all starts in lock-step; then Laplace's approximation at the best end, Pathfinder
/// along its way, and the one with the higher ELBO of 50 draws. Where the best end was still going
/// up there may be no mode, as in the neck of a funnel. Pathfinder is then asked along every way,
/// and each of its normals is fitted once more, to 64 draws and their scores. Separate modes are
/// counted among the ends, and those of ways up from around the best (Modes::starts_afar); where
/// there are several, also from around each of them, until they show none that is new. Both
/// approximations, and so the frame, are of the form that the settings say. Ways up from places
/// that the target knows of come after the others, and the best of them leads only where it ends
/// clearly higher: draws are else those of a scout that never asked. Throws TargetError when the
/// density is finite nowhere it looked.
Report scout(CountedDensity& density, std::size_t dim, std::uint64_t seed,
             const Settings& settings = {});

/// The same in parts, each of a call or two of the density, so that somebody who waits can be heard
/// between them.
class Scouting {
public:
  Scouting(CountedDensity& density, std::size_t dim, std::uint64_t seed, const Settings& settings);
  /// The next part. False when the report is ready.
  bool step();
  const Report& report() const { return report_; }

private:
  void climb_from_known();

  CountedDensity* density_;
  std::size_t dim_;
  std::uint64_t seed_;
  Settings settings_;
  Frame::Form form_;
  enum class Part {
    begin,
    climb,
    climb_known,
    laplace,
    pathfinder,
    others,
    refit,
    choose,
    modes,
    done
  } part_ = Part::begin;
  std::vector<Climb> climbs_;
  std::size_t best_ = 0, other_ = 0; // of the climbs
  std::vector<Frame> candidates_;
  Report report_;
};

/// A cloud of `count` rows from the frame's normal: four times as many draws, weights pi/q capped
/// at mean times sqrt(4 count), `count` kept without replacement (Gumbel top-k). A draw where the
/// density fails, or where the score is too long to be squared, is never kept. Where that is so of
/// most, it is tried again from half the width. Throws TargetError when that does not
/// help.
Frame::Matrix start(const Frame& frame, CountedDensity& density, std::size_t count,
                    std::uint64_t seed);

} // namespace starling::scout
