// Laplace's approximation, Pathfinder, and the ELBO that chooses between them.
#include <starling/scout/candidates.hpp>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace starling::scout {

namespace {

constexpr double least_eigenvalue = 1e-8;
constexpr double worth_a_step = 1e-6; // in log density
constexpr Eigen::Index probes = 64;
constexpr std::size_t history = 6, elbo_draws = 10, most_places = 60;

/// The scores' differences along every coordinate, with a step for each.
Eigen::MatrixXd differences(const Place& at, const Eigen::VectorXd& step, CountedDensity& density) {
  const Eigen::Index d = at.x.size();
  Frame::Matrix x(2 * d, d), score(2 * d, d);
  std::vector<double> log_density(static_cast<std::size_t>(2 * d));
  for (Eigen::Index a = 0; a < d; ++a) {
    x.row(2 * a) = x.row(2 * a + 1) = at.x;
    x(2 * a, a) += step[a];
    x(2 * a + 1, a) -= step[a];
  }
  density(rows_of(std::as_const(x)), rows_of(score), log_density);
  Eigen::MatrixXd h(d, d);
  for (Eigen::Index a = 0; a < d; ++a) {
    const bool up = std::isfinite(log_density[std::size_t(2 * a)]);
    const bool down = std::isfinite(log_density[std::size_t(2 * a + 1)]);
    const Eigen::VectorXd above = up ? Eigen::VectorXd(score.row(2 * a)) : at.score;
    const Eigen::VectorXd below = down ? Eigen::VectorXd(score.row(2 * a + 1)) : at.score;
    const double width = (x(2 * a, a) - at.x[a]) * up + (at.x[a] - x(2 * a + 1, a)) * down;
    if (width > 0)
      h.col(a) = (below - above) / width;
    else // the density fails on both sides: it is narrower than the step
      h.col(a) = Eigen::VectorXd::Unit(d, a) / (step[a] * step[a]);
  }
  return (h + h.transpose()) / 2;
}

/// Widths from a curvature's diagonal.
Eigen::VectorXd widths(const Eigen::MatrixXd& curvature) {
  return curvature.diagonal().unaryExpr([](double c) {
    return std::isfinite(c) && std::abs(c) > 1e-200 ? 1 / std::sqrt(std::abs(c)) : 1.0;
  });
}

/// The diagonal inverse curvature after one more step (Gilbert and Lemarechal).
Eigen::VectorXd updated(const Eigen::VectorXd& alpha, const Eigen::VectorXd& s,
                        const Eigen::VectorXd& y) {
  const double a = y.cwiseProduct(alpha).dot(y), b = y.dot(s);
  const double c = s.cwiseQuotient(alpha).dot(s);
  Eigen::VectorXd next(alpha.size());
  for (Eigen::Index i = 0; i < alpha.size(); ++i) {
    const double inverse =
        a / (b * alpha[i]) + y[i] * y[i] / b - a * s[i] * s[i] / (b * c * alpha[i] * alpha[i]);
    next[i] = inverse > 0 && std::isfinite(1 / inverse) ? 1 / inverse : alpha[i];
  }
  return next;
}

} // namespace

Eigen::MatrixXd curvature(const Place& at, CountedDensity& density) {
  Eigen::VectorXd step = at.x.cwiseAbs().cwiseMax(1.0) * 1e-4;
  const Eigen::VectorXd width = widths(differences(at, step, density));
  for (Eigen::Index a = 0; a < step.size(); ++a)
    step[a] = std::clamp(0.01 * width[a], 1e-7 * std::max(1e-3, std::abs(at.x[a])), 1.0);
  return differences(at, step, density);
}

