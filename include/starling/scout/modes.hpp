// Separate modes of a density: ways up from many places, and whether the ground dips between their
// ends.
#pragma once

#include <starling/density.hpp>
#include <starling/frame.hpp>
#include <starling/random/philox.hpp>
#include <starling/scout/climb.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace starling::scout {

/// A place that is higher than all around it.
struct Mode {
  Eigen::VectorXd x;
  double log_density = 0;
  Frame frame;         ///< Laplace's there
  double log_mass = 0; ///< of Laplace's normal, up to a constant common to all modes
  double share = 0;    ///< where it was weighed, and was too light for a group

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("x", self.x);
    visit("log_density", self.log_density);
    visit("frame", self.frame);
    visit("log_mass", self.log_mass);
    visit("share", self.share);
  }
};

/// An end whose score, in the metric, is longer was still on its way up.
inline constexpr double still_climbing = 0.3;

struct ModeSearch {
  bool has_density = true;     ///< else heights are sums of scores along the way
  std::size_t iterations = 60; ///< of a way up, at most
  double dip = 0.5;       ///< in log density, below the lower of two modes: less, and they are one
  double negligible = 10; ///< a mode whose log mass is so much less than the largest is none
  std::size_t dense_up_to = 500; ///< dimensions; above, Laplace's frames are diagonal
  std::size_t most = 32;         ///< modes: with so many the search stops counting
  std::size_t level_looks = 1;   ///< looks about as far from the origin as a mode, times the others
  std::uint64_t seed = 1;
};

/// The frame of the rows' covariance; widths first, else few rows would blur the scales. Widths
/// alone above so many dimensions, and where there are no more rows than dimensions.
Frame frame_of(Rows<const double> x, std::size_t dense_up_to);

/// Rows of these, one below the other.
Frame::Matrix stacked(const std::vector<Frame::Matrix>& parts);

/// Collects separate modes. Two ends of ways up belong together when the log density on a way
/// between them, straight or bent, does not dip below the lower by more than `dip`; ends are
/// compared, not particles, since in many dimensions a segment between two particles leads through
/// the middle, where all is higher. Ways up go in the coordinates of a frame, where they are short.
class Modes {
public:
  Modes(CountedDensity& density, Frame frame, const ModeSearch& search = {});

  /// An end found elsewhere. One that had not arrived may join modes, but is none.
  void add(const Place& end, bool arrived);
  /// Modes that are known.
  void add(std::span<const Mode> known);
  /// Ways up from these rows, those where the density fails aside. All go in lock-step, so whoever
  /// has many starts gives them in one call: each call of the density is then as large as can be.
  void climb_from(const Frame::Matrix& x);
  /// Where to climb from besides: places all around, 2 to 1024 times as far out as that frame's
  /// normal, since a far mode attracts where no ray meets it; and where the density rises along
  /// rays that go out to 1000 of its widths, along its coordinates, in random directions, along all
  /// parameters together and through the origin; and the mirror image of its middle.
  Frame::Matrix starts_afar(const Frame& around, const Philox& philox, Step address);

  std::size_t count() const { return tops_.size(); }
  /// Ways up so far.
  std::size_t climbs() const { return climbs_; }
  /// Whether there were more than are counted.
  bool stopped_counting() const { return stopped_; }
  /// The modes that are not negligible, heaviest first, and no more than `most`. Asks for Laplace's
  /// frames where there are several; that of a single mode is empty. With scores alone there are no
  /// frames, and all of them count.
  std::vector<Mode> found();

private:
  struct Top {
    Place place; // in the frame
    std::optional<Mode> mode;
  };
  Place framed(const Place& at) const;
  Mode mode_at(const Place& top, std::size_t number);
  void evaluate(const Frame::Matrix& y, Frame::Matrix& score, std::vector<double>& log_density);
  Frame::Matrix where_it_rises(const Frame& around, const Frame::Matrix& direction);
  std::vector<Climb> climbed(const Frame::Matrix& starts);
  bool joined(const Place& a, const Place& b);
  bool no_lower(const Place& a, const Place& b, double floor, int halvings);
  double lowest_by_scores(const Place& a, const Place& b);
  void absorb(Place end, bool arrived);

  CountedDensity& density_;
  Frame frame_;
  ModeSearch search_;
  std::vector<Top> tops_;
  std::size_t climbs_ = 0;
  bool stopped_ = false;
};

/// The group to which each row belongs: the mode whose normal is densest there, after a few rounds
/// in which each group's normal is taken from the rows it has. Rows that are all of one group:
/// zeros.
std::vector<std::size_t> assign_to_modes(Rows<const double> x, const std::vector<Mode>& modes);

/// Parts of draws that are exact, as the arms of a cross: the mean of each, and its frame. Two to
/// four normals, each for the rows that it is densest at, where they are so much likelier than one
/// normal that chance does not make it; none: the draws are one part.
std::vector<Mode> parts_of_draws(Rows<const double> x, std::uint64_t seed);

/// The modes that a cloud lies on, by ways up from some of its rows, those far apart and others at
/// random, and where `afar` wants it from around it. For a cloud of one group that is near a normal
/// some 100 gradients, and from afar some 12 for each coordinate.
std::vector<Mode> modes_of_cloud(Rows<const double> cloud, CountedDensity& density, bool afar,
                                 const ModeSearch& search);

} // namespace starling::scout
