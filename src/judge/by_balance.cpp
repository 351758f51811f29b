// The verdict by the balance of scores: all its thresholds, and the order in which they are asked.
#include <starling/judge/by_balance.hpp>

#include "judge/suspects.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace starling::judge {

namespace {

// What a cloud may be off by before it is said: a fifth of an sd in place, a fifth in spread (a
// quarter upwards), and in each case more than three standard errors of as many independent draws.
constexpr double tolerated_shift = 0.2, least_spread = 0.8, most_spread = 1.25, errors = 3;
// Three standard errors of an identity must be below this share of it, of a shift below this many
// sd, or nothing is confirmed. Of a normal that takes 73 particles; of scores with heavy tails,
// more.
constexpr double most_doubt = 0.5;
// What place and spread may change by, in spreads, from one quarter of the looks to the next.
constexpr double tolerated_move = 0.1;
// Widths that differ by more than this are beyond what one step size can serve.
constexpr double apart_in_scale = 100;
// A cloud that grows, with its scores, and is twice as wide as they say, has left.
constexpr double beyond_control = 4;
// Below this the slope at a single particle counts as flat.
constexpr double flat = 1e-2;

/// The parameter whose spread is least known, if that is too little.
std::optional<evidence::LeastKnown> least_known(const std::vector<Balance>& parameters,
                                                const std::vector<std::string>& names) {
  const auto least = std::max_element(
      parameters.begin(), parameters.end(),
      [](const Balance& a, const Balance& b) { return a.spread_se < b.spread_se; });
  if (errors * least->spread_se < 1 - least_spread)
    return std::nullopt;
  return evidence::LeastKnown{names[static_cast<std::size_t>(least - parameters.begin())],
                              least->spread, least->spread_se};
}

/// How wide a parameter is by what its scores say: of a normal the identity is (sd of the cloud /
/// sd)^2.
double width(const Balance& one) {
  return one.sd / std::sqrt(std::max(std::abs(one.spread), 1e-300));
}

/// The scales, where they are what holds up a cloud on its way.
evidence::MaybeUnlikeWidths unlike_widths(const std::vector<Balance>& parameters,
                                          const std::vector<std::string>& names) {
  const auto [least, most] =
      std::minmax_element(parameters.begin(), parameters.end(),
                          [](const Balance& a, const Balance& b) { return width(a) < width(b); });
  if (!(width(*most) > apart_in_scale * width(*least)))
    return std::nullopt;
  const auto name = [&](auto at) {
    return names[static_cast<std::size_t>(at - parameters.begin())];
  };
  return evidence::UnlikeWidths{width(*most) / width(*least), name(most), name(least)};
}

bool numbers(const std::vector<Balance>& parameters) {
  return std::all_of(parameters.begin(), parameters.end(), [](const Balance& one) {
    return std::isfinite(one.sd) && std::isfinite(one.shift) && std::isfinite(one.spread);
  });
}

/// A large error bar is no evidence that a cloud is right. Names the parameter least known: its
/// error bar is too large, or its figure is out of bounds and might be so by chance. None when all
/// are known well enough.
std::optional<evidence::TooFewParticles> too_few(const std::vector<Balance>& parameters,
                                                 std::size_t count,
                                                 const std::vector<std::string>& names,
                                                 bool periodic) {
  Suspects spread, place; // by how many times the error is too large
  const auto weigh = [](Suspects& which, std::size_t a, bool outside, double doubt) {
    if (outside || doubt > 1)
      which.add(a, outside ? std::max(doubt, std::sqrt(2.0)) : doubt);
  };
  for (std::size_t a = 0; a < parameters.size(); ++a) {
    const Balance& one = parameters[a];
    weigh(place, a, std::abs(one.shift) > tolerated_shift, errors * one.shift_se / most_doubt);
    if (!periodic)
      weigh(spread, a, one.spread < least_spread || one.spread > most_spread,
            errors * one.spread_se / (most_doubt * std::abs(one.spread)));
  }
  if (spread.count + place.count == 0)
    return std::nullopt;
  const bool by_spread = spread.fault >= place.fault;
  const Suspects& which = by_spread ? spread : place;
  const Balance& one = parameters[which.worst];
  // Errors fall as 1/sqrt(N); fewer than twice as many are not worth a second run.
  const double enough = static_cast<double>(count) * std::max(2.0, which.fault * which.fault);
  const double round = std::pow(10.0, std::max(0.0, std::floor(std::log10(enough)) - 1));
  return evidence::TooFewParticles{count,
                                   by_spread,
                                   names[which.worst],
                                   by_spread ? one.spread : one.shift,
                                   by_spread ? one.spread_se : one.shift_se,
                                   std::ceil(enough / round - 1e-9) * round};
}

} // namespace

