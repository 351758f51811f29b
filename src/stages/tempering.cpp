// Tempering: temperatures, weights, new draws and exact moves.
#include <starling/stages/tempering.hpp>

#include <starling/error.hpp>
#include <starling/stages/state.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace starling::stages {

namespace {

constexpr double wider = 8;  // the reference, than what the scout met
constexpr double within = 2; // scales of a prior, modes that the scout met
constexpr std::size_t freedom_of_reference = 5;
constexpr double of_few = 1.1; // an error from 16 islands: 2 of it cover 95 of 100
constexpr double worth = 0.5;  // of the particles, after a change of temperature
constexpr std::uint64_t moves_at_each = 6;
constexpr double accepted_at_each = 0.8;
constexpr double error_of_few = 0.25; // of a log density: about .86 of the moves are accepted
constexpr std::size_t dense_clouds_up_to = 50; // dimensions: of so few particles

/// (sum w)^2 / sum w^2 for w = e^(change l).
double worth_of(std::span<const double> log_ratios, double change) {
  const double top = *std::ranges::max_element(log_ratios);
  double sum = 0, squares = 0;
  for (const double l : log_ratios) {
    const double w = std::exp(change * (l - top));
    sum += w;
    squares += w * w;
  }
  return sum * sum / squares;
}

/// The largest change, up to `most`, after which enough of them is left.
double next_change(std::span<const double> log_ratios, double most) {
  const auto finite = std::ranges::count_if(log_ratios, [](double l) { return std::isfinite(l); });
  const double enough = worth * double(finite);
  if (worth_of(log_ratios, most) >= enough)
    return most;
  double low = 0, high = most;
  for (int k = 0; k < 60; ++k) {
    const double middle = (low + high) / 2;
    (worth_of(log_ratios, middle) >= enough ? low : high) = middle;
  }
  return low > 0 ? low : high;
}

Frame frame_of(const Cloud& cloud) {
  const Frame widths = Frame(cloud.dim()).refreshed(cloud.position());
  return cloud.dim() <= dense_clouds_up_to ? widths.densely().refreshed(cloud.position()) : widths;
}

double log_mean_exp(std::span<const double> values) {
  const double top = *std::ranges::max_element(values);
  double sum = 0;
  for (const double v : values)
    sum += std::exp(v - top);
  return top + std::log(sum / double(values.size()));
}

} // namespace

Tempering::Tempering(std::span<const scout::Mode> around, std::uint64_t seed, const Frame& prior)
    : seed_(whole_word(Philox(seed)(Stream::temper, 0, 0))) {
  Eigen::ArrayXd low = around[0].x.array(), high = low, width = 0 * low;
  for (const scout::Mode& one : around) {
    low = low.min(one.x.array());
    high = high.max(one.x.array());
    width = width.max(one.frame.spreads().array());
  }
  Eigen::ArrayXd middle = (low + high) / 2, scale = wider * width + (high - low) / 2;
  if (prior.dim() > 0) { // and within reach of all that the scout met
    middle = prior.mean().array();
    scale = prior.spreads().array().max(width).max(((high - middle).max(middle - low)) / within);
  }
  reference_.frame = Frame::diagonal(middle.matrix(), scale.matrix());
  reference_.freedom = freedom_of_reference;
}

/// Of a diagonal frame: slope of -(f + d)/2 log(1 + |y|^2/f), y = (x - m)/s. No scores: the log
/// density alone.
void Tempering::add_reference(Rows<const double> x, double temperature, Rows<double> score,
                              std::span<double> log_density) const {
  const Frame::Matrix y = reference_.frame.inverse(x);
  const Frame::Vector s = reference_.frame.spreads();
  const std::vector<double> under = reference_.log_density(x);
  const double f = double(reference_.freedom), d = double(x.dim), b = temperature;
  for (std::size_t i = 0; i < x.count; ++i) {
    const auto row = Eigen::Index(i);
    const double falls = (f + d) / (f + y.row(row).squaredNorm());
    for (std::size_t a = 0; a < score.dim; ++a)
      score[i][a] =
          b * score[i][a] - (1 - b) * falls * y(row, Eigen::Index(a)) / s[Eigen::Index(a)];
    log_density[i] = (1 - b) * under[i] + b * log_density[i];
  }
}

DensityOfRows Tempering::tempered(CountedDensity& density, double temperature) const {
  return [this, &density, temperature](Rows<const double> x, Rows<double> score,
                                       std::span<double> log_density) {
    density(x, score, log_density);
    add_reference(x, temperature, score, log_density);
  };
}

std::vector<double> Tempering::log_ratios() const {
  std::vector<double> ratios = reference_.log_density(cloud_.position());
  for (std::size_t i = 0; i < ratios.size(); ++i)
    ratios[i] = cloud_.log_density[i] - ratios[i];
  return ratios;
}

