// A look: what the scores say, what the pairs say, how much of the drift is chance.
#include <starling/run/lookout.hpp>

#include <starling/cpu/permute.hpp>
#include <starling/judge/by_balance.hpp>
#include <starling/random/philox.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace starling::run {

namespace {

/// Root mean square over these rows. Blocks of rows are added up each for itself, and the blocks in
/// order.
template <typename Real>
double rms(Rows<const Real> rows, std::span<const std::uint32_t> which, Threads& threads) {
  const std::size_t block = std::max<std::size_t>(1, LookSize::numbers / rows.dim);
  std::vector<double> sums((which.size() + block - 1) / block);
  threads.for_pieces(which.size(), block, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t m = begin; m < end; ++m)
      if (sums.size() > 1 && rows.dim > 8) // in vectors
        sum += Eigen::Map<const Eigen::Array<Real, Eigen::Dynamic, 1>>(rows[which[m]].data(),
                                                                       Eigen::Index(rows.dim))
                   .template cast<double>()
                   .square()
                   .sum();
      else // in one block as ever, one after another
        for (const Real value : rows[which[m]])
          sum += static_cast<double>(value) * static_cast<double>(value);
    sums[begin / block] = sum;
  });
  double sum = 0;
  for (const double one : sums)
    sum += one;
  return std::sqrt(sum / static_cast<double>(which.size() * rows.dim));
}

/// Of each of many equal parts of the rows that are here a few neighbours, round the part's end to
/// its begin, where by address: so everyone is as likely to be drawn, and what lies together is
/// fetched together.
std::vector<std::uint32_t> drawn_rows(std::size_t rows, std::size_t count, std::uint64_t seed,
                                      Step k, Threads& threads) {
  constexpr std::size_t few = 16;
  const Philox philox(seed);
  const std::size_t parts = count / few;
  std::vector<std::uint32_t> which(parts * few);
  threads.for_pieces(parts, 128, [&](std::size_t first_part, std::size_t last_part) {
    for (std::size_t m = first_part; m < last_part; ++m) {
      const std::size_t begin = m * rows / parts, length = (m + 1) * rows / parts - begin;
      const std::size_t first =
          philox.below(static_cast<std::uint32_t>(length), Stream::look, k, m);
      for (std::size_t r = 0, at = first; r < few; ++r, at = at + 1 == length ? 0 : at + 1)
        which[m * few + r] = static_cast<std::uint32_t>(begin + at);
    }
  });
  return which;
}

template <typename Real>
Rows<const Real> gathered(Rows<const Real> rows, std::span<const std::uint32_t> which,
                          Threads& threads, UnwrittenColumn<Real>& room) {
  room.resize(which.size() * rows.dim);
  threads.for_pieces(which.size(), 1 + LookSize::numbers / 4 / rows.dim,
                     [&](std::size_t begin, std::size_t end) {
                       for (std::size_t m = begin; m < end; ++m)
                         copy_row(rows[which[m]], room.data() + m * rows.dim);
                     });
  return {room.data(), which.size(), rows.dim};
}

} // namespace

LookSize LookSize::of(std::size_t particles, std::size_t dim, std::size_t batch) {
  const std::size_t some = std::min(particles, everyone);
  // As many pairs as cost about what a step costs, which forms its own in vectors.
  std::size_t pairs =
      std::clamp<std::size_t>(some * std::max<std::size_t>(1, batch / 32), 200, 100000);
  std::size_t anew = particles > everyone ? everyone : std::max<std::size_t>(particles, 1);
  constexpr std::size_t wide = std::size_t{1} << 21, much = std::size_t{1} << 19;
  if (pairs * dim > wide) // long rows: their numbers make up for what is lost in pairs
    pairs = std::max<std::size_t>(8, wide / dim);
  if (anew * dim > much)
    anew = std::max<std::size_t>(1, much / dim);
  return {std::min(particles, seen), pairs, anew};
}

Step look_every(Step total, std::size_t particles, std::size_t dim) {
  const Step usual = std::max(std::clamp<Step>(total / 25, 1, 20), total / 100);
  const LookSize size = LookSize::of(particles, dim, 2);
  const auto d = static_cast<double>(dim), n = static_cast<double>(particles);
  // Nanoseconds on one core: what does not depend on the dimension, and what each number takes.
  const double pairs = std::min(static_cast<double>(size.pairs), n / 2);
  const auto anew = static_cast<double>(size.dealt_anew);
  double look = 1e4 + 60 * d + static_cast<double>(size.rows) * 5 * d + pairs * (70 + 4 * d) +
                anew * (15 + 8 * d);
  constexpr double far = 50,
                   near = 4e6; // a row that no cache holds; a pair has two, with position and score
  if (24 * n * d > near)
    look += far * (4 * pairs + 3 * anew);
  const double step = n * (10 + 4 * d);
  constexpr double unnoticed = 1e7, share = 0.05;
  if (look * static_cast<double>(total / usual) <= unnoticed)
    return usual;
  return std::max(usual, static_cast<Step>(std::ceil(look / (share * step))));
}

