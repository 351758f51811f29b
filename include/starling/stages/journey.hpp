// A run in stages: one group of particles, or one for each mode, weighed and put together.
#pragma once

#include <starling/judge/groups.hpp>
#include <starling/judge/searched.hpp>
#include <starling/scout/look.hpp>
#include <starling/scout/weigh.hpp>
#include <starling/stages/group.hpp>
#include <starling/stages/tempering.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace starling::stages {

/// A density as a journey asks for it: a whole, or made of rows of data.
struct JourneyDensity {
  DensityOfRows whole;
  std::size_t dim = 0;
  std::shared_ptr<const RowDensity> rows = {}; ///< empty: it is asked as a whole
  bool has_log_density = true; ///< false: scores alone; groups are counted and not weighed
};

/// The groups put together.
struct Combined {
  Cloud cloud;
  std::vector<std::size_t> group_of_row;
  std::optional<judge::Certificate> certificate;
  Pool pool;
  std::string doubt; ///< why the shares cannot be trusted, in words; empty: they can
};

/// What groups weigh.
struct Weights {
  std::vector<scout::Mode> modes;   ///< where each is highest; empty where there is one group
  std::vector<scout::Share> shares; ///< empty where groups were not weighed
  std::vector<scout::Mode> light;   ///< modes too light for a group of their own
  std::vector<double> drawn;        ///< by the last weighing
  bool split = false;               ///< there is a group of particles for each mode

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("modes", self.modes);
    visit("shares", self.shares);
    visit("light", self.light);
    visit("drawn", self.drawn);
    visit("split", self.split);
  }
};

/// One group while there is one. Where the scout found several modes, or the search at the end:
/// 1. they are weighed by draws from Laplace's fits, which says how many particles each will need;
/// 2. each mode gets a group of its own, in its own frame and with its own certificate, of at least
///    128 particles; all space is shared out between the groups, and none leaves its part;
/// 3. they are weighed again, by draws from Laplace's fits and from those of the groups' clouds,
///    until twice the error of each share is below .01, or 16 rounds;
/// 4. each gives as many particles as its share says, chosen so that they keep its moments; one
///    certificate is made of all.
/// Particles are tempered where it is asked for, after the scout, and where looks at the end hit
/// what no way up leads to; modes that climbs from them meet, or parts of them, get groups.
/// At the end of the one group, or of all, the surroundings of the cloud are searched
/// (scout::look_around). Modes that are new get groups with the others, twice at most; a cloud that
/// was given and is not to be flown stays as it is, and its modes are counted. A mode that no
/// search has met is not counted. Over rows of data groups are those modes that the scout found,
/// and nothing is searched at the end, which would take many passes over all rows.
class Journey {
public:
  Journey(JourneyDensity density, const Settings& settings, Threads& threads = Threads::alone(),
          ReadColumns read = {});

  /// As Group's.
  void begin_from(Rows<const double> x, bool flies = true) { groups_[0]->begin_from(x, flies); }
  /// Draws of a prior, which tempering begins as wide as. Before the first unit.
  void temper_from(Rows<const double> draws) { prior_ = Frame(draws.dim).refreshed(draws); }
  bool finished() const { return part_ == Part::finished; }
  void take(std::uint64_t units);
  void unit();
  bool scouting() const { return part_ == Part::one && groups_[0]->scouting(); }
  Progress progress() const;
  /// In words: "fly", "weigh", "fly, group 2 of 4", "finished".
  std::string stage() const;

  const Cloud& cloud() const { return split() ? combined_.cloud : groups_[0]->state().cloud; }
  const std::optional<judge::Certificate>& certificate() const {
    return split() ? combined_.certificate : groups_[0]->certificate();
  }
  const Pool& pool() const { return split() ? combined_.pool : groups_[0]->state().pool; }
  const Scouted& scouted() const { return scouted_; }
  /// Of exact moves; with several groups, of group `group`.
  const Frame& frame(std::size_t group) const { return groups_[group]->state().frame; }
  std::size_t frames() const { return groups_.size(); }
  /// Those who fly and move, in all groups that there are now.
  std::size_t crew() const;
  /// How often the flight of each of these groups turned back.
  std::vector<std::uint64_t> turned_back() const;
  bool settled() const;
  bool polished() const;
  /// Of each stage; then `weigh` where there were several groups, and `look` for the search at the
  /// end.
  std::vector<std::pair<std::string, std::uint64_t>> gradients() const;

