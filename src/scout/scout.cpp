// Scout: ways up, approximations around the best, the cloud to start from.
#include <starling/scout/scout.hpp>

#include <starling/error.hpp>
#include <starling/random/philox.hpp>
#include <starling/scout/candidates.hpp>
#include <starling/scout/climb.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace starling::scout {

namespace {

constexpr double radius = 2;
constexpr double clearly_higher = 0.5; // in log density: ends of one mode differ by far less
constexpr std::size_t attempts = 50, final_draws = 50, refit_draws = 64;
constexpr std::size_t quiet_rounds = 3, most_rounds = 10; // of the search for further modes

/// Where the ways up begin: uniform, drawn again where the density fails. Each has its mirror image
/// beside it: drawn one by one, all eight began on one side of two modes in 1 of 40 runs, and the
/// other was not seen.
std::vector<Place> beginnings(CountedDensity& density, std::size_t dim, std::size_t count,
                              const Philox& philox) {
  std::vector<Place> places;
  std::vector<std::size_t> missing(count);
  std::iota(missing.begin(), missing.end(), std::size_t{0});
  for (std::size_t attempt = 0; attempt < attempts && !missing.empty(); ++attempt) {
    Frame::Matrix x(Eigen::Index(missing.size()), Eigen::Index(dim)), score(x.rows(), x.cols());
    std::vector<double> log_density(missing.size());
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      const std::size_t place = missing[std::size_t(i)], mirrored = place % 2; // in pairs, x and -x
      for (Eigen::Index a = 0; a < x.cols(); ++a) {
        const auto index = (place - mirrored) * dim + std::size_t(a);
        const double u = 2 * uniform(philox(Stream::scout, scout_places + attempt, index)) - 1;
        x(i, a) = radius * (mirrored ? -u : u);
      }
    }
    density(rows_of(std::as_const(x)), rows_of(score), log_density);
    std::vector<std::size_t> still;
    for (std::size_t i = 0; i < missing.size(); ++i)
      if (std::isfinite(log_density[i]))
        places.push_back({x.row(Eigen::Index(i)), score.row(Eigen::Index(i)), log_density[i]});
      else
        still.push_back(missing[i]);
    missing = std::move(still);
  }
  if (places.empty())
    throw TargetError(0, 0,
                      "the log density is not finite at any of " +
                          std::to_string(count * attempts) +
                          " places drawn uniformly from (-2, 2) in every coordinate");
  return places;
}

/// The score, in the metric, is as long as the way left to the mode.
double way_left(const Frame& metric, const Place& end) {
  return metric.pull({end.score.data(), 1, metric.dim()}).norm();
}

/// Asks for the same places once more, in the opposite order: a density that answers by the row, by
/// the call or by chance has neither modes nor exact moves, and the search for them may never end.
/// Single numbers and sums in another order may differ by their rounding.
void expect_one_answer(CountedDensity& density, const std::vector<Place>& places) {
  constexpr double loose = 1e-2, of_size = 1e-4;
  const auto count = Eigen::Index(places.size()), last = count - 1;
  Frame::Matrix x(count, places.front().x.size()), score(count, x.cols());
  std::vector<double> again(places.size());
  for (Eigen::Index i = 0; i < count; ++i)
    x.row(i) = places[std::size_t(last - i)].x;
  density(rows_of(std::as_const(x)), rows_of(score), again);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double first = places[i].log_density, second = again[std::size_t(last) - i];
    if (!(std::abs(first - second) <= loose + of_size * std::abs(first)))
      throw TargetError(
          0, i,
          "it gives different answers for the same point: the log density is " + shown(first) +
              " in one call and " + shown(second) +
              " in another; it must depend only on the point, not on its row, the call or chance");
  }
}

