// Normal approximations of a density, each as the frame in which it is standard normal.
#pragma once

#include <starling/density.hpp>
#include <starling/frame.hpp>
#include <starling/random/philox.hpp>
#include <starling/scout/climb.hpp>

#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace starling::scout {

/// Minus the matrix of second derivatives of the log density at a place, by central differences of
/// scores: once with steps made from the size of the coordinates, then again with steps of a
/// hundredth of the widths that came out. 4 d gradients, two calls.
Eigen::MatrixXd curvature(const Place& at, CountedDensity& density);

/// Laplace's approximation: the inverse of the curvature, scaled to a unit diagonal, its
/// eigenvalues at least 1e-8. Its mean is one Newton step further where that is higher.
Frame laplace(const Place& mode, CountedDensity& density);

/// The same with a diagonal for the curvature: mean over 64 random signs v of v_a (H v)_a, by
/// differences of scores along v, which costs 128 gradients in any dimension.
Frame laplace_diagonal(const Place& mode, CountedDensity& density, const Philox& philox,
                       Step address);

/// Laplace's approximation in many dimensions: a diagonal, and beside it up to 60 directions in
/// which the density bends at least twice as much as the rest, or half as much. They are looked for
/// where the last steps of the way up lead, and where the curvature takes those. About 2 d + 500
/// gradients up to 4000 dimensions; above, the diagonal is that of laplace_diagonal.
Frame laplace_low_rank(const Place& mode, const std::vector<Place>& path, CountedDensity& density,
                       const Philox& philox, Step address);

/// The normal that L-BFGS's last steps suggest, without a matrix: pairs of a step and of the change
/// of the score (downwards) along it, oldest first, beside a diagonal alpha.
Frame from_history(const Eigen::VectorXd& at, const Eigen::VectorXd& score,
                   const Eigen::VectorXd& alpha,
                   const std::deque<std::pair<Eigen::VectorXd, Eigen::VectorXd>>& pairs);

/// Pathfinder (Zhang, Carpenter, Gelman, Vehtari 2022): along a way up, the normal that L-BFGS's
/// last 6 steps suggest at each place; of these the one with the highest ELBO, by 10 draws each.
/// At most 60 places are tried, evenly from the end. Nothing when the way is too short, or no ELBO
/// is finite.
std::optional<Frame> pathfinder(const std::vector<Place>& path, Frame::Form form,
                                CountedDensity& density, const Philox& philox, Step address);

/// Each normal fitted anew to draws of it and their scores: scores beside positions tell the
/// widths, and their mean leads to the middle, by at most sqrt(d) sds. Pathfinder knows the widths
/// only along its last steps. One whose draws mostly fail is left out. One call.
std::vector<Frame> refitted(const std::vector<Frame>& frames, std::size_t draws,
                            CountedDensity& density, const Philox& philox, Step address);

/// Mean over draws of log pi - log q for each frame's normal q, all in one call; -infinity where
/// the density fails in any draw.
std::vector<double> elbo(const std::vector<Frame>& frames, std::size_t draws,
                         CountedDensity& density, const Philox& philox, Step address);

/// `count` standard normals of the frame's dimension, by address.
Frame::Matrix standard_normals(std::size_t count, std::size_t dim, const Philox& philox,
                               Step address, std::size_t first = 0);

} // namespace starling::scout