  std::size_t groups() const { return std::max<std::size_t>(1, weights_.modes.size()); }
  const Weights& weights() const { return weights_; }
  /// Of each row of the cloud, when finished; empty where there is one group.
  const std::vector<std::size_t>& group_of_row() const { return combined_.group_of_row; }
  const std::string& doubt() const { return combined_.doubt; }
  /// By the search at the end: of places, and of modes too light for a group. Nothing over rows of
  /// data, or by scores alone.
  const judge::Searched& searched() const { return searched_; }
  /// Where it was asked for, when finished; of several groups that of their sum.
  std::optional<judge::LogEvidence> evidence() const;
  /// By tempering, where that was asked for.
  std::optional<judge::LogEvidence> tempered_evidence() const;
  bool tempering_given_up() const { return tempering_.begun() && !tempering_.over(); }
  /// By the evidence of each group: how far its share is from the one that was weighed, in standard
  /// errors of the difference, where that is most.
  double evidence_against_shares() const;

  /// As Group's. With several groups each place is asked of its own.
  void estimate(Rows<const double> x, Rows<double> score, std::span<double> log_density);
  /// Of all stages; and of those that make exact moves alone.
  Failures failures(bool of_moves) const;
  bool over_rows() const { return density_.rows != nullptr; }
  /// With several groups: what all of them read, and the worst of what was seen.
  RowsReport rows_report() const;

  std::string save() const;
  /// Throws invalid_argument. For a journey with the same density and settings.
  void restore(std::string_view state);

private:
  enum class Part { one, temper, weigh_first, groups, weigh_last, look, finished };
  struct Before { // what was spent outside the groups that there are now
    std::array<Spent, kinds> stages{};
    std::uint64_t looked = 0, weighed = 0, tempered = 0; // gradients
    std::uint64_t tempered_visits = 0;                   // of rows, beside these

    template <typename Self, typename Visit>
    static void for_each_field(Self& self, Visit&& visit) {
      visit("stages", self.stages);
      visit("looked", self.looked);
      visit("weighed", self.weighed);
      visit("tempered", self.tempered);
      visit("tempered_visits", self.tempered_visits);
    }
  };

  bool split() const { return weights_.split; }
  void one_group();
  void begin_tempering(const Frame::Matrix& hit = {});
  void temper();
  void part_tempered();
  void count_modes();
  void look();
  std::size_t wander();
  judge::Searched search_report(const scout::Looked& looked, const Weights& weighed) const;
  Weights weighed(std::vector<scout::Mode> modes);
  Weights with_groups(Weights all) const;
  void weigh_modes(std::vector<scout::Mode> modes);
  void split_up();
  void weigh();
  bool weighed_enough() const;
  void follow();
  scout::Weighing weighing() const;
  DensityOfRows within(std::size_t group, DensityOfRows density) const;
  std::uint64_t seed_of(std::size_t group) const;
  std::unique_ptr<Group> group_of(std::size_t group, std::size_t particles) const;
  Combined gathered(const std::vector<std::vector<std::size_t>>& rows) const;
  Combined put_together(const scout::Weighing& weighing) const;
  void certify(Combined& combined) const;
  void check() const;

  JourneyDensity density_;
  CountedDensity counted_; // the whole, for weighing and counting
  Settings settings_;
  Threads* threads_;
  ReadColumns read_;
  Part part_ = Part::one;
  std::vector<std::unique_ptr<Group>> groups_;
  std::size_t current_ = 0; // the group under way
  Scouted scouted_;
  Weights weights_;
  Before before_;
  Frame prior_; // of draws that were given; else empty
  Tempering tempering_;
  judge::Searched searched_;
  Combined combined_; // follows from the rest
};

} // namespace starling::stages
