// Scout of a density with many rows.
#include <starling/scout/many_rows.hpp>

#include <starling/error.hpp>
#include <starling/scout/candidates.hpp>
#include <starling/scout/few_rows.hpp>
#include <starling/scout/modes.hpp>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace starling::scout {

namespace {

constexpr std::size_t most_steps = 40, most_halvings = 12;
constexpr double short_enough = 0.01; // the last step of Newton, in widths
constexpr std::size_t more = 8;       // times the rows climbed on, before all of them
constexpr double flattest = 1e-8;

/// Prior and all rows around x.
std::optional<Expansion> expand(const RowDensity& density, const Eigen::VectorXd& x,
                                RowCounts& counts) {
  const auto d = static_cast<std::size_t>(x.size());
  Place at{x, Eigen::VectorXd(x.size()), 0};
  Expansion made;
  if (density.expand) {
    CountedDensity prior(density.prior);
    prior({x.data(), 1, d}, {at.score.data(), 1, d}, {&at.log_density, 1});
    made = density.expand(x);
    made.curvature += curvature(at, prior);
    made.score += at.score;
    made.log_density += at.log_density;
    counts.reads += density.rows;
    counts.visits += density.rows;
  } else {
    CountedDensity all(density.all);
    all({x.data(), 1, d}, {at.score.data(), 1, d}, {&at.log_density, 1});
    if (std::isfinite(at.log_density))
      made.curvature = curvature(at, all);
    made.score = at.score;
    made.log_density = at.log_density;
    counts.reads += 3 * density.rows;
    counts.visits += all.gradients() * density.rows;
  }
  if (!std::isfinite(made.log_density) || !made.score.allFinite() || !made.curvature.allFinite())
    return std::nullopt;
  return made;
}

/// The normal with this curvature. Directions that bend upwards count as bending down as much: a
/// step of Newton then still leads up.
Frame metric(const Eigen::VectorXd& mean, const Eigen::MatrixXd& curvature) {
  const Eigen::VectorXd width = curvature.diagonal().unaryExpr(
      [](double c) { return std::abs(c) > 1e-200 ? 1 / std::sqrt(std::abs(c)) : 1.0; });
  const Eigen::MatrixXd scaled = width.asDiagonal() * curvature * width.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scaled);
  const Eigen::VectorXd inverse = solver.eigenvalues().cwiseAbs().cwiseMax(flattest).cwiseInverse();
  const Eigen::MatrixXd stretched = solver.eigenvectors() * inverse.asDiagonal();
  const Eigen::MatrixXd covariance = stretched * solver.eigenvectors().transpose();
  return Frame::from_covariance(
      mean, Frame::Matrix(width.asDiagonal() * covariance * width.asDiagonal()));
}

struct Top {
  Eigen::VectorXd x;
  Expansion here;
  Frame frame;
};

/// Newton's steps from x.
Top climb(const RowDensity& density, Eigen::VectorXd x, RowCounts& counts) {
  std::optional<Expansion> here = expand(density, x, counts);
  if (!here)
    throw TargetError(0, 0,
                      "the log density of all rows is not finite at the mode of some of them");
  Frame frame = metric(x, here->curvature);
  for (std::size_t step = 0; step < most_steps; ++step) {
    const Frame::Matrix uphill = frame.pull({here->score.data(), 1, density.dim});
    Eigen::VectorXd way = frame.along_rows(uphill).row(0);
    if (uphill.norm() < short_enough)
      break;
    std::optional<Expansion> there;
    for (std::size_t half = 0; half < most_halvings; ++half, way /= 2) {
      there = expand(density, x + way, counts);
      if (there && there->log_density > here->log_density)
        break;
      there.reset();
    }
    if (!there) // rounding: no step leads up any more
      break;
    x += way;
    here = std::move(there);
    frame = metric(x, here->curvature);
  }
  return {x, *here, frame};
}

/// The modes of some rows, each climbed on all of them.
std::vector<Mode> on_all_rows(const RowDensity& density, const std::vector<Mode>& found,
                              const Frame& frame, std::uint64_t seed, RowCounts& counts) {
  CountedDensity all(density.all);
  ModeSearch search;
  search.seed = seed;
  Modes modes(all, frame, search);
  for (const Mode& one : found) {
    const Top top = climb(density, one.x, counts);
    modes.add({top.x, top.here.score, top.here.log_density}, true);
  }
  std::vector<Mode> kept = modes.found();
  counts.visits += all.gradients() * density.rows;
  counts.reads += 3 * density.rows;
  return kept;
}

} // namespace

Report scout(const RowDensity& density, std::uint64_t seed, RowCounts& counts,
             const Settings& settings) {
  const std::size_t d = density.dim;
  const std::size_t m = density.rows < 2 * climbed_rows ? density.rows : climbed_rows;
  const std::vector<std::uint32_t> rows = even_rows(density.rows, m, seed);
  const std::vector<double> weights(m, static_cast<double>(density.rows) / static_cast<double>(m));
  const DensityOfRows likelihood = density.some(rows, weights);
  CountedDensity few([&](Rows<const double> x, Rows<double> score, std::span<double> log_density) {
    Frame::Matrix prior_score(Eigen::Index(x.count), Eigen::Index(x.dim));
    std::vector<double> prior(x.count);
    density.prior(x, rows_of(prior_score), prior);
    likelihood(x, score, log_density);
    Frame::map(score) += prior_score;
    for (std::size_t i = 0; i < x.count; ++i)
      log_density[i] += prior[i];
  });
  Settings with_known = settings;
  if (!with_known.climb_from)
    with_known.climb_from = density.climb_from;
  Report report = scout(few, d, seed, with_known);
  counts.reads += m;
  counts.visits += few.gradients() * m;

  Top top{report.frame.mean(), {}, {}};
  if (const std::size_t middle = more * m;
      density.expand && density.rows > 2 * middle) { // a good part of the way, for less
    const std::vector<std::uint32_t> more_rows = even_rows(density.rows, middle, seed);
    const std::vector<double> each(middle,
                                   static_cast<double>(density.rows) / static_cast<double>(middle));
    RowDensity part = density;
    part.rows = middle;
    part.expand = density.expand_some(more_rows, each);
    top = climb(part, top.x, counts);
  }
  top = climb(density, top.x, counts);
  if (report.found.size() > 1) {
    report.found = on_all_rows(density, report.found, top.frame, seed, counts);
    report.modes = std::max<std::size_t>(1, report.found.size());
    if (report.found.size() < 2)
      report.found.clear();
  }
  report.frame = top.frame;
  report.by_pathfinder = false;
  // Laplace's estimate of the evidence, in place of the bound that would take draws.
  report.elbo = top.here.log_density + top.frame.log_determinant() +
                0.5 * static_cast<double>(d) * std::log(2 * std::numbers::pi);
  return report;
}

Frame::Matrix draws(const Frame& frame, std::size_t count, std::uint64_t seed) {
  return frame.forward(standard_normals(count, frame.dim(), Philox(seed), scout_start_over_rows));
}

} // namespace starling::scout
