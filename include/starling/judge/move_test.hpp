// The move test: how far would an exact sampler carry the means and variances of a cloud?
#pragma once

#include <starling/rows.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace starling::judge {

/// Moved: exact moves change the cloud, so it was wrong. Confirmed: they do not, and would have
/// shown it. Undecided: they do not, but might have missed it.
enum class Finding { moved, confirmed, undecided };

/// What is followed of a parameter: its value; its value brought back to within 3 robust sd of the
/// median, which a few strays cannot hide behind; the square of its distance from the cloud's mean.
enum class Trait { value, winsorised, square };

/// Whose trait it is: that of a column, or one of the joint, which no single column shows.
enum class TraitOf { column, log_density, direction };

/// The estimated error of the cloud in one trait of one parameter, or of the joint.
struct Displacement {
  std::size_t parameter = 0; ///< the column; of directions their number
  Trait trait = Trait::value;
  double error = 0; ///< to be added to the cloud's: in sd, for squares in variances
  double se = 0;
  double memory = 0; ///< rho: slope of a particle's later average on where it was
  TraitOf of = TraitOf::column;

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("parameter", self.parameter);
    visit("trait", self.trait, Trait::square);
    visit("error", self.error);
    visit("se", self.se);
    visit("memory", self.memory);
    visit("of", self.of, TraitOf::direction);
  }
};

struct Certificate {
  Finding finding = Finding::undecided;
  std::vector<Displacement> all;   ///< three for each parameter that could be followed
  std::vector<Displacement> joint; ///< and those of the joint
  Displacement worst;              ///< what decided: largest against its own bound
  std::uint64_t moves = 0;
  double acceptance = 0;
  double diverged = 0;            ///< share of the moves: see exact::Moved
  std::size_t particles = 0;      ///< that were moved, where not all were
  std::size_t not_followed = 0;   ///< parameters that are constant, or not finite for some particle
  std::vector<std::size_t> heavy; ///< judged by their winsorised values: see heavy_tailed

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("finding", self.finding, Finding::undecided);
    visit("all", self.all);
    visit("joint", self.joint);
    visit("worst", self.worst);
    visit("moves", self.moves);
    visit("acceptance", self.acceptance);
    visit("diverged", self.diverged);
    visit("particles", self.particles);
    visit("not_followed", self.not_followed);
    visit("heavy", self.heavy);
  }
};

/// Bounds of the decision, in sd; for squares in variances.
struct Bounds {
  double moved_value = 0.1, moved_square = 0.2;
  double confirmed_value = 0.2, confirmed_square = 0.5;
  /// Of the log density: where d parameters are each a hundredth too narrow, which nobody sees, it
  /// is sqrt(2 d) hundredths of its sd too high. A shift of .4 sd is one of .15 in its distribution
  /// function, and .25 with a wrong spread may be as much.
  double moved_log_density = 0.2, confirmed_log_density = 0.25;
  double moved_log_density_square = 0.3; ///< of its winsorised value
  double most_memory = 0.9;
  double moves_error = 0; ///< what the moves themselves may be off by, where they are not quite
                          ///< exact; twice that for squares
};

/// Standard errors within which an error must stay below its bound to be confirmed. The number of
/// traits does not matter here: all of them must be confirmed, so a cloud that is wrong in any is
/// let through at most as often as that one alone would be.
inline constexpr double confirming_errors = 2;

/// Standard errors beyond which "moved" is said of the worst of so many traits, so that it is said
/// of a right cloud in at most 5 % of tests (Sidak): 2 for one trait, 3 for 20, 4.5 for 6000.
double moving_errors(std::size_t traits);

/// The bound below which the error of this trait is confirmed.
double confirmed_below(const Displacement& one, const Bounds& bounds);

/// Whether another cloud, judged by the same moves, is worse than the one before in any trait:
/// farther off by more than its error, and by more than half of what would count as moved.
/// `times`: its error counts so many times.
bool any_worse(const Certificate& other, const Certificate& before, const Bounds& bounds = {},
               double times = 1);

/// What a test follows beside the columns that users read, in columns behind these: the log
/// density, then values along directions, of which the variances count.
struct Joint {
  bool log_density = false;
  std::size_t directions = 0;

  std::size_t columns() const { return (log_density ? 1 : 0) + directions; }
};

/// Whether mean and variance of these values rest on so few of them that they may not exist: a
/// kurtosis above 30, where a normal has 3, an exponential 9, and 256 draws of eight schools' tau
/// at most 20.
bool heavy_tailed(std::span<const double> values);