Judgement judge_by_balance(const std::vector<Balance>& parameters, std::size_t count,
                           const std::vector<std::string>& names, bool periodic,
                           const std::vector<TraceRow>& trace) {
  if (!numbers(parameters))
    return {Verdict::diverged, evidence::NotNumbers{}};
  if (count == 1) { // the mode, not a sample: only the slope can be judged
    double steepest = 0;
    for (const Balance& one : parameters)
      steepest = std::max(steepest, std::abs(one.mean_score));
    return {steepest < flat ? Verdict::converged : Verdict::still_moving,
            evidence::OneParticle{steepest}};
  }
  Suspects shifted, narrow, wide;
  for (std::size_t a = 0; a < parameters.size(); ++a) {
    const Balance& one = parameters[a];
    if (std::abs(one.shift) > std::max(tolerated_shift, errors * one.shift_se))
      shifted.add(a, std::abs(one.shift));
    const double slack = errors * one.spread_se;
    if (!periodic && one.spread < least_spread && one.spread + slack < 1)
      narrow.add(a, 1 - one.spread);
    if (!periodic && one.spread > most_spread && one.spread - slack > 1)
      wide.add(a, one.spread);
  }
  const Trends going = periodic ? Trends() : trends(trace);
  const bool grows = going.spread.change > 0, travels = going.centre.beyond(tolerated_move);
  const bool mending =
      going.spread.beyond(least_trend) && (grows ? narrow.count > 0 : wide.count > 0);
  const auto wrong = [&](const Suspects& which) {
    return evidence::WrongSpread{which.count, parameters.size(), names[which.worst],
                                 parameters[which.worst].spread};
  };
  const auto unlike = unlike_widths(parameters, names);

  if (wide.fault > beyond_control && grows && going.spread.beyond(tolerated_move) &&
      going.score.change > 0 && going.score.beyond(tolerated_move))
    return {Verdict::diverged, evidence::GrowsWithoutEnd{wrong(wide), unlike}};
  if (shifted.count > 0)
    return {Verdict::still_moving,
            evidence::OffCentre{names[shifted.worst], shifted.fault, unlike}};
  if (travels)
    return {Verdict::still_moving, evidence::CentreMoves{std::abs(going.centre.change), unlike}};
  if (mending || (going.spread.beyond(tolerated_move) && wide.count + narrow.count == 0))
    return {Verdict::still_moving, evidence::SpreadChanges{going.spread.change, unlike}};
  if (narrow.count > 0)
    return {Verdict::collapsed, evidence::TooNarrow{wrong(narrow)}};
  if (wide.count > 0) {
    const bool in_batches = trace.empty() || trace.back().noise != 0;
    return {Verdict::noisy, evidence::TooWide{wrong(wide), in_batches}};
  }
  if (auto few = too_few(parameters, count, names, periodic))
    return {Verdict::cannot_tell, *std::move(few)};
  return {Verdict::converged,
          evidence::Balanced{periodic, periodic ? std::nullopt : least_known(parameters, names)}};
}

} // namespace starling::judge
