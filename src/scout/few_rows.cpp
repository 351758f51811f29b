// The score of few rows.
#include <starling/scout/few_rows.hpp>

#include <starling/error.hpp>
#include <starling/scout/candidates.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace starling::scout {

namespace {

constexpr std::size_t draws = 4; // for rows whose leverage must be measured
constexpr std::size_t least_block = 1024, most_block = 65'536,
                      block_numbers = 1 << 21; // of rows at a time, and their scores
constexpr double apart = 0.5; // differences of scores, in widths: about where the particles are
// What is left of a row after two orders grows as the third power of its distance, leverage as the
// second: 3/2 in theory, but rows of little leverage then get too little. Measured on Covertype,
// noise of 300 rows in the frame: .39 with power 1, .20 with 5/4, .34 with 3/2.
constexpr double steeper = 1.25;
constexpr Step noise_steps = Step{1} << 41; // addresses that no flight reaches

/// Where a model gives no leverage: the mean, over some draws of the frame's normal, of how much
/// the row's score differs there from that at the mode, in the frame.
std::vector<double> measured_leverage(const RowDensity& density, const Eigen::VectorXd& mode,
                                      const Frame& frame, std::uint64_t seed, RowCounts& counts) {
  const Frame::Matrix x =
      frame.along_rows(standard_normals(draws, density.dim, Philox(seed), scout_leverage))
          .rowwise() +
      mode.transpose();
  std::vector<double> sizes(density.rows);
  std::vector<std::uint32_t> some;
  const std::size_t block = std::clamp(block_numbers / density.dim, least_block, most_block);
  for (std::size_t first = 0; first < density.rows; first += block) {
    some.resize(std::min(block, density.rows - first));
    std::iota(some.begin(), some.end(), static_cast<std::uint32_t>(first));
    Frame::Matrix here(Eigen::Index(some.size()), Eigen::Index(density.dim)), there = here;
    density.each(some, mode, rows_of(here));
    for (Eigen::Index k = 0; k < x.rows(); ++k) {
      density.each(some, x.row(k), rows_of(there));
      const Frame::Matrix off = there - here;
      const Eigen::VectorXd size = frame.pull(rows_of(off)).rowwise().norm();
      for (std::size_t r = 0; r < some.size(); ++r)
        sizes[first + r] += std::isfinite(size[Eigen::Index(r)]) ? size[Eigen::Index(r)] : 0.0;
    }
  }
  counts.reads += density.rows;
  counts.visits += (draws + 1) * density.rows;
  return sizes;
}

} // namespace

FewRows::FewRows(const RowDensity& density, const Eigen::VectorXd& mode, const Frame& frame,
                 std::uint64_t seed, RowCounts& counts)
    : density_(&density), mode_(mode), seed_(seed), counts_(&counts) {
  const auto n = static_cast<double>(density.rows);
  if (density.expand) {
    all_ = density.expand(mode);
  } else { // to first order: log pi at the mode, less the prior
    Eigen::VectorXd prior_score(mode.size());
    double prior = 0;
    const auto d = static_cast<std::size_t>(mode.size());
    all_.score.resize(mode.size());
    density.all({mode.data(), 1, d}, {all_.score.data(), 1, d}, {&all_.log_density, 1});
    density.prior({mode.data(), 1, d}, {prior_score.data(), 1, d}, {&prior, 1});
    all_.score -= prior_score;
    all_.log_density -= prior;
    if (density.by_differences)
      meet_differences(frame);
  }
  counts.reads += density.rows;
  counts.visits += density.rows;
  if (density.leverage) {
    chance_ = density.leverage(mode, frame);
    if (density.expand)
      for (double& p : chance_)
        p = std::pow(p, steeper);
    counts.reads += density.rows;
    counts.visits += density.rows;
  } else if (density.each) {
    chance_ = measured_leverage(density, mode, frame, seed, counts);
    if (all_.curvature.size() > 0)
      for (double& p : chance_)
        p = std::pow(p, steeper);
  }
  const double total = std::accumulate(chance_.begin(), chance_.end(), 0.0);
  if (!(total > 0) || !std::isfinite(total))
    chance_.assign(density.rows, 1 / n); // evenly
  else
    for (double& p : chance_)
      p = 0.5 / n + 0.5 * p / total;
  table_ = AliasTable(chance_);
}

/// The likelihood of all rows to second order, unless its scores are not finite around the mode.
void FewRows::meet_differences(const Frame& frame) {
  const auto d = Eigen::Index(density_->dim);
  along_ = apart * frame.along_rows(Frame::Matrix::Identity(d, d));
  Frame::Matrix unit = Frame::Matrix::Identity(d, d);
  unit.rowwise() += frame.mean().transpose();
  back_ = frame.inverse(rows_of(std::as_const(unit)));
  const DensityOfRows likelihood = [this](Rows<const double> x, Rows<double> score,
                                          std::span<double> log_density) {
    Frame::Matrix prior_score(Eigen::Index(x.count), Eigen::Index(x.dim));
    std::vector<double> prior(x.count);
    density_->all(x, score, log_density);
    density_->prior(x, rows_of(prior_score), prior);
    Frame::map(score) -= prior_score;
  };
  all_.curvature = by_differences(likelihood);
  if (!all_.curvature.allFinite())
    all_.curvature.resize(0, 0);
  counts_->reads += density_->rows;
  counts_->visits += 2 * density_->dim * density_->rows;
}