std::vector<std::uint32_t> rows_looked_at(Step k, std::size_t dim, const Batches& batches,
                                          std::uint64_t seed) {
  const std::size_t count = batches.population;
  const LookSize size = LookSize::of(count, dim, batches[0].size());
  std::vector<std::uint32_t> rows = drawn_rows(count, size.rows, seed, k, Threads::alone());
  const auto also = [&](std::span<const std::uint32_t> more) {
    rows.insert(rows.end(), more.begin(), more.end());
  };
  // As stein_discrepancy takes its pairs: of so many batches, and of each no more members than make
  // all pairs.
  const auto most_members = std::max<std::size_t>(
      2, static_cast<std::size_t>((1 + std::sqrt(1 + 8 * static_cast<double>(size.pairs))) / 2));
  std::size_t pairs = 0;
  for (std::size_t q = 0; q < batches.count() && (q == 0 || pairs < size.pairs); ++q) {
    const auto batch = batches[q].first(std::min(batches[q].size(), most_members));
    pairs += batch.size() * (batch.size() - 1) / 2;
    also(batch);
  }
  // As drift_noise deals anew.
  Batches again;
  also(again.lay_out_like(
      batches, std::max<std::size_t>(1, std::min(batches.count(), count / size.dealt_anew))));
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

template <typename Real>
Lookout<Real>::Lookout(std::uint64_t seed, bool periodic, std::vector<std::string> names,
                       Threads& threads)
    : seed_(seed), periodic_(periodic), names_(std::move(names)), threads_(&threads) {}

template <typename Real>
void Lookout<Real>::look(Step k, Ensemble<Real>& particles, const Batches& batches,
                         const AnyDrift<Real>& drift, double seconds,
                         std::vector<judge::TraceRow>& trace) const {
  const Rows<const Real> x = std::as_const(particles).position();
  const Rows<const Real> score = std::as_const(particles).score();
  const auto dim = static_cast<double>(x.dim);
  const LookSize size = LookSize::of(x.count, x.dim, batches[0].size());
  const bool some = batches.whole() && size.rows < x.count;
  const std::vector<std::uint32_t> drawn =
      some ? drawn_rows(x.count, size.rows, seed_, k, *threads_) : std::vector<std::uint32_t>();
  const std::span<const std::uint32_t> dealt =
      some ? std::span<const std::uint32_t>(drawn) : batches.order();
  std::vector<Balance>& parameters = room_.parameters;
  if (some)
    balance(gathered(x, dealt, *threads_, room_.positions),
            gathered(score, dealt, *threads_, room_.scores), *threads_, parameters);
  else
    balance(x, score, *threads_, parameters);
  judge::TraceRow row;
  row.step = k;
  row.sweeps = batches.time;
  row.seconds = seconds;
  row.batch = batches[0].size();
  row.drift = rms(std::as_const(particles).drift(), dealt, *threads_);
  row.score = rms(score, dealt, *threads_);
  double variance = 0, centre = 0;
  for (const Balance& one : parameters) {
    variance += one.sd * one.sd;
    centre += one.mean;
  }
  row.spread = std::sqrt(variance / dim);
  if (!periodic_)
    row.centre = centre / std::sqrt(dim);
  if (!periodic_ && x.count > 1) {
    const auto found = stein_discrepancy(x, score, batches, size.pairs, *threads_, room_.stein);
    row.ksd = found.multiquadric.value;
    row.ksd_se = found.multiquadric.se;
    row.ksd_gaussian = found.gaussian.value;
    row.ksd_gaussian_se = found.gaussian.se;
  }
  if (batches.whole()) { // else most scores are those of an earlier step, or of none
    row.noise = drift_noise(k, particles, batches, drift, seed_, size.dealt_anew, room_.noise,
                            *threads_, cpu::permute)
                    .ratio();
    row.shift = 0;
    for (const Balance& one : parameters)
      row.shift = std::max(row.shift, std::abs(one.shift));
    if (!periodic_ && x.count > 1) {
      const auto [least, most] = std::ranges::minmax_element(parameters, {}, &Balance::spread);
      row.least_identity = least->spread;
      row.most_identity = most->spread;
    }
  }
  trace.push_back(std::move(row));
  if (batches.whole())
    trace.back().verdict =
        judge::judge_by_balance(parameters, x.count, names_, periodic_, trace).verdict;
  constexpr std::size_t worth_keeping =
      std::size_t{1} << 20; // numbers; more of them would count as the run's memory
  if (room_.positions.size() > worth_keeping)
    room_ = Room{std::move(room_.parameters), {}, {}, {}, {}};
}

template class Lookout<double>;
template class Lookout<float>;

} // namespace starling::run