Frame laplace(const Place& mode, CountedDensity& density) {
  const Eigen::MatrixXd h = curvature(mode, density);
  const Eigen::VectorXd width = widths(h);
  Eigen::MatrixXd scaled = width.asDiagonal() * h * width.asDiagonal();
  if (!scaled.allFinite())
    scaled = Eigen::MatrixXd::Identity(h.rows(), h.cols());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scaled);
  const Eigen::VectorXd inverse = solver.eigenvalues().cwiseMax(least_eigenvalue).cwiseInverse();
  const Eigen::MatrixXd stretched = solver.eigenvectors() * inverse.asDiagonal();
  const Eigen::MatrixXd covariance = stretched * solver.eigenvectors().transpose();
  const Frame frame = Frame::from_covariance(
      mode.x, Frame::Matrix(width.asDiagonal() * covariance * width.asDiagonal()));
  // L-BFGS may stop a little short where widths differ by orders: Newton's step goes the rest.
  const Frame::Matrix uphill = frame.pull({mode.score.data(), 1, frame.dim()});
  Frame::Matrix x = mode.x.transpose() + frame.along_rows(uphill), score(1, x.cols());
  double log_density = 0;
  density(rows_of(std::as_const(x)), rows_of(score), {&log_density, 1});
  if (!(log_density > mode.log_density + worth_a_step))
    return frame;
  return Frame::from_numbers({x.data(), frame.dim()}, frame.numbers(), Frame::Form::dense);
}

Frame laplace_diagonal(const Place& mode, CountedDensity& density, const Philox& philox,
                       Step address) {
  const Eigen::Index d = mode.x.size();
  const Eigen::VectorXd step = mode.x.cwiseAbs().cwiseMax(1.0) * 1e-4;
  Frame::Matrix x(2 * probes, d), score(2 * probes, d), sign(probes, d);
  std::vector<double> log_density(2 * probes);
  for (Eigen::Index k = 0; k < probes; ++k) {
    for (Eigen::Index a = 0; a < d; ++a)
      sign(k, a) = philox(Stream::scout, address, std::uint64_t(k * d + a))[0] & 1 ? 1.0 : -1.0;
    const Eigen::RowVectorXd delta = sign.row(k).cwiseProduct(step.transpose());
    x.row(2 * k) = mode.x.transpose() + delta;
    x.row(2 * k + 1) = mode.x.transpose() - delta;
  }
  density(rows_of(std::as_const(x)), rows_of(score), log_density);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(d);
  for (Eigen::Index k = 0; k < probes; ++k)
    if (std::isfinite(log_density[std::size_t(2 * k)] + log_density[std::size_t(2 * k + 1)]))
      sum += (score.row(2 * k + 1) - score.row(2 * k)).cwiseProduct(sign.row(k)).transpose();
  const Eigen::VectorXd curvature = sum.cwiseQuotient(step) / (2.0 * double(probes));
  const double typical = std::max(curvature.cwiseAbs().mean(), 1e-200);
  return Frame::diagonal(mode.x, curvature.unaryExpr([&](double c) {
    return 1 / std::sqrt(std::max(c, least_eigenvalue * typical));
  }));
}

Frame::Matrix standard_normals(std::size_t count, std::size_t dim, const Philox& philox,
                               Step address, std::size_t first) {
  Frame::Matrix z = Frame::Matrix::Zero(Eigen::Index(count), Eigen::Index(dim));
  const std::size_t blocks = (dim + 1) / 2; // two coordinates share one
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t a = 0; a < dim; a += 2) {
      const auto pair = normal_pair(philox(Stream::scout, address, (first + i) * blocks + a / 2));
      z(Eigen::Index(i), Eigen::Index(a)) = pair[0];
      if (a + 1 < dim)
        z(Eigen::Index(i), Eigen::Index(a + 1)) = pair[1];
    }
  return z;
}

namespace {

/// So many draws of each frame's normal, one frame after another, all asked in one call.
struct Draws {
  Frame::Matrix z, x, score;
  std::vector<double> log_density;

  Draws(const std::vector<Frame>& frames, std::size_t each, CountedDensity& density,
        const Philox& philox, Step address)
      : z(standard_normals(frames.size() * each, frames.front().dim(), philox, address)),
        x(z.rows(), z.cols()), score(z.rows(), z.cols()), log_density(frames.size() * each) {
    for (std::size_t f = 0; f < frames.size(); ++f)
      x.middleRows(Eigen::Index(f * each), Eigen::Index(each)) =
          frames[f].forward(z.middleRows(Eigen::Index(f * each), Eigen::Index(each)));
    density(rows_of(std::as_const(x)), rows_of(score), log_density);
  }
};

} // namespace

