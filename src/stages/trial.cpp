// Trials: begun in a frame, moved, and what comes of them.
#include <starling/stages/trial.hpp>

#include <starling/random/philox.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace starling::stages {

namespace {

constexpr std::uint64_t seen_first = 4;     // moves, before divergences count
constexpr std::uint64_t straight_every = 3; // moves, where they diverge in a frame that bends
constexpr double step_gain = 1; // how fast the step follows the share of moves that are accepted
constexpr std::size_t most_clouds = 10, most_numbers = 8'000'000; // kept to make a cloud of
constexpr Eigen::Index directions = 8;
constexpr std::size_t rows_a_piece = 4096; // of a cloud that is judged

/// Random directions in the frame, in which a cloud is about as wide in each. A single parameter
/// has no others.
Frame::Matrix random_directions(std::size_t parameters, std::uint64_t seed, std::uint64_t trial) {
  const auto dim = Eigen::Index(parameters);
  Frame::Matrix u(dim > 1 ? directions : 0, dim);
  for (Eigen::Index n = 0; n < u.size(); n += 2) {
    const auto pair = normal_pair(Philox(seed)(Stream::directions, trial, std::uint64_t(n / 2)));
    u.data()[n] = pair[0];
    if (n + 1 < u.size())
      u.data()[n + 1] = pair[1];
  }
  u.rowwise().normalize();
  return u;
}

} // namespace

Trial::Trial(const Context& context, State& state, Cloud walkers, const TrialPlan& plan)
    : walkers_(std::move(walkers)), plan_(plan),
      counts_from_(std::uint64_t(plan.discards * double(plan.moves))) {
  if (plan.of_cloud || context.guide.rows() > 0) // other walkers, or scores of other rows
    state.recent = {};
  const Cloud& shape = plan.of_cloud ? state.cloud : state.recent.or_alone(walkers_);
  const Frame frame = context.reframed(state.frame, shape);
  double leap = state.leap;
  if (!plan.adapts || leap == 0) {
    exact::Stride first{.most_leaps = plan.most_leaps};
    if (leap > 0)
      first.step = leap;
    leap = exact::tune(walkers_, frame, first, plan.acceptance, context.guide.density(),
                       context.settings.seed, state.next.tunings);
  }
  context.guide.before_moves(walkers_, plan.of_cloud);
  log_densities_ = context.guide.rows() == 0; // few rows and all do not agree in them
  directions_ = random_directions(context.dim(), context.settings.seed, state.next.tunings);
  seen_in_ = frame;
  began_ = followed(context, walkers_.x, walkers_.log_density);
  if (plan.of_cloud && walkers_.count() < state.cloud.count())
    on_trial_ = followed(context, state.cloud.x, state.cloud.log_density);
  make_test();
  const bool diverged =
      state.certificate && state.certificate->diverged > context.settings.tolerated_divergence;
  if (state.straight_leap > 0 && diverged && frame.bend())
    straight_ = context.straightened(walkers_);
  state.frame = frame;
  state.leap = leap;
  ++state.next.tunings;
}

void Trial::make_test() {
  test_.reset();
  if (began_.size() > 0)
    test_.emplace(rows_of(on_trial()), rows_of(std::as_const(began_)), walkers_.dim(), joint());
}

Frame::Matrix Trial::followed(const Context& context, const Frame::Matrix& x,
                              std::span<const double> log_density) const {
  const Frame::Matrix read = context.columns(x);
  Frame::Matrix all(read.rows(), read.cols() + Eigen::Index(joint().columns()));
  all.leftCols(read.cols()) = read;
  if (log_densities_)
    all.col(read.cols()) = Eigen::Map<const Eigen::VectorXd>(log_density.data(), read.rows());
  if (directions_.rows() > 0)
    all.rightCols(directions_.rows()) = seen_in_.inverse(rows_of(x)) * directions_.transpose();
  return all;
}

exact::Stride Trial::stride(double leap) const {
  exact::Stride stride{.step = leap, .most_leaps = plan_.most_leaps};
  if (plan_.length > 0 && plan_.length < leap * double(plan_.most_leaps))
    stride.most_leaps = std::size_t(std::ceil(plan_.length / leap));
  return stride;
}

/// Before the moves that count the frame is taken anew at doubling times, and the step follows how
/// many moves are accepted. The random numbers of a move see neither. A bend that makes one part of
/// a density straight may make another so crooked that no move enters it; where moves diverge, some
/// are made in a frame without a bend, with short ways: they only have to enter.
void Trial::move(const Context& context, State& state) {
  const bool adapts = plan_.adapts && done_ < counts_from_;
  Frame frame = state.frame;
  if (adapts && done_ > 1 && std::has_single_bit(done_))
    frame = context.reframed(frame, state.recent.or_alone(walkers_));
  if (adapts && straight_.dim() == 0 && frame.bend() && done_ >= seen_first &&
      diverged_ > context.settings.tolerated_divergence * double(done_))
    begin_straight(context, state);
  Cloud moved = walkers_;
  const bool straight = straight_.dim() > 0 && done_ % straight_every == straight_every - 1;
  double& leap = straight ? state.straight_leap : state.leap;
  const exact::Moved came = exact::move(moved, straight ? straight_ : frame,
                                        straight ? exact::Stride{.step = leap} : stride(leap),
                                        context.guide.density(), context.settings.seed,
                                        state.next.moves, context.guide.decider(), context.threads);
  if (done_ == counts_from_ && !plan_.of_cloud) {
    began_ = followed(context, walkers_.x, walkers_.log_density);
    make_test();
  }
  if (done_ + 1 > counts_from_) {
    const Frame::Matrix now = followed(context, moved.x, moved.log_density);
    test_->add(rows_of(now));
  }
  walkers_ = std::move(moved);
  state.frame = std::move(frame);
  if (adapts)
    leap *= std::exp(step_gain * (came.accepted - plan_.acceptance));
  accepted_ += came.accepted;
  diverged_ += came.diverged;
  ++state.next.moves;
  if (plan_.adapts)
    state.recent.add(walkers_);
  if (++done_ > counts_from_ && plan_.keeps)
    keep(walkers_.x, context.settings.particles);
}