/// Systematic, in each island: places u, u + 1, ... on the sum of its weights.
Cloud Tempering::drawn_anew(std::span<const double> log_weights) const {
  std::vector<std::size_t> rows;
  for (std::size_t g = 0; g < islands; ++g) {
    std::size_t first = g * of_an_island, count = of_an_island;
    if (!std::isfinite(
            *std::ranges::max_element(log_weights.subspan(first, count)))) // lost: from all
      first = 0, count = log_weights.size();
    const std::span<const double> own = log_weights.subspan(first, count);
    const double top = *std::ranges::max_element(own);
    double total = 0, sum = 0;
    for (const double l : own)
      total += std::exp(l - top);
    double at = uniform(Philox(seed_)(Stream::temper, units_, g));
    std::size_t i = 0;
    sum = std::exp(own[0] - top);
    for (std::size_t n = 0; n < of_an_island; ++n, at += 1) {
      while (sum < at * total / double(of_an_island) && i + 1 < count)
        sum += std::exp(own[++i] - top);
      rows.push_back(first + i);
    }
  }
  Cloud made = some_of(cloud_, rows);
  std::iota(made.id.begin(), made.id.end(), std::uint64_t{0}); // else copies would move alike
  return made;
}

/// Whether few rows say at this temperature nearly what all do, whose log densities the cloud has.
/// Then its scores are theirs.
bool Tempering::few_lead(Cloud& cloud, const FewRowsLead& lead, double temperature) const {
  if (!lead.few)
    return false;
  Cloud few = cloud_at(cloud.position(), *lead.few);
  Eigen::ArrayXd off(Eigen::Index(cloud.count()));
  for (std::size_t i = 0; i < cloud.count(); ++i)
    off[Eigen::Index(i)] = temperature * (few.log_density[i] - cloud.log_density[i]);
  if (!(std::sqrt((off - off.mean()).square().mean()) <= error_of_few))
    return false;
  cloud.score = std::move(few.score);
  return true;
}

/// Every other island, in the frame of the others: in that of their own particles, moves would not
/// leave the density as it is.
void Tempering::move(Cloud& cloud, CountedDensity& density, const exact::LogDensities& ends,
                     double& leap, Threads& threads) const {
  std::array<std::vector<std::size_t>, 2> rows;
  for (std::size_t i = 0; i < cloud.count(); ++i)
    rows[i / of_an_island % 2].push_back(i);
  std::array<Cloud, 2> halves = {some_of(cloud, rows[0]), some_of(cloud, rows[1])};
  const std::array<Frame, 2> frames = {frame_of(halves[1]), frame_of(halves[0])};
  for (std::uint64_t k = 0; k < moves_at_each; ++k) {
    double accepted = 0;
    for (std::size_t h = 0; h < 2; ++h)
      accepted += exact::move(halves[h], frames[h], {.step = leap}, density, seed_,
                              units_ * moves_at_each + k, ends, threads)
                      .accepted /
                  2;
    leap *= std::exp(accepted - accepted_at_each);
  }
  for (std::size_t h = 0; h < 2; ++h)
    for (std::size_t n = 0; n < rows[h].size(); ++n)
      cloud.x.row(Eigen::Index(rows[h][n])) = halves[h].x.row(Eigen::Index(n));
}

void Tempering::unit(CountedDensity& density, Threads& threads, const FewRowsLead& lead) {
  if (units_ == 0) {
    const Frame::Matrix x =
        reference_.draw(Philox(seed_), Stream::temper, 0, islands * of_an_island);
    cloud_ = cloud_at(rows_of(x), density);
    log_z_.assign(islands, 0.0);
    ++units_;
    return;
  }
  std::vector<double> log_weights = log_ratios();
  if (!std::isfinite(*std::ranges::max_element(log_weights)))
    throw TargetError(0, 0, "the log density is not finite at any draw of the wide reference");
  const double change = next_change(log_weights, 1 - temperature_);
  for (double& l : log_weights)
    l *= change;
  const double now = temperature_ + change >= 1 ? 1 : temperature_ + change;
  Cloud moved = drawn_anew(log_weights);
  const bool few = few_lead(moved, lead, now);
  add_reference(moved.position(), now, rows_of(moved.score), moved.log_density);
  CountedDensity at_now(tempered(few ? *lead.few : density, now));
  exact::LogDensities ends;
  if (few)
    ends = [&](Rows<const double> x, std::span<double> log_density) {
      lead.all(x, log_density);
      add_reference(x, now, {}, log_density);
    };
  double leap = leap_;
  move(moved, at_now, ends, leap, threads);
  Cloud there = cloud_at(moved.position(), density);
  for (std::size_t g = 0; g < islands; ++g)
    log_z_[g] +=
        log_mean_exp(std::span<const double>(log_weights).subspan(g * of_an_island, of_an_island));
  cloud_ = std::move(there);
  temperature_ = now;
  leap_ = leap;
  ++units_;
}

judge::LogEvidence Tempering::evidence() const {
  judge::LogEvidence found;
  found.value = log_mean_exp(log_z_);
  double squares = 0;
  for (const double l : log_z_)
    squares += std::pow(std::exp(l - found.value) - 1, 2);
  found.se = of_few * std::sqrt(squares / double(islands * (islands - 1)));
  found.overlap = worth;
  found.draws = cloud_.count();
  return found;
}

void Tempering::check(std::size_t dim) const {
  must_fit(!begun() || reference_.frame.dim() == dim);
  must_fit(cloud_, dim, islands * of_an_island, units_ == 0);
  must_fit(log_z_.size() == (units_ > 0 ? islands : 0) && reference_.freedom <= 30);
}

} // namespace starling::stages
