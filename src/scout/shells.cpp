// Mass around a cloud's own centre that the cloud has not met.
#include <starling/scout/shells.hpp>

#include <starling/scout/candidates.hpp>
#include <starling/scout/student.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace starling::scout {

namespace {

constexpr std::size_t rows_for_a_dimension = 10;
constexpr double least_missed = 0.05;
constexpr double least_effective = 3; // places that the mass is spread over
constexpr double higher_top = 2;      // than a normal's top, in log density
constexpr double shell_errors = 2.5;  // standard errors
constexpr std::size_t shell_draws = 256, shell_freedom = 5;
constexpr double no_mass = -std::numeric_limits<double>::infinity();

bool too_few_rows(const Cloud& rows) { return rows.count() < rows_for_a_dimension * rows.dim(); }

struct LogMass {
  double bound = 0, se = 0;
};
/// The logarithm of the mass that the rows stand for: a bound from above.
LogMass log_mass_of(const Cloud& rows, const Frame& frame) {
  const std::vector<double> fitted = Student{frame, 0}.log_density(rows.position());
  Eigen::ArrayXd each(Eigen::Index(rows.count()));
  for (std::size_t i = 0; i < rows.count(); ++i)
    each[Eigen::Index(i)] = rows.log_density[i] - fitted[i];
  const double d = double(rows.dim()), n = double(rows.count()), mean = each.mean();
  return {mean + d * (d + 3) / 2 / n, std::sqrt((each - mean).square().mean() / n)};
}

/// Weights whose logarithms these are, divided by the largest.
Eigen::ArrayXd relative_weights(std::span<const double> logarithms, double largest) {
  Eigen::ArrayXd weight(Eigen::Index(logarithms.size()));
  for (std::size_t n = 0; n < logarithms.size(); ++n)
    weight[Eigen::Index(n)] = std::isfinite(largest) ? std::exp(logarithms[n] - largest) : 0;
  return weight;
}

} // namespace

std::optional<MissedPart> mass_farther_out(const Cloud& rows, const Frame& frame,
                                           const Cloud& places,
                                           std::span<const double> log_volume) {
  if (too_few_rows(rows) || places.count() == 0)
    return std::nullopt;
  const double farthest = frame.inverse(rows.position()).rowwise().norm().maxCoeff();
  const Eigen::VectorXd distance = frame.inverse(places.position()).rowwise().norm();
  std::vector<double> mass(places.count(), no_mass);
  for (std::size_t n = 0; n < places.count(); ++n)
    if (distance[Eigen::Index(n)] > farthest && std::isfinite(places.log_density[n]))
      mass[n] = places.log_density[n] + log_volume[n];
  const double largest = *std::ranges::max_element(mass);
  const Eigen::ArrayXd weight = relative_weights(mass, largest);
  const double total = weight.sum(), squares = weight.square().sum();
  if (!(total * total >= least_effective * squares) || total == 0)
    return std::nullopt;
  const LogMass known = log_mass_of(rows, frame);
  const double share = 1 / (1 + std::exp(known.bound - largest - std::log(total)));
  const double se = share * (1 - share) * std::hypot(std::sqrt(squares) / total, known.se);
  if (!(share > least_missed + shell_errors * se))
    return std::nullopt;
  const double d = double(rows.dim());
  const double wide = std::sqrt((weight * distance.array().square()).sum() / total / d);
  std::vector<double> numbers = frame.numbers();
  for (double& number : numbers)
    number *= wide;
  return MissedPart{share,
                    Frame::from_numbers({frame.mean().data(), rows.dim()}, numbers, frame.form())};
}

std::optional<MissedPart> mass_at_top(const Cloud& rows, const Frame& frame, const Mode& top,
                                      CountedDensity& density, const Philox& philox, Step step) {
  const double n = double(rows.count()), d = double(rows.dim());
  const double mean = std::accumulate(rows.log_density.begin(), rows.log_density.end(), 0.0) / n;
  if (too_few_rows(rows) || !(top.log_density > mean + d / 2 + higher_top))
    return std::nullopt;
  const Frame::Matrix at_top = top.x.transpose();
  const Cloud there = cloud_at(rows_of(at_top), density);
  const Place place{top.x, there.score.row(0), top.log_density};
  const Student fit{laplace(place, density), shell_freedom};
  const Student cloud{frame, shell_freedom};
  const Frame::Matrix x = fit.draw(philox, Stream::look_around, step, shell_draws);
  const Cloud draws = cloud_at(rows_of(x), density);
  const auto denser = [&](Rows<const double> at) {
    std::vector<double> by = fit.log_density(at);
    const std::vector<double> than = cloud.log_density(at);
    for (std::size_t i = 0; i < by.size(); ++i)
      by[i] -= than[i];
    return by;
  };
  const std::vector<double> inside = denser(draws.position()), under = fit.log_density(rows_of(x));
  std::vector<double> mass(shell_draws, no_mass);
  for (std::size_t i = 0; i < shell_draws; ++i)
    if (inside[i] > 0 && std::isfinite(draws.log_density[i]))
      mass[i] = draws.log_density[i] - under[i];
  const double largest = *std::ranges::max_element(mass);
  const Eigen::ArrayXd weight = relative_weights(mass, largest);
  const double total = weight.mean();
  const double met =
      double(std::ranges::count_if(denser(rows.position()), [](double by) { return by > 0; })) / n;
  if (!(total > 0))
    return std::nullopt;
  const LogMass known = log_mass_of(rows, frame);
  const double others = (1 - met) * std::exp(known.bound - largest);
  const double share = total / (total + others);
  const double se_of_log = std::sqrt((weight / total - 1).square().mean() / double(shell_draws));
  const double se = std::hypot(share * (1 - share) * std::hypot(se_of_log, known.se),
                               std::sqrt(met * (1 - met) / n));
  if (!(share - met > least_missed + shell_errors * se))
    return std::nullopt;
  return MissedPart{share - met, fit.frame};
}

} // namespace starling::scout