void Trial::begin_straight(const Context& context, State& state) {
  Frame straight = context.straightened(walkers_);
  state.straight_leap =
      exact::tune(walkers_, straight, {}, plan_.acceptance, context.guide.density(),
                  context.settings.seed, state.next.tunings);
  ++state.next.tunings;
  straight_ = std::move(straight);
}

/// Ten clouds spread over the moves that count, fewer where they are large; the last of them is
/// now.
void Trial::keep(const Frame::Matrix& x, std::size_t particles) {
  const std::size_t fit = most_numbers / std::size_t(x.size());
  const std::size_t wanted = most_clouds * particles / walkers_.count();
  const std::uint64_t clouds = std::clamp<std::uint64_t>(fit, 1, wanted);
  const std::uint64_t counted = plan_.moves - counts_from_;
  const std::uint64_t every = std::max<std::uint64_t>(1, counted / clouds);
  const std::uint64_t left = plan_.moves - done_;
  if (left % every == 0 && left / every < clouds)
    kept_.insert(kept_.end(), x.data(), x.data() + x.size());
}

judge::Certificate Trial::judge(const judge::Bounds& bounds) const {
  return with_moves(test_->judge(bounds), on_trial_.size() > 0);
}

judge::Certificate Trial::with_moves(judge::Certificate certificate, bool of_some) const {
  certificate.moves = plan_.moves;
  certificate.acceptance = accepted_ / double(plan_.moves);
  certificate.diverged = diverged_ / double(plan_.moves);
  if (of_some)
    certificate.particles = walkers_.count();
  return certificate;
}

judge::Certificate Trial::judge_other(const Context& context, const Frame::Matrix& x,
                                      std::span<const double> log_density,
                                      const judge::Bounds& bounds) const {
  // What users read is made by one thread. Sums of pieces are added in order.
  Threads& threads = context.read.count > 0 ? Threads::alone() : context.threads;
  const std::size_t count = log_density.size();
  std::vector<std::vector<double>> sums((count + rows_a_piece - 1) / rows_a_piece);
  threads.for_pieces(count, rows_a_piece, [&](std::size_t begin, std::size_t end) {
    const std::size_t rows = end - begin;
    const Frame::Matrix columns =
        followed(context, x.middleRows(Eigen::Index(begin), Eigen::Index(rows)),
                 log_density.subspan(begin, rows));
    sums[begin / rows_a_piece] = test_->means_over(rows_of(columns), count);
  });
  for (std::size_t piece = 1; piece < sums.size(); ++piece)
    std::ranges::transform(sums[0], sums[piece], sums[0].begin(), std::plus());
  return with_moves(test_->judge_means(sums.at(0), bounds), walkers_.count() < count);
}

Pool Trial::pool() const {
  const std::size_t read = std::size_t(began_.cols()) - joint().columns();
  Pool pool{test_->pooled_means(), test_->pooled_sds()};
  pool.means.resize(read);
  pool.sds.resize(read);
  return pool;
}

Pool Trial::aim() const {
  Pool aim = pool();
  for (std::size_t a = 0; a < aim.sds.size(); ++a)
    if (!test_->has_moments(a))
      aim.sds[a] = 0;
  return aim;
}

bool Trial::settled(double draws) const { return !test_->drifted() && least_effective() >= draws; }

double Trial::least_effective() const {
  const std::size_t read = std::size_t(began_.cols()) - joint().columns();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < read; ++a)
    least = std::min(least, test_->effective(a));
  return least;
}

bool Trial::mixes() const {
  constexpr double places = 2;
  return !test_->drifted() && least_effective() >= places * double(walkers_.count());
}

std::uint64_t Trial::moves_to(double draws) const {
  constexpr double spare = 1.1;
  const auto counted = double(plan_.moves - counts_from_);
  return std::uint64_t(counted * std::max(spare * draws / least_effective() - 1, 0.0)) + 1;
}

void Trial::check(const Context& context, bool under_way) const {
  const std::size_t most = context.settings.particles, count = walkers_.count();
  must_fit(walkers_, context.dim(), count, true);
  must_fit(kept_.size() % context.dim() == 0);
  must_fit(done_ <= plan_.moves && counts_from_ <= plan_.moves);
  must_fit(directions_.size() == 0 || std::size_t(directions_.cols()) == context.dim());
  must_fit(straight_.dim() == 0 || straight_.dim() == context.dim());
  for (const Frame::Matrix* columns : {&on_trial_, &began_})
    must_fit(columns->size() == 0 ||
             std::size_t(columns->cols()) == context.width() + joint().columns());
  if (under_way)
    must_fit(test_ && count >= 4 && count <= most && std::size_t(began_.rows()) == count &&
             plan_.moves > 0 && plan_.most_leaps > 0 && plan_.most_leaps <= 64);
}

} // namespace starling::stages