/// For each trait f: a_i = average of f over the second half of particle i's moves, regressed on
/// f_i where it was, with slope rho. If a particle forgets as it is carried, the cloud's error is
///     e = (mean a - mean f) / (1 - rho),    se = residual sd / sqrt(N) / (1 - rho)
/// and where the moves themselves may be off by u, 2 se is larger by that. Moved: |e| - z se above
/// the bound in any trait, with z = moving_errors of their number. Confirmed: |e| + 2 se below the
/// wider bound and rho < .9 in all. Parameters are columns: positions, and whatever else the user
/// reads. A column that is made from the positions and has a heavy tail, as 1/sigma^2 may, is
/// judged by its winsorised value alone, if particles that began inside go out into that tail: a
/// stray on its way back, or one that stays, is no tail of the density. So is a position that users
/// read only in another shape: that shape has its own traits, and of the far tail of the logarithm
/// of a scale users see nothing, while few walkers come out of it in any time. A position that
/// users read is judged without its moments where cloud and moves both show a heavy tail, a
/// Cauchy's: by its winsorised value and the square of that. A heavy tail is one of a kurtosis
/// above 30 (heavy_tailed), or, seen by the moves in a column that is read, above 90, or one that
/// falls like a power (power_tail).
class MoveTest {
public:
  /// The columns of the cloud before any move; the first `positions` of them are not made from
  /// others.
  explicit MoveTest(Rows<const double> cloud, std::size_t positions = SIZE_MAX)
      : MoveTest(cloud, cloud, positions) {}
  /// The same for a cloud of which only some are moved: what exact moves say of E f, the mean of
  /// those plus their e, is held against the mean of the whole cloud.
  MoveTest(Rows<const double> cloud, Rows<const double> moved, std::size_t positions = SIZE_MAX,
           const Joint& joint = {});

  /// The columns after one more move, of those that count.
  void add(Rows<const double> values);
  Certificate judge(const Bounds& bounds = {}) const;
  /// The same for another cloud of the same density, by the same moves: they say where the truth
  /// is,
  ///     mean f + e,  with error se
  /// and so how far any cloud is from it. Columns as before; any number of rows.
  Certificate judge_other(Rows<const double> cloud, const Bounds& bounds = {}) const;
  /// The same where the rows of a large cloud are made some at a time: sums of what is judged over
  /// some of its rows, each divided by the number of all; and the verdict of all these added up.
  std::vector<double> means_over(Rows<const double> some, std::size_t all) const;
  Certificate judge_means(std::span<const double> means, const Bounds& bounds = {}) const {
    return judge_by(means, bounds);
  }

  /// Sums over the moves so far: with the clouds that it was made from, all there is to save.
  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("sums", self.sums_);
    visit("added", self.added_);
  }
  void restored() const;

  /// Whether the column's mean and variance mean something.
  bool has_moments(std::size_t column) const;
  /// Pooled over all moves that were added: mean and sd of each column.
  std::vector<double> pooled_means() const;
  std::vector<double> pooled_sds() const;
  /// As many independent draws would tell the mean of the column as well as the pool does, and, if
  /// that is fewer, its variance: by how the averages of single particles differ. A tail heavier
  /// than an exponential's takes as many more to know the variance, which does not count where it
  /// is not judged. Of a position that is not read, and where there are no moments, those of the
  /// winsorised value count.
  double effective(std::size_t column) const;
  /// Whether the particles were carried from where they began, beyond chance and by more than a
  /// twentieth of an sd: then they did not begin as draws, and the pool may still be on its way.
  bool drifted() const;

private:
  struct Scale {
    double mean, sd, median, robust; ///< of the cloud
    double unit;                     ///< its robust sd; `robust` may be a part of it
    double kept_mean, kept_sd;       ///< of the winsorised values
    bool followed, heavy;
    bool unread; ///< a position, and read only in another shape
    bool made;   ///< from positions, or a position that is not read
    bool wild;   ///< a position that is read, with a heavy tail in the cloud
  };
  /// What is summed of a column: the three traits, and the square of the winsorised value.
  static constexpr std::size_t kinds = 4;
  static constexpr std::size_t pooled = 9; ///< sums of a column over all particles
  const double* pooled_sums(std::size_t column) const {
    return sums_.data() + kinds * count_ * columns_ + pooled * column;
  }
  static void traits(double value, const Scale& scale, double* four);
  /// The one of these that a trait is judged by.
  std::size_t kind(std::size_t column, Trait trait) const {
    const bool winsorised = !has_moments(column) || of(column) == TraitOf::log_density;
    return trait == Trait::square && winsorised ? kinds - 1 : std::size_t(trait);
  }
  /// Over the moves so far, of all particles or of those that began inside.
  double pooled_kurtosis(std::size_t column) const;
  double kurtosis_from_inside(std::size_t column) const;
  /// Whether those that began inside show a tail.
  bool goes_out_far(std::size_t column) const;
  /// Whether a particle began where only a far tail or a stray can be.
  bool began_far_out(std::size_t particle, std::size_t column) const;
  /// Whether the moves show a tail that falls like a power of the distance, with an index of at
  /// most 3: the variance then has no error bar. Twice as far out there is at least an eighth of a
  /// small share; an exponential tail has less.
  bool power_tail(std::size_t column) const;
  bool any_power_tail() const;
  /// Whether the variance of the column can be known well enough to be judged. Of a column that is
  /// made from positions it need not be: they are judged by theirs.
  bool judges_squares(std::size_t column) const;
  TraitOf of(std::size_t column) const;
  std::vector<Trait> judged_by(std::size_t column) const;
  Displacement displacement(std::size_t column, Trait trait, double judged_mean,
                            const Bounds& bounds) const;
  /// `means`: of each column and kind, of the cloud that is judged.
  Certificate judge_by(std::span<const double> means, const Bounds& bounds) const;

  std::size_t count_, columns_;
  Joint joint_; // the last of the columns
  std::vector<Scale> scale_;
  std::vector<double> whole_; // columns x kinds: means over the whole cloud
  // Particles x columns x kinds. Of the sums then columns x pooled: cubes, fourth powers, how many
  // were far out, and twice as far; of those that began inside their number and four powers.
  std::vector<double> before_, sums_;
  std::uint64_t added_ = 0;
};

} // namespace starling::judge
