// The cloud after exact moves: chosen from many draws, then polished.
#include <starling/stages/polish.hpp>

#include <starling/exact/deciles.hpp>
#include <starling/exact/sift.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace starling::stages {

namespace {

constexpr std::size_t moves_apart = 2; // of everyone, where draws come again
constexpr double near_enough = 0.05;   // in sds, or as a share: few particles cannot show less
constexpr double step_falls_to = 0.1;  // from the first step of a polish to its last

/// A cloud of those draws that together have these moments. Where there are fewer draws than
/// particles they come again, and exact moves lead them apart; over rows of data that would take
/// passes over all rows. Everyone makes these moves: draws that come twice lie where moves are
/// often refused, and to move them alone would take mass away from there.
Cloud sifted(const Context& context, const State& state, std::span<const double> draws,
             const Pool& aim, const exact::Stride& stride) {
  const std::size_t dim = context.dim(), count = context.settings.particles;
  const Rows<const double> all{draws.data(), draws.size() / dim, dim};
  const bool repeats = all.count < count;
  std::vector<std::size_t> chosen;
  if (!repeats)
    chosen = exact::sift(rows_of(context.columns(Frame::map(all))), count, aim.means, aim.sds,
                         context.settings.seed);
  Frame::Matrix x;
  x.resize(Eigen::Index(count), Eigen::Index(dim));
  for (std::size_t i = 0; i < count; ++i)
    x.row(Eigen::Index(i)) = Frame::map(all).row(Eigen::Index(repeats ? i % all.count : chosen[i]));
  Cloud cloud = cloud_at(std::move(x), context.guide.density());
  for (std::size_t i = 0; i < count; ++i) // a density that fails where it did not before
    if (!std::isfinite(cloud.log_density[i])) {
      const std::size_t other = i % state.cloud.count();
      cloud.x.row(Eigen::Index(i)) = state.cloud.x.row(Eigen::Index(other));
      cloud.score.row(Eigen::Index(i)) = state.cloud.score.row(Eigen::Index(other));
      cloud.log_density[i] = state.cloud.log_density[other];
    }
  for (std::size_t move = 0; repeats && context.guide.rows() == 0 && move < moves_apart; ++move)
    exact::move(cloud, state.frame, stride, context.guide.density(), context.settings.seed,
                state.next.moves + move, {}, context.threads);
  return cloud;
}

constexpr auto deciles = Eigen::Index(exact::deciles);
constexpr Eigen::Index rows_for_shares = 2048; // at most: they show a share to .01
using RowsForShares = Eigen::Map<const Frame::Matrix, 0, Eigen::OuterStride<>>;

/// Spread evenly; the same particles each time.
RowsForShares rows_for_shares_of(const Frame::Matrix& all) {
  const Eigen::Index every = (all.rows() + rows_for_shares - 1) / rows_for_shares;
  return {all.data(), all.rows() / every, all.cols(), Eigen::OuterStride<>(every * all.cols())};
}

/// A column that is not finite has none: no share is up to -infinity.
Frame::Matrix deciles_of_columns(const RowsForShares& all) {
  Frame::Matrix cuts =
      Frame::Matrix::Constant(deciles, all.cols(), -std::numeric_limits<double>::infinity());
  std::vector<double> values(std::size_t(all.rows()));
  for (Eigen::Index a = 0; a < all.cols(); ++a) {
    if (!all.col(a).allFinite())
      continue;
    Eigen::Map<Eigen::VectorXd>(values.data(), all.rows()) = all.col(a);
    const exact::Deciles found = exact::deciles_of(values);
    for (Eigen::Index q = 0; q < deciles; ++q)
      cuts(q, a) = found[std::size_t(q)];
  }
  return cuts;
}

/// Which share of each column is up to each cut.
Frame::Matrix shares_up_to(const RowsForShares& all, const Frame::Matrix& cuts) {
  Frame::Matrix shares = Frame::Matrix::Zero(cuts.rows(), cuts.cols());
  const Eigen::Index columns = all.cols();
  for (Eigen::Index i = 0; i < all.rows(); ++i)
    for (Eigen::Index q = 0; q < cuts.rows(); ++q) {
      const double *const row = &all.coeffRef(i, 0), *const cut = cuts.data() + q * columns;
      double* const share = shares.data() + q * columns;
      for (Eigen::Index a = 0; a < columns; ++a)
        share[a] += row[a] <= cut[a] ? 1.0 : 0.0;
    }
  return shares / double(all.rows());
}

} // namespace