/// The best end, then the others, then ways up from afar. An end that was still going up when its
/// iterations ran out is on its way to a mode and not at one.
std::vector<Mode> separate_modes(const std::vector<Place>& ends, const Place& best,
                                 const Frame& metric, CountedDensity& density, std::uint64_t seed,
                                 const Settings& settings, bool& stopped_counting) {
  ModeSearch search;
  search.dense_up_to = settings.dense_up_to;
  search.seed = seed;
  const Philox philox(seed);
  Modes modes(density, metric, search);
  modes.add(best, true);
  for (const Place& end : ends)
    modes.add(end, way_left(metric, end) <= still_climbing);
  modes.climb_from(modes.starts_afar(metric, philox, scout_afar));
  std::vector<Mode> found = modes.found();
  for (std::size_t round = 1, quiet = 0; found.size() > 1 && !modes.stopped_counting() &&
                                         quiet < quiet_rounds && round <= most_rounds;
       ++round) {
    const std::size_t before = found.size();
    Eigen::VectorXd middle =
        Eigen::VectorXd::Zero(best.x.size()); // from there a third may lie along a coordinate
    std::vector<Frame::Matrix> starts;
    for (std::size_t k = 0; k < before; ++k) {
      starts.push_back(modes.starts_afar(found[k].frame, philox, scout_afar + 1000 * round + k));
      middle += found[k].x / double(before);
    }
    const std::span<const double> at(middle.data(), std::size_t(middle.size()));
    starts.push_back(modes.starts_afar(Frame::from_numbers(at, metric.numbers(), metric.form()),
                                       philox, scout_afar + 1000 * round + 999));
    modes.climb_from(stacked(starts));
    found = modes.found();
    quiet = found.size() == before ? quiet + 1 : 0;
  }
  stopped_counting = modes.stopped_counting();
  return found;
}

} // namespace

Scouting::Scouting(CountedDensity& density, std::size_t dim, std::uint64_t seed,
                   const Settings& settings)
    : density_(&density), dim_(dim), seed_(seed), settings_(settings),
      form_(settings.form.value_or(dim <= settings.dense_up_to ? Frame::Form::dense
                                                               : Frame::Form::low_rank)) {}

bool Scouting::step() {
  const Philox philox(seed_);
  switch (part_) {
  case Part::begin: {
    std::vector<Place> places = beginnings(*density_, dim_, settings_.starts, philox);
    expect_one_answer(*density_, places);
    for (Place& place : places)
      climbs_.emplace_back(std::move(place), settings_.iterations);
  }
    part_ = Part::climb;
    return true;
  case Part::climb:
    if (climb_once(climbs_, *density_))
      return true;
    part_ = Part::climb_known;
    return true;
  case Part::climb_known: // apart from the others, whose bits stay as they are
    climb_from_known();
    for (const Climb& climb : climbs_)
      report_.tops.push_back(climb.top().log_density);
    report_.arrived = climbs_.size();
    best_ = std::size_t(std::ranges::max_element(report_.tops) - report_.tops.begin());
    part_ = Part::laplace;
    return true;
  case Part::laplace: {
    const Climb& best = climbs_[best_];
    candidates_.push_back(
        form_ == Frame::Form::dense ? laplace(best.top(), *density_)
        : form_ == Frame::Form::low_rank
            ? laplace_low_rank(best.top(), best.path(), *density_, philox, scout_probes)
            : laplace_diagonal(best.top(), *density_, philox, scout_probes));
    part_ = Part::pathfinder;
    return true;
  }
  case Part::pathfinder:
    if (auto found = pathfinder(climbs_[best_].path(), form_, *density_, philox, scout_pathfinder))
      candidates_.push_back(std::move(*found));
    part_ = way_left(candidates_.front(), climbs_[best_].top()) > still_climbing ? Part::others
                                                                                 : Part::choose;
    return true;
  case Part::others: // the highest end of ways that have none is chance
    if (other_ != best_)
      if (auto found = pathfinder(climbs_[other_].path(), form_, *density_, philox,
                                  scout_other_ways + other_))
        candidates_.push_back(std::move(*found));
    if (++other_ == climbs_.size())
      part_ = Part::refit;
    return true;
  case Part::refit: { // near a pole each normal is so much too narrow or wide that chance chooses
    const std::vector<Frame> ways(candidates_.begin() + 1, candidates_.end());
    if (ways.size() > 1)
      report_.on_ways.resize(Eigen::Index(ways.size()), Eigen::Index(dim_));
    for (Eigen::Index n = 0; n < report_.on_ways.rows(); ++n)
      report_.on_ways.row(n) = ways[std::size_t(n)].mean().transpose();
    for (Frame& frame : refitted(ways, refit_draws, *density_, philox, scout_refit))
      candidates_.push_back(std::move(frame));
    part_ = Part::choose;
    return true;
  }
  case Part::choose: {
    const std::vector<double> bounds =
        elbo(candidates_, final_draws, *density_, philox, scout_choice);
    const auto chosen =
        std::size_t(std::ranges::max_element(bounds) - bounds.begin()); // the first of equal ones
    report_.by_pathfinder = chosen > 0;
    report_.elbo = bounds[chosen];
    report_.frame = candidates_[chosen];
    part_ = Part::modes;
    return true;
  }
  case Part::modes: {
    std::vector<Place> ends;
    for (const Climb& climb : climbs_)
      ends.push_back(climb.top());
    report_.found = separate_modes(ends, climbs_[best_].top(), candidates_.front(), *density_,
                                   seed_, settings_, report_.stopped_counting);
    report_.modes = std::max<std::size_t>(1, report_.found.size());
    if (report_.modes == 1)
      report_.found.clear();
    part_ = Part::done;
    return false;
  }
  case Part::done:
    break;
  }
  return false;
}

