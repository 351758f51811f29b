// Weights of groups: draws, weights, shares and their errors.
#include <starling/scout/weigh.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace starling::scout {

namespace {

constexpr std::size_t freedom = 5; // of Student's t
constexpr double beyond = 0.5;
constexpr double none = -std::numeric_limits<double>::infinity();

} // namespace

Weighing::Weighing(std::vector<Fit> fits, std::size_t groups, std::uint64_t seed, Step use)
    : groups_(groups), philox_(seed), use_(use) {
  for (Fit& one : fits) {
    group_of_fit_.push_back(one.group);
    fits_.push_back({std::move(one.frame), freedom});
  }
}

std::size_t Weighing::rounds() const { return drawn_.size() / (2 * draws * fits_.size()); }

bool Weighing::is_first(std::size_t fit) const {
  const auto before = std::span(group_of_fit_).first(fit);
  return std::ranges::count(before, group_of_fit_[fit]) == 0;
}

std::vector<Weighing::Seen> Weighing::seen(Rows<const double> x) const {
  Frame::Matrix each(Eigen::Index(x.count), Eigen::Index(fits_.size()));
  for (std::size_t c = 0; c < fits_.size(); ++c) {
    const std::vector<double> under = fits_[c].log_density(x);
    each.col(Eigen::Index(c)) = Eigen::Map<const Eigen::VectorXd>(under.data(), each.rows());
  }
  std::vector<Seen> all;
  for (Eigen::Index i = 0; i < each.rows(); ++i) {
    const double top = each.row(i).maxCoeff();
    const double mean = (each.row(i).array() - top).exp().mean();
    double densest = none;
    Seen one{top + std::log(mean), 0};
    for (std::size_t c = 0; c < fits_.size(); ++c)
      if (is_first(c) && each(i, Eigen::Index(c)) > densest) {
        densest = each(i, Eigen::Index(c));
        one.group = group_of_fit_[c];
      }
    all.push_back(one);
  }
  return all;
}

void Weighing::round(CountedDensity& density) {
  const Step now = (use_ << 32) + rounds() * fits_.size();
  for (std::size_t c = 0; c < fits_.size(); ++c) {
    const Frame::Matrix x = fits_[c].draw(philox_, Stream::groups_draw, now + c, draws);
    Frame::Matrix score(x.rows(), x.cols());
    std::vector<double> log_density(draws);
    density(rows_of(x), rows_of(score), log_density);
    const std::vector<Seen> at = seen(rows_of(x));
    for (std::size_t i = 0; i < draws; ++i)
      drawn_.insert(drawn_.end(), {log_density[i] - at[i].log_mixture, double(at[i].group)});
  }
}

std::vector<Share> Weighing::shares() const {
  std::vector<Share> all(groups_);
  const std::size_t count = drawn_.size() / 2, fits = fits_.size(), n = rounds() * draws;
  double top = none;
  for (std::size_t i = 0; i < count; ++i)
    top = std::max(top, drawn_[2 * i]);
  if (!std::isfinite(top))
    return all;
  std::vector<double> weight(count), squares(groups_, 0);
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    weight[i] = std::exp(drawn_[2 * i] - top);
    const auto g = std::size_t(drawn_[2 * i + 1]);
    all[g].share += weight[i];
    squares[g] += weight[i] * weight[i];
    total += weight[i];
  }
  const auto fit_of = [&](std::size_t i) { return i / draws % fits; };
  for (std::size_t g = 0; g < groups_; ++g) {
    all[g].effective = squares[g] > 0 ? all[g].share * all[g].share / squares[g] : 0;
    all[g].share /= total;
    std::vector<double> sum(fits, 0), square(fits, 0);
    for (std::size_t i = 0; i < count; ++i) {
      const double value = weight[i] * ((std::size_t(drawn_[2 * i + 1]) == g) - all[g].share);
      sum[fit_of(i)] += value;
      square[fit_of(i)] += value * value;
    }
    double variance = 0; // of the sum over all draws
    for (std::size_t c = 0; c < fits; ++c)
      variance += square[c] - sum[c] * sum[c] / double(n);
    all[g].se = std::sqrt(std::max(0.0, variance)) / total;
  }
  return all;
}

std::vector<std::size_t> Weighing::group_of(Rows<const double> x) const {
  std::vector<std::size_t> groups;
  for (const Seen& one : seen(x))
    groups.push_back(one.group);
  return groups;
}

double Weighing::missed(Rows<const double> x, std::span<const double> log_density,
                        std::size_t group) const {
  double most = none;
  for (std::size_t i = 0; i < drawn_.size(); i += 2)
    if (std::size_t(drawn_[i + 1]) == group)
      most = std::max(most, drawn_[i]);
  const std::vector<Seen> at = seen(x);
  std::size_t outside = 0;
  for (std::size_t i = 0; i < x.count; ++i)
    outside += log_density[i] - at[i].log_mixture > most + beyond;
  return double(outside) / double(x.count);
}

void Weighing::resume(std::vector<double> numbers) {
  const auto wrong = [&](double group) { return !(group >= 0 && group < double(groups_)); };
  bool fits = numbers.size() % (2 * draws * fits_.size()) == 0;
  for (std::size_t i = 1; fits && i < numbers.size(); i += 2)
    fits = !wrong(numbers[i]);
  if (!fits)
    throw std::invalid_argument("state: the draws that weigh groups do not fit the journey");
  drawn_ = std::move(numbers);
}

std::vector<std::size_t> apportion(std::span<const double> shares, std::size_t count) {
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<std::size_t> parts, order(shares.size());
  std::vector<double> rest;
  std::size_t given = 0;
  for (const double share : shares) {
    const double exact = share / total * double(count);
    parts.push_back(std::size_t(exact));
    rest.push_back(exact - double(parts.back()));
    given += parts.back();
  }
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return rest[a] > rest[b]; });
  for (std::size_t n = 0; given < count; ++n, ++given)
    ++parts[order[n % order.size()]];
  return parts;
}

} // namespace starling::scout
