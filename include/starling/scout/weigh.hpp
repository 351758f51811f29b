// What separate groups of a density weigh, by importance sampling from fits of each.
#pragma once

#include <starling/density.hpp>
#include <starling/frame.hpp>
#include <starling/scout/student.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace starling::scout {

/// A group's part of the whole.
struct Share {
  double share = 0, se = 0;
  double effective = 0; ///< draws that its weights are worth: (sum w)^2 / sum w^2

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("share", self.share);
    visit("se", self.se);
    visit("effective", self.effective);
  }
};

/// A frame in which a group is about standard normal; a group may have several.
struct Fit {
  Frame frame;
  std::size_t group = 0;
};

/// Draws from each fit's Student t with 5 degrees of freedom, whose tails are heavier than most
/// densities', and weighs each by pi / q, where q is the mixture of all fits whoever drew it: no
/// weight is large unless all fits are thin there. All space is shared out between the groups: a
/// place belongs to the one whose first fit is densest there.
///     Z_g = sum_c 1/C mean_c (w 1_g),  share_g = Z_g / sum Z,
///     se^2 = sum_c 1/C^2 var_c (w (1_g - share_g)) / n_c / Z^2
class Weighing {
public:
  Weighing(std::vector<Fit> fits, std::size_t groups, std::uint64_t seed, Step use);

  /// One more round of draws of each fit.
  void round(CountedDensity& density);
  std::size_t rounds() const;
  std::vector<Share> shares() const;
  /// The group to which each row belongs.
  std::vector<std::size_t> group_of(Rows<const double> x) const;
  /// The part of these particles, of this log density, whose weight is more than e^.5 times that of
  /// any draw of their group: where it is not small, the fits miss a part of the group, and no
  /// error shows it.
  double missed(Rows<const double> x, std::span<const double> log_density, std::size_t group) const;

  /// Log weight and group of every draw, two numbers each: with what it was made from, all there is
  /// to save.
  const std::vector<double>& numbers() const { return drawn_; }
  void resume(std::vector<double> numbers);

  static constexpr std::size_t draws = 250; ///< of a fit in a round

private:
  struct Seen {
    double log_mixture;
    std::size_t group;
  };
  std::vector<Seen> seen(Rows<const double> x) const;
  bool is_first(std::size_t fit) const;

  std::vector<Student> fits_;
  std::vector<std::size_t> group_of_fit_;
  std::size_t groups_;
  Philox philox_;
  Step use_;
  std::vector<double> drawn_; // rounds x fits x draws x (log weight, group)
};

/// So many particles for each share that together they are `count`, none off by more than one:
/// largest remainders first.
std::vector<std::size_t> apportion(std::span<const double> shares, std::size_t count);

} // namespace starling::scout