/// Minus the second derivatives: with A the steps, row a of S the difference of scores along row a
/// of A, A^T C A = S A^T / 2 in the frame, its two halves made alike, and from there back.
Eigen::MatrixXd FewRows::by_differences(const DensityOfRows& likelihood) const {
  const auto d = Eigen::Index(density_->dim);
  Frame::Matrix x(2 * d, d), score(2 * d, d);
  x << along_, -along_;
  x.rowwise() += mode_.transpose();
  std::vector<double> unused(static_cast<std::size_t>(2 * d));
  likelihood(rows_of(std::as_const(x)), rows_of(score), unused);
  const Eigen::MatrixXd bent =
      (score.bottomRows(d) - score.topRows(d)) * along_.transpose() / (2 * apart * apart);
  return back_ * (bent + bent.transpose()) / 2 * back_.transpose();
}

std::vector<std::uint32_t> FewRows::drawn(Step k, std::size_t batch) const {
  const Philox philox(seed_);
  std::vector<std::uint32_t> rows(batch);
  for (std::size_t b = 0; b < batch; ++b)
    rows[b] = table_(philox(Stream::data_rows, k, b));
  return rows;
}

void FewRows::choose(Step k, std::size_t batch) {
  if (chosen_.step == k && chosen_.batch == batch)
    return;
  const std::vector<std::uint32_t> rows = drawn(k, batch);
  std::vector<double> weights(batch);
  for (std::size_t b = 0; b < batch; ++b)
    weights[b] = 1 / (static_cast<double>(batch) * chance_[rows[b]]);
  chosen_ = {k, batch, density_->some(rows, weights), {}};
  if (density_->expand_some) {
    chosen_.at_mode = density_->expand_some(rows, weights)(mode_);
  } else {
    const std::size_t d = density_->dim;
    chosen_.at_mode.score.resize(mode_.size());
    chosen_.likelihood({mode_.data(), 1, d}, {chosen_.at_mode.score.data(), 1, d},
                       {&chosen_.at_mode.log_density, 1});
    if (all_.curvature.size() > 0) {
      chosen_.at_mode.curvature = by_differences(chosen_.likelihood);
      counts_->visits += 2 * d * batch;
    }
  }
  counts_->reads += batch;
  counts_->visits += batch;
}

void FewRows::operator()(Step k, std::size_t batch, Rows<const double> x, Rows<double> score,
                         std::span<double> log_density) {
  choose(k, batch);
  counts_->visits += batch * x.count;
  Frame::Matrix likelihood(Eigen::Index(x.count), Eigen::Index(x.dim));
  const bool wanted = !log_density.empty();
  std::vector<double> value(wanted ? x.count : 0), prior(x.count);
  density_->prior(x, score, prior);
  chosen_.likelihood(x, rows_of(likelihood), value);
  // Both expansions at once: their slopes and their curvatures, all rows' less those of the rows
  // drawn.
  const Frame::Matrix off = Frame::map(x).rowwise() - mode_.transpose();
  const Eigen::VectorXd slope = all_.score - chosen_.at_mode.score;
  auto to = Frame::map(score);
  to += likelihood;
  to.rowwise() += slope.transpose();
  Eigen::VectorXd expanded = off * slope;
  if (all_.curvature.size() > 0) {
    const Eigen::MatrixXd curvature = all_.curvature - chosen_.at_mode.curvature;
    const Frame::Matrix bent = off * curvature;
    to -= bent;
    expanded -= 0.5 * bent.cwiseProduct(off).rowwise().sum();
  }
  const double here = all_.log_density - chosen_.at_mode.log_density;
  for (std::size_t i = 0; i < log_density.size(); ++i)
    log_density[i] = prior[i] + value[i] + here + expanded[Eigen::Index(i)];
}

double FewRows::noise(std::size_t batch, Rows<const double> x, const Frame& frame) {
  Frame::Matrix one(Eigen::Index(x.count), Eigen::Index(x.dim)), other = one;
  (*this)(noise_steps, batch, x, rows_of(one), {});
  (*this)(noise_steps + 1, batch, x, rows_of(other), {});
  const Frame::Matrix off = one - other;
  return std::sqrt(frame.pull(rows_of(off)).squaredNorm() / 2 / static_cast<double>(x.size()));
}

std::vector<std::uint32_t> even_rows(std::size_t rows, std::size_t count, std::uint64_t seed) {
  const Philox philox(seed);
  std::vector<std::uint32_t> chosen(count);
  for (std::size_t k = 0; k < count; ++k) // one from each of `count` stretches of the data
    chosen[k] = static_cast<std::uint32_t>(
        (static_cast<double>(k) + uniform(philox(Stream::data_subset, 0, k))) *
        static_cast<double>(rows) / static_cast<double>(count));
  for (std::uint32_t& r : chosen)
    r = std::min(r, static_cast<std::uint32_t>(rows - 1));
  return chosen;
}

} // namespace starling::scout