std::vector<Frame> refitted(const std::vector<Frame>& frames, std::size_t draws,
                            CountedDensity& density, const Philox& philox, Step address) {
  if (frames.empty())
    return {};
  const Draws drawn(frames, draws, density, philox, address);
  std::vector<Frame> all;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    std::vector<Eigen::Index> sound;
    for (std::size_t i = f * draws; i < (f + 1) * draws; ++i)
      if (std::isfinite(drawn.log_density[i]))
        sound.push_back(Eigen::Index(i));
    if (2 * sound.size() < draws)
      continue;
    const Frame::Matrix x = drawn.x(sound, Eigen::all), score = drawn.score(sound, Eigen::all);
    const Frame widths = frames[f].refreshed(rows_of(x), rows_of(score));
    Frame::Vector up = widths.pull(rows_of(score)).colwise().mean().transpose();
    up *= std::min(1.0, std::sqrt(double(up.size())) / std::max(up.norm(), 1e-300));
    const Frame::Vector mean = widths.mean() + widths.along(up);
    if (mean.allFinite() && std::isfinite(widths.log_determinant()))
      all.push_back(
          Frame::from_numbers({mean.data(), widths.dim()}, widths.numbers(), widths.form()));
  }
  return all;
}

std::vector<double> elbo(const std::vector<Frame>& frames, std::size_t draws,
                         CountedDensity& density, const Philox& philox, Step address) {
  if (frames.empty())
    return {};
  const Draws drawn(frames, draws, density, philox, address);
  std::vector<double> bounds(frames.size());
  for (std::size_t i = 0; i < drawn.log_density.size(); ++i) // a failed draw: -infinity
    bounds[i / draws] += (drawn.log_density[i] - frames[i / draws].log_normal(
                                                     drawn.z.row(Eigen::Index(i)).squaredNorm())) /
                         static_cast<double>(draws);
  for (double& bound : bounds)
    if (std::isnan(bound))
      bound = -std::numeric_limits<double>::infinity();
  return bounds;
}

std::optional<Frame> pathfinder(const std::vector<Place>& path, Frame::Form form,
                                CountedDensity& density, const Philox& philox, Step address) {
  if (path.size() < 2)
    return std::nullopt;
  const Eigen::Index d = path.front().x.size();
  const std::size_t stride = (path.size() - 2) / most_places + 1;
  Eigen::VectorXd alpha = Eigen::VectorXd::Ones(d);
  std::deque<std::pair<Eigen::VectorXd, Eigen::VectorXd>> pairs;
  std::vector<Frame> frames;
  for (std::size_t k = 1; k < path.size(); ++k) {
    Eigen::VectorXd s = path[k].x - path[k - 1].x, y = path[k - 1].score - path[k].score;
    const double sy = s.dot(y);
    if (sy > 0 && y.squaredNorm() < 1e12 * sy) {
      alpha = updated(alpha, s, y);
      pairs.emplace_back(std::move(s), std::move(y));
      if (pairs.size() > history)
        pairs.pop_front();
    }
    if ((path.size() - 1 - k) % stride != 0)
      continue;
    if (form == Frame::Form::diagonal) {
      frames.push_back(Frame::diagonal(path[k].x, alpha.cwiseSqrt()));
      continue;
    }
    if (form == Frame::Form::low_rank) {
      Frame frame = from_history(path[k].x, path[k].score, alpha, pairs);
      if (frame.mean().allFinite() && std::isfinite(frame.log_determinant()))
        frames.push_back(std::move(frame));
      continue;
    }
    Eigen::MatrixXd h = alpha.asDiagonal();
    for (const auto& [step, change] : pairs) { // the update of BFGS, oldest first
      const double rho = 1 / step.dot(change);
      const Eigen::VectorXd hy = h * change;
      h += (rho * rho * change.dot(hy) + rho) * step * step.transpose() -
           rho * (hy * step.transpose() + step * hy.transpose());
    }
    const Eigen::VectorXd mean = path[k].x + h * path[k].score;
    if (mean.allFinite() && h.allFinite())
      frames.push_back(Frame::from_covariance(mean, Frame::Matrix(h)));
  }
  const std::vector<double> bounds = elbo(frames, elbo_draws, density, philox, address);
  const auto best = std::ranges::max_element(bounds);
  if (best == bounds.end() || !std::isfinite(*best))
    return std::nullopt;
  return frames[std::size_t(best - bounds.begin())];
}

} // namespace starling::scout