/// Climbs from the places that the target knows. One that ends no higher than the best of the
/// others is forgotten: it found what they found, or less.
void Scouting::climb_from_known() {
  if (!settings_.climb_from)
    return;
  const std::vector<std::vector<double>> places = settings_.climb_from();
  Frame::Matrix x(Eigen::Index(places.size()), Eigen::Index(dim_)), score(x.rows(), x.cols());
  std::vector<double> log_density(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].size() != dim_)
      reject("climb_from", "places of " + std::to_string(dim_) + " numbers",
             std::to_string(places[i].size()));
    std::ranges::copy(places[i], rows_of(x)[i].begin());
  }
  (*density_)(rows_of(std::as_const(x)), rows_of(score), log_density);
  std::vector<Climb> known;
  for (Eigen::Index i = 0; i < x.rows(); ++i)
    if (std::isfinite(log_density[std::size_t(i)]))
      known.emplace_back(Place{x.row(i), score.row(i), log_density[std::size_t(i)]},
                         settings_.iterations);
  climb_all(known, *density_);
  double highest = -std::numeric_limits<double>::infinity();
  for (const Climb& climb : climbs_)
    highest = std::max(highest, climb.top().log_density);
  for (Climb& climb : known)
    if (climb.top().log_density > highest + clearly_higher)
      climbs_.push_back(std::move(climb));
}

Report scout(CountedDensity& density, std::size_t dim, std::uint64_t seed,
             const Settings& settings) {
  Scouting scouting(density, dim, seed, settings);
  while (scouting.step()) {
  }
  return scouting.report();
}

Frame::Matrix start(const Frame& frame, CountedDensity& density, std::size_t count,
                    std::uint64_t seed) {
  const Philox philox(seed);
  const std::size_t draws = 4 * count, d = frame.dim();
  double width = 1;
  for (int attempt = 0; attempt < 10; ++attempt, width /= 2) {
    const Frame::Matrix z =
        width * standard_normals(draws, d, philox, scout_start, std::size_t(attempt) * draws);
    Frame::Matrix x = frame.forward(z), score(x.rows(), x.cols());
    std::vector<double> weight(draws);
    density(rows_of(std::as_const(x)), rows_of(score), weight);
    const Frame::Matrix pulled = frame.pull(rows_of(std::as_const(score)));
    for (std::size_t i = 0; i < draws; ++i)
      if (!std::isfinite(pulled.row(Eigen::Index(i)).squaredNorm())) // no step could be taken there
        weight[i] = -std::numeric_limits<double>::infinity();
    std::size_t sound = 0;
    double highest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < draws; ++i) {
      sound += std::isfinite(weight[i]);
      weight[i] += 0.5 * z.row(Eigen::Index(i)).squaredNorm() / (width * width); // log pi/q
      highest = std::max(highest, weight[i]);
    }
    if (sound < count)
      continue;
    double mean = 0;
    for (double& w : weight)
      mean += std::exp(w - highest) / static_cast<double>(draws);
    const double cap = highest + std::log(mean) + 0.5 * std::log(static_cast<double>(draws));
    std::vector<std::pair<double, std::size_t>> keys(draws);
    for (std::size_t i = 0; i < draws; ++i) { // the largest of log w + Gumbel: drawn by weight
      const double u = uniform(philox(Stream::thin, std::uint64_t(attempt), i));
      keys[i] = {-(std::min(weight[i], cap) - std::log(-std::log(u))), i};
    }
    std::partial_sort(keys.begin(), keys.begin() + std::ptrdiff_t(count), keys.end());
    Frame::Matrix kept(Eigen::Index(count), x.cols());
    for (std::size_t i = 0; i < count; ++i)
      kept.row(Eigen::Index(i)) = x.row(Eigen::Index(keys[i].second));
    return kept;
  }
  throw TargetError(0, 0, "the log density is not finite around the mode that was found");
}

} // namespace starling::scout
