// A journey that goes on by groups where a density has separate modes: a journey each, weighed and
// put together.
#pragma once

#include <starling/judge/groups.hpp>
#include <starling/run/journey.hpp>
#include <starling/scout/weigh.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace starling::run {

/// A Journey, bit for bit, while there is one group. Where the scout found several modes, or the
/// cloud at the end lies on several:
/// 1. they are weighed by draws from Laplace's fits, which says how many particles each will need;
/// 2. each group has a journey of its own, in its own frame and with its own certificate, of at
/// least 128 particles; all
///    space is shared out between the groups, and none leaves its part;
/// 3. they are weighed again, by draws from Laplace's fits and from those of the groups' clouds,
/// until twice the error of
///    each share is below .01, or 16 rounds;
/// 4. each gives as many particles as its share says, sifted so that they keep its moments; one
/// certificate is made
///    of all.
/// A mode that neither the scout nor a particle has met is not counted.
class GroupedJourney {
public:
  /// With `has_density` false groups are counted and not weighed.
  GroupedJourney(DensityOfRows density, std::size_t dim, const JourneySettings& settings,
                 Threads& threads = Threads::alone(), ReadColumns read = {},
                 bool has_density = true);
  /// Over many rows of data: groups are those modes that the scout found, weighed by all rows.
  /// Those under the cloud are not counted at the end, which would take many passes over all rows.
  GroupedJourney(const RowDensity& rows, const JourneySettings& settings,
                 Threads& threads = Threads::alone(), ReadColumns read = {});

  /// As Journey's.
  void begin_from(Rows<const double> x, Stage stage);
  bool finished() const { return part_ == Part::finished; }
  void take(std::uint64_t units);
  void take_part() { unit(); }
  bool scouting() const { return part_ == Part::one && first_->scouting(); }
  Progress progress() const;
  /// In words: "fly", "weigh", "fly, group 2 of 4".
  static std::string stage(const JourneyState& state);

  const exact::Walkers& cloud() const { return journeys_.empty() ? first_->cloud() : cloud_; }
  const Scouted& scouted() const { return scouted_; }
  const std::optional<judge::Certificate>& certificate() const;
  const std::vector<double>& pooled_means() const {
    return journeys_.empty() ? first_->pooled_means() : pooled_means_;
  }
  const std::vector<double>& pooled_sds() const {
    return journeys_.empty() ? first_->pooled_sds() : pooled_sds_;
  }
  bool settled() const;
  bool polished() const;
  /// Of each stage; `count` for groups at the end, `weigh` where there were several.
  std::vector<std::pair<std::string, std::uint64_t>> gradients() const;

  /// Where each group is highest; empty where there is one group.
  const std::vector<scout::Mode>& modes() const { return modes_; }
  std::size_t groups() const { return modes_.empty() ? 1 : modes_.size(); }
  /// Of each row of the cloud, when finished.
  const std::vector<std::size_t>& group_of_row() const { return group_; }
  /// Empty where groups were not weighed.
  const std::vector<scout::Share>& shares() const { return shares_; }
  /// What makes the shares unsure, in words; empty: nothing.
  const std::string& doubt() const { return doubt_; }

  /// As Journey's; of a journey over rows alone. With groups each place is asked of its own.
  void estimate(Rows<const double> x, Rows<double> score, std::span<double> log_density);
  bool over_rows() const { return rows_.has_value(); }
  /// With groups: what all of them read, and the worst of what was seen.
  RowsReport rows_report() const;

  JourneyState save() const;
  void restore(const JourneyState& state);

private:
  enum class Part : std::uint64_t { one, weigh_first, fly, weigh_last, finished };

  void unit();
  void one_group();
  void count_groups();
  void begin_groups(std::vector<scout::Mode> modes);
  void begin_journeys();
  void weigh();
  void follow();
  void gather(const std::vector<std::vector<std::size_t>>& rows);
  void put_together(const scout::Weighing& weighing);
  void certify();
  std::unique_ptr<Journey> journey(std::size_t particles, std::uint64_t seed,
                                   DensityOfRows density) const;
  std::unique_ptr<Journey> journey_of(std::size_t group) const;
  std::unique_ptr<Journey> journey_over_rows(std::size_t group) const;
  DensityOfRows within(std::size_t group, DensityOfRows density) const;
  scout::Weighing weighing() const;
  Frame::Matrix columns(const exact::Walkers& cloud) const;
  std::uint64_t seed_of(std::size_t group) const;

  DensityOfRows plain_;
  CountedDensity density_;
  std::size_t dim_;
  JourneySettings settings_;
  Threads& threads_;
  ReadColumns read_;
  bool has_density_;
  std::optional<RowDensity> rows_;

  // State, all of it saved.
  Part part_ = Part::one;
  std::unique_ptr<Journey> first_;
  Scouted scouted_;
  std::vector<scout::Mode> modes_;
  std::vector<scout::Share> shares_;
  std::vector<std::uint64_t> flown_; // particles of each journey
  std::vector<std::unique_ptr<Journey>> journeys_;
  std::array<std::uint64_t, stages> before_{};            // gradients of the first journey
  RowCounts scouted_rows_;                                // that it read
  std::uint64_t current_ = 0, counted_ = 0, weighed_ = 0; // the journey under way; gradients
  std::vector<double> drawn_;                             // of the last weighing
  // Follows from the state.
  exact::Walkers cloud_;
  std::vector<std::size_t> group_;
  std::optional<judge::Certificate> certificate_;
  std::vector<double> pooled_means_, pooled_sds_;
  std::string doubt_;
};

} // namespace starling::run