void Unpolished::check(const Context& context, bool may_be_empty) const {
  const std::size_t count = log_density.size();
  must_fit((may_be_empty && count == 0) || count == context.settings.particles);
  must_fit(std::size_t(x.rows()) == count &&
           (count == 0 || std::size_t(x.cols()) == context.dim()));
}

Polish::Polish(const Context& context, State& state, const Trial& trial, bool keeps_best)
    : aim_(trial.aim()), keeps_best_(keeps_best) {
  state.cloud = sifted(context, state, trial.kept(), aim_, trial.stride(state.leap));
  state.next.moves += moves_apart;
}

std::size_t Polish::blocks(const Context& context) {
  const std::size_t most = context.settings.polish_together;
  return (context.settings.particles + most - 1) / most;
}

void Polish::begin_block(const Context& context, const State& state) {
  const std::size_t count = state.cloud.count(), of = blocks(context);
  block_ = slice(state.cloud, begin_, std::min(count, begin_ + (count + of - 1) / of));
  svgd_ = Svgd(block_);
  done_ = 0;
}

bool Polish::step(const Context& context, State& state) {
  const std::size_t steps = context.settings.polish_steps;
  if (begin_ == state.cloud.count())
    return true;
  if (block_.count() == 0)
    begin_block(context, state);
  if (done_ < steps) {
    svgd_.arrive(context, block_, state.next.steps, false);
    put(block_, state.cloud, begin_); // for those who watch
    if (keeps_best_)
      keep_if_better(context, block_);
    const double share = double(done_) / double(std::max<std::size_t>(2, steps) - 1);
    svgd_.step(context, block_, state.frame, state.next.steps,
               context.settings.step_size * std::pow(step_falls_to, share));
    ++state.next.steps;
    ++done_;
  }
  if (done_ < steps)
    return false;
  svgd_.arrive(context, block_, state.next.steps, true);
  if (keeps_best_) {
    keep_if_better(context, block_);
    block_ = best_;
  }
  put(block_, state.cloud, begin_);
  begin_ += block_.count();
  block_ = best_ = {};
  svgd_ = {};
  return begin_ == state.cloud.count();
}

void Polish::keep_if_better(const Context& context, const Cloud& cloud) {
  const Frame::Matrix all = context.columns(cloud.x);
  const auto n = static_cast<double>(all.rows());
  const RowsForShares some = rows_for_shares_of(all);
  if (best_.count() == 0) { // the draws, before any step
    cuts_ = deciles_of_columns(some);
    shares_ = shares_up_to(some, cuts_);
  }
  double distance =
      std::max(near_enough, (shares_up_to(some, cuts_) - shares_).cwiseAbs().maxCoeff());
  Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(all.cols()), squares = mean;
  for (const auto& row : all.rowwise())
    mean += row;
  mean /= n;
  for (const auto& row : all.rowwise())
    squares += (row - mean).cwiseAbs2();
  for (Eigen::Index a = 0; a < all.cols(); ++a) {
    const double sd = aim_.sds[std::size_t(a)];
    if (!(sd > 0))
      continue;
    const double own = std::sqrt(squares[a] / (n - 1));
    distance = std::max(
        {distance, std::abs(mean[a] - aim_.means[std::size_t(a)]) / sd, std::abs(own / sd - 1)});
  }
  if (best_.count() > 0 && !(distance <= distance_))
    return;
  best_ = cloud;
  distance_ = distance;
}

void Polish::check(const Context& context, bool under_way) const {
  must_fit(block_, context.dim(), block_.count(), true);
  must_fit(best_, context.dim(), block_.count(), true);
  must_fit(begin_ + block_.count() <= context.settings.particles);
  if (!under_way)
    return;
  if (block_.count() > 0)
    svgd_.check(context, block_.count());
  must_fit(cuts_.rows() == shares_.rows() && cuts_.cols() == shares_.cols());
  must_fit(best_.count() == 0 ||
           (cuts_.rows() == deciles && std::size_t(cuts_.cols()) == context.width()));
  must_fit(aim_.means.size() == context.width() && done_ <= context.settings.polish_steps);
}

} // namespace starling::stages
