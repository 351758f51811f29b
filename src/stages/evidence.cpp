// The log evidence of a group of particles by bridge sampling, and of several groups.
#include <starling/stages/journey.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace starling::stages {

namespace {

// As in a round of settling: moves about as long as the density is wide.
constexpr TrialPlan long_moves{
    .most_leaps = 31, .length = 4, .acceptance = 0.8, .moves = 0, .adapts = true};
constexpr std::size_t most_numbers_met = 8'000'000; // that the fit is made of

void append(Cloud& all, const Cloud& more) {
  const Eigen::Index before = all.x.rows();
  all.x.conservativeResize(before + more.x.rows(), more.x.cols());
  all.score.conservativeResize(all.x.rows(), all.x.cols());
  all.x.bottomRows(more.x.rows()) = more.x;
  all.score.bottomRows(more.x.rows()) = more.score;
  all.log_density.insert(all.log_density.end(), more.log_density.begin(), more.log_density.end());
  for (std::size_t i = 0; i < more.count(); ++i)
    all.id.push_back(all.id.size());
}

} // namespace

/// The later half of these moves: by then the walkers are where the density is.
void Evidence::keep_met(const Context& context) {
  const std::uint64_t to_fit = moves(context) / 2;
  const std::size_t fit = most_numbers_met / std::size_t(trial_.walkers().x.size());
  const std::uint64_t clouds = std::clamp<std::uint64_t>(fit, 1, (to_fit + 1) / 2);
  if (done_ + clouds > to_fit)
    append(met_, trial_.walkers());
}

void Evidence::make_fits(const Context& context, const State& state) {
  const std::size_t walkers = trial_.walkers().count();
  for (std::size_t half = 0; half < 2; ++half) {
    std::vector<std::size_t> rows;
    for (std::size_t n = 0; n < met_.count(); ++n)
      if (n % walkers % 2 == half)
        rows.push_back(n);
    const Cloud own = some_of(met_, rows);
    fits_[half] = scout::likeliest_student(context.reframed(state.frame, own), own.position());
  }
  met_ = {};
}

/// As many as half the walkers are, by what decides on their moves.
std::vector<double> Evidence::ratios_at_fit(const Context& context, std::size_t half) const {
  const Frame::Matrix x = fits_[half].draw(Philox(context.settings.seed), Stream::evidence,
                                           2 * done_ + half, trial_.walkers().count() / 2);
  Frame::Matrix score(x.rows(), x.cols());
  std::vector<double> ratios(std::size_t(x.rows()));
  if (const exact::LogDensities decide = context.guide.decider())
    decide(rows_of(x), ratios);
  else
    context.guide.density()(rows_of(x), rows_of(score), ratios);
  const std::vector<double> under = fits_[half].log_density(rows_of(x));
  for (std::size_t i = 0; i < ratios.size(); ++i)
    ratios[i] =
        std::isfinite(ratios[i]) ? ratios[i] - under[i] : -std::numeric_limits<double>::infinity();
  return ratios;
}

/// Of the walkers that the fit was not made of.
void Evidence::add_draws(std::size_t half) {
  const Cloud& now = trial_.walkers();
  const std::vector<double> under = fits_[half].log_density(now.position());
  for (std::size_t i = 1 - half; i < now.count(); i += 2)
    at_draws_[half].push_back(now.log_density[i] - under[i]);
}

void Evidence::begin(const Context& context, State& state) {
  const std::size_t most = std::min(context.settings.walkers, state.cloud.count());
  TrialPlan plan = long_moves;
  plan.moves = moves(context);
  Cloud walkers = context.guide.walkers(state.cloud, most - most % 2);
  context.guide.before_moves(walkers, true);
  trial_ = Trial(context, state, std::move(walkers), plan);
}

bool Evidence::unit(const Context& context, State& state) {
  if (done_ == 0) {
    begin(context, state);
    ++done_;
    return false;
  }
  const std::uint64_t to_fit = moves(context) / 2;
  std::array<std::vector<double>, 2> fresh;
  for (std::size_t half = 0; half < 2 && done_ > to_fit; ++half)
    fresh[half] = ratios_at_fit(context, half);
  trial_.move(context, state);
  if (done_ <= to_fit)
    keep_met(context);
  if (done_ == to_fit)
    make_fits(context, state);
  for (std::size_t half = 0; half < 2 && done_ > to_fit; ++half) {
    add_draws(half);
    at_fit_[half].insert(at_fit_[half].end(), fresh[half].begin(), fresh[half].end());
  }
  ++done_;
  if (!trial_.over())
    return false;
  const std::size_t walkers = trial_.walkers().count() / 2;
  const judge::LogEvidence beside = context.guide.evidence_beside_decider(trial_.walkers());
  judge::LogEvidence found = judge::mean_of(judge::bridge(at_draws_[0], walkers, at_fit_[0]),
                                            judge::bridge(at_draws_[1], walkers, at_fit_[1]));
  found.value += beside.value;
  found.se = std::hypot(found.se, beside.se);
  state.evidence = found;
  return true;
}

void Evidence::check(const Context& context, const State&) const {
  const std::size_t walkers = trial_.walkers().count();
  const std::uint64_t all = moves(context), to_fit = all / 2;
  trial_.check(context, done_ > 0);
  must_fit(done_ <= all && walkers % 2 == 0);
  must_fit(met_, context.dim(), met_.count(), true);
  const std::uint64_t counted = done_ > to_fit + 1 ? done_ - to_fit - 1 : 0;
  for (std::size_t half = 0; half < 2; ++half) {
    must_fit(at_draws_[half].size() == counted * walkers / 2);
    must_fit(at_fit_[half].size() == at_draws_[half].size());
    must_fit(fits_[half].frame.dim() == (done_ > to_fit ? context.dim() : 0));
    must_fit(fits_[half].freedom <= 30);
  }
}

/// log sum Z_g; its error by the shares of the sum.
std::optional<judge::LogEvidence> Journey::evidence() const {
  judge::LogEvidence all;
  double top = -std::numeric_limits<double>::infinity();
  for (const auto& one : groups_) {
    if (!one->state().evidence)
      return std::nullopt;
    top = std::max(top, one->state().evidence->value);
  }
  if (groups_.size() == 1)
    return groups_[0]->state().evidence;
  double sum = 0, variance = 0;
  for (const auto& one : groups_) {
    const judge::LogEvidence& own = *one->state().evidence;
    sum += std::exp(own.value - top);
    variance += std::pow(std::exp(own.value - top) * own.se, 2);
    all.draws += own.draws;
  }
  all.value = top + std::log(sum);
  all.se = std::sqrt(variance) / sum;
  for (const auto& one : groups_) {
    const judge::LogEvidence& own = *one->state().evidence;
    all.overlap += std::exp(own.value - top) / sum * own.overlap;
  }
  return all;
}

double Journey::evidence_against_shares() const {
  const std::optional<judge::LogEvidence> all = evidence();
  double most = 0;
  for (std::size_t g = 0; all && g < weights_.shares.size() && split(); ++g) {
    const judge::LogEvidence& own = *groups_[g]->state().evidence;
    const double share = std::exp(own.value - all->value);
    const double se = std::hypot(share * (1 - share) * own.se, share * all->se);
    const scout::Share& weighed = weights_.shares[g];
    most = std::max(most, std::abs(share - weighed.share) / std::hypot(se, weighed.se));
  }
  return most;
}

} // namespace starling::stages
