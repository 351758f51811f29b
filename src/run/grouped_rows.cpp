// Groups of a density over many rows: a journey over rows around each mode, in its part of space.
#include <starling/run/grouped_journey.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace starling::run {

/// Outside the group's part all rows and the prior fail; few rows need not, since the prior is
/// added to them.
std::unique_ptr<Journey> GroupedJourney::journey_over_rows(std::size_t group) const {
  JourneySettings settings = settings_;
  settings.particles = flown_[group];
  settings.seed = seed_of(group);
  settings.batch_size = std::min<std::size_t>(settings.batch_size, flown_[group]);
  RowDensity own = *rows_;
  own.all = within(group, rows_->all);
  own.prior = within(group, rows_->prior);
  if (rows_->values) {
    const auto nothing = [](Rows<const double>, Rows<double>, std::span<double> log_density) {
      std::ranges::fill(log_density, 0.0);
    };
    own.values = [values = rows_->values, part = within(group, nothing)](
                     Rows<const double> x, std::span<double> log_density) {
      std::vector<double> unused(x.size()), inside(x.count);
      part(x, {unused.data(), x.count, x.dim}, inside);
      values(x, log_density);
      for (std::size_t i = 0; i < x.count; ++i)
        log_density[i] += inside[i];
    };
  }
  return std::make_unique<Journey>(std::move(own), settings, threads_, read_);
}

void GroupedJourney::estimate(Rows<const double> x, Rows<double> score,
                              std::span<double> log_density) {
  if (journeys_.empty())
    return first_->estimate(x, score, log_density);
  const std::vector<std::size_t> group = weighing().group_of(x);
  for (std::size_t i = 0; i < x.count; ++i)
    journeys_[group[i]]->estimate(x.slice(i, i + 1), score.slice(i, i + 1),
                                  log_density.subspan(i, 1));
}

RowsReport GroupedJourney::rows_report() const {
  if (journeys_.empty())
    return *first_->over_rows();
  RowsReport all{rows_->rows, journeys_[0]->over_rows()->a_step};
  all.read[std::size_t(Stage::scout)] = scouted_rows_;
  all.by_guide = true;
  for (const auto& one : journeys_) {
    const RowsReport& own = *one->over_rows();
    for (std::size_t s = 0; s < stages; ++s) {
      all.read[s].reads += own.read[s].reads;
      all.read[s].visits += own.read[s].visits;
    }
    all.noise = std::max(all.noise, own.noise);
    all.away = std::max(all.away, own.away);
    all.lack = own.lack > all.lack || std::isnan(own.lack)
                   ? own.lack
                   : all.lack; // one that is no number is kept
    all.by_guide = all.by_guide && own.by_guide;
  }
  return all;
}

} // namespace starling::run
