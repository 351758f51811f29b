// The bend of a cloud and its scores: found by a search, or as the one before it.
#include <starling/bend.hpp>

#include "frame/search_bend.hpp"

#include <limits>
#include <set>
#include <utility>

namespace starling {

namespace bending {

namespace {

constexpr std::size_t least_rows = 40; // of a cloud
constexpr double is_good = 0.2; // of the excess is left with the controllers before: no search

/// What a bend has to be worth: how far scores are from linear before, and which share may be left.
struct Worth {
  double least, left;
};
constexpr Worth if_asked{0.01, 0.95}, by_itself{0.2, 0.85};

/// The same controllers as before, fitted again.
BentCloud as_before(BentCloud cloud, const Bend& before) {
  std::set<std::size_t> waiting; // controllers whose scores are not yet what they will be
  for (auto one = before.dependents().rbegin(); one != before.dependents().rend(); ++one) {
    if (waiting.contains(one->parameter)) {
      cloud.follow();
      waiting.clear();
    }
    Dependent again = cloud.controlled(one->parameter, one->controllers);
    cloud.fit(again, Part::fitted);
    cloud.take(again);
    waiting.insert(one->controllers.begin(), one->controllers.end());
  }
  cloud.follow();
  return cloud;
}

} // namespace

} // namespace bending

std::optional<Bend> fit_bend(Rows<const double> x, Rows<const double> score, bool asked,
                             const Bend* before) {
  using namespace bending;
  if (x.count < least_rows || x.dim < 2 || score.count != x.count)
    return {};
  const Worth worth = asked ? if_asked : by_itself;
  BentCloud cloud(x, score);
  const double straight = cloud.excess();
  if (!(straight > worth.least))
    return {};
  std::optional<BentCloud> best;
  double left = std::numeric_limits<double>::infinity(); // of the excess, by the best
  const auto take = [&](BentCloud found) {
    const double excess = found.excess();
    if (best && !(excess < left))
      return;
    best = std::move(found);
    left = excess;
  };
  if (before && before->dim() == x.dim)
    take(as_before(cloud, *before));
  if (!best || left > is_good * straight)
    take(searched(std::move(cloud)));
  if (!best->any_taken() || !(left < worth.left * straight))
    return {};
  return best->bend();
}

} // namespace starling
