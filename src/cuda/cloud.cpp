// Turns on a device: put there, taken, and, where a number was lost, taken again one by one to say
// where.
#include "cuda/cloud.hpp"

#include "cuda/sizes.hpp"

#include <starling/batches.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace starling::cuda {

template <typename Real>
Cloud<Real>::Cloud(std::shared_ptr<Machine> machine, Charge<Real> charge)
    : machine_(std::move(machine)), charge_(std::move(charge)),
      particles_(*machine_, charge_.particles, charge_.dim),
      numbers_(*machine_, charge_.numbers.size()), inverse_h_(*machine_, 1),
      distances_(*machine_, charge_.median_pairs + 2),
      inverse_(*machine_, charge_.dealing->inverse().size()), lists_(*machine_, 1),
      order_(*machine_, charge_.particles), bad_(*machine_, 1), turns_(*machine_, most_turns) {
  numbers_.upload(charge_.numbers.data(), charge_.numbers.size());
  const Real inverse_h = static_cast<Real>(1 / charge_.bandwidth);
  inverse_h_.upload(&inverse_h, 1);
  inverse_.upload(charge_.dealing->inverse().data(), inverse_.size());
  particles_.remember(charge_.memories);
  Scoring<Real>& target = charge_.target;
  if (charge_.outside) {
    target.kind = Scoring<Real>::Kind::outside;
    outside_ = charge_.outside->on(machine_);
    at_once_ = 1;
  }
  if (target.kind == Scoring<Real>::Kind::normal)
    target.mean = numbers_.data();
  if (target.kind == Scoring<Real>::Kind::mixture) {
    MixtureForm<Real>& form = target.mixture;
    form.constants = numbers_.data();
    form.means = form.constants + form.components;
    form.precisions = form.means + form.components * form.dim;
  }
}

template <typename Real>
Work<Real> Cloud<Real>::work() const {
  Work<Real> work;
  work.count = static_cast<std::uint32_t>(particles_.count());
  work.dim = static_cast<std::uint32_t>(particles_.dim());
  work.x = particles_.position().address;
  work.s = particles_.score().address;
  work.g = particles_.drift().address;
  for (std::size_t c = 0; c < particles_.memories(); ++c)
    work.memory[c] = particles_.memory(c).address;
  work.pitch = work.dim;
  if (side_by_side_) {
    work.x = particles_.side_by_side();
    work.memory[0] = work.x + work.dim;
    work.pitch = 2 * work.dim;
  }
  work.order = order_.data();
  work.inverse = inverse_h_.data();
  work.distances = distances_.data();
  work.bad = bad_.data();
  work.turns = turns_.data();
  work.tables = {inverse_.data(), lists_.data()};
  work.target = charge_.target;
  work.pairs = charge_.pairs;
  const std::uint64_t n = work.count, all = n * (n - 1) / 2;
  work.bandwidth.all = all <= charge_.median_pairs ? 1 : 0;
  work.bandwidth.pairs =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(all, charge_.median_pairs));
  work.bandwidth.philox = Philox(charge_.seed);
  if (!norms_.size())
    return work;
  Products& to = work.products; // of all turns: sweeps say how many shares are theirs
  to.width = product_width(work.dim);
  to.high = shorts_.data();
  to.low = to.high + shorts_.size() / 2;
  to.pull = longs_.data();
  to.center = norms_.data();
  to.largest = to.center + layout::product_dim;
  to.norm = to.largest + 1;
  to.parts = parts_.data();
  return work;
}

template <typename Real>
void Cloud<Real>::make_room_for_products() {
  std::uint32_t shares = 0;
  const auto dim = static_cast<std::uint32_t>(charge_.dim);
  for (const Turn<Real>& turn : pending_)
    shares = std::max(shares, product_shares(dim, charge_.pairs, turn.order));
  if (shares == 0)
    return;
  const std::size_t places = charge_.particles + layout::product_places,
                    numbers = charge_.particles * charge_.dim;
  Products to;
  to.width = product_width(dim);
  if (!norms_.size()) {
    shorts_ = Room<std::uint32_t>(*machine_, 2 * places * to.words());
    longs_ = Room<float>(*machine_, places * to.width);
    norms_ = Room<float>(*machine_, places + layout::product_dim + 1);
  }
  if (parts_.size() < shares * numbers)
    parts_ = Room<float>(*machine_, shares * numbers);
}

template <typename Real>
void Cloud<Real>::travel(Step k) {
  if (!charge_.dealing->travels(k))
    return;
  flush();
  if (charge_.dealing->travels_by_list())
    particles_.reorder(charge_.dealing->list(k));
  else
    particles_.travel(charge_.dealing->scramble(k));
}

template <typename Real>
void Cloud<Real>::record(Step k) {
  if (pending_.size() >= at_once_)
    flush();
  travel(k);
  draw(k);
  ++particles_.moved;
  next_ = k + 1;
}

template <typename Real>
void Cloud<Real>::draw(Step k) {
  Turn<Real> turn;
  turn.step = k;
  turn.order = charge_.dealing->at(k, pending_lists_);
  turn.move = charge_.rule(static_cast<double>(k), particles_.moved);
  Batches weights;
  weights.population = particles_.population();
  turn.pair_smaller = static_cast<Real>(weights.pair_weight(turn.order.smaller()));
  turn.pair_larger = static_cast<Real>(weights.pair_weight(turn.order.smaller() + 1));
  turn.self = static_cast<Real>(weights.self_weight());
  pending_.push_back(turn);
}

template <typename Real>
void Cloud<Real>::put_turns() {
  turns_.upload(pending_.data(), pending_.size());
  if (pending_lists_.size() > lists_.size())
    lists_ = Room<std::uint32_t>(*machine_, 2 * pending_lists_.size());
  lists_.upload(pending_lists_.data(), pending_lists_.size());
  make_room_for_products();
}

template <typename Real>
void Cloud<Real>::flush() {
  if (pending_.empty())
    return;
  bool kept = false;
  const auto begin = std::chrono::steady_clock::now();
  try {
    put_turns();
    side_by_side_ = wants_side_by_side();
    if (side_by_side_) // and the columns are what is kept
      particles_.put_side_by_side();
    else
      keep(spares_columns());
    kept = !side_by_side_;
    take_turns();
  } catch (...) {
    side_by_side_ = false;
    if (!pending_.empty()) { // a sweep that could not begin, or no room: not one of them is taken
      if (kept)
        take_back();
      forget_from(0);
      pending_lists_.clear();
    }
    throw;
  }
  const bool apart = std::exchange(side_by_side_, false);
  if (is_bad())
    find_fault(!apart);
  else if (apart)
    particles_.take_apart();
  if (outside_ && !charge_.outside->by_all_ranks) {
    const std::chrono::duration<double> all = std::chrono::steady_clock::now() - begin;
    const double fit = longest_flush * static_cast<double>(pending_.size()) / all.count();
    at_once_ = static_cast<std::size_t>(std::clamp(fit, 1.0, double(most_turns)));
  }
  pending_.clear();
  pending_lists_.clear();
}

template <typename Real>
bool Cloud<Real>::is_bad() {
  std::uint32_t bad = 0;
  bad_.download(&bad, 1);
  if (bad != 0)
    machine_->clear(bad_.data(), bad_.bytes());
  return bad != 0;
}

template <typename Real>
void Cloud<Real>::find_fault(bool moved) {
  if (moved)
    take_back();
  particles_.moved -= static_cast<std::uint32_t>(pending_.size());
  const std::vector<Turn<Real>> turns = std::exchange(pending_, {});
  pending_lists_.clear(); // they are on the device
  next_ = turns.front().step;
  const auto worst = [&](DeviceColumn<Real> of, auto say) {
    const std::vector<Real> values = column(of);
    const auto bad = std::ranges::find_if(values, [](Real v) { return !std::isfinite(v); });
    if (bad == values.end())
      return;
    const auto n = static_cast<std::size_t>(bad - values.begin());
    say(static_cast<std::size_t>(particles_.ids()[n / particles_.dim()]), n % particles_.dim(),
        *bad);
  };
  for (std::uint32_t turn = 0; turn < turns.size(); ++turn) {
    const Step k = turns[turn].step;
    keep(false);
    const Work<Real> now = work();
    score(k);
    sweeps().flow(now, turn, turns[turn]);
    worst(particles_.score(), [&](std::size_t who, std::size_t a, Real value) {
      throw TargetError(
          k, who, "the score of parameter " + std::to_string(a) + " is " + std::to_string(value));
    });
    sweeps().advance(now, turn, turns[turn]);
    if (is_bad())
      worst(particles_.position(), [&](std::size_t who, std::size_t a, Real) {
        take_back();
        throw Diverged(k, who, charge_.names[a]);
      });
    ++particles_.moved;
    next_ = k + 1;
  }
}

template <typename Real>
void Cloud<Real>::flow(Step k, std::size_t most_rows,
                       std::unique_ptr<starling::Ensemble<Real>>& some, Batches& batches) {
  flush();
  record(k);
  put_turns();
  const Order& order = pending_.front().order;
  try {
    score(k);
  } catch (...) {
    forget_from(0);
    pending_lists_.clear();
    throw;
  }
  sweeps().flow(work(), 0, pending_.front());

  const std::uint32_t whole =
      most_rows >= order.count
          ? order.pieces
          : std::max<std::uint32_t>(1,
                                    static_cast<std::uint32_t>(most_rows / (order.smaller() + 1)));
  const std::uint32_t rows = order.begin(whole);
  if (!some || some->count() != rows)
    some = std::make_unique<starling::Ensemble<Real>>(rows, particles_.dim());
  const std::size_t numbers = rows * particles_.dim();
  const Room<Real> x(*machine_, numbers), s(*machine_, numbers), g(*machine_, numbers);
  sweeps().gather(work(), rows, x.data(), s.data(), g.data());
  x.download(some->position().data, numbers);
  s.download(some->score().data, numbers);
  g.download(some->drift().data, numbers);
  batches.population = particles_.population();
  batches.here = rows;
  batches.time = static_cast<double>(k);
  batches.lay_out(rows, whole); // the larger batches are the first here as well
}

template <typename Real>
void Cloud<Real>::move() {
  flush(); // the flow is taken once more, which costs what it costs and changes nothing
}

template <typename Real>
std::vector<Real> Cloud<Real>::column(DeviceColumn<Real> column) const {
  std::vector<Real> values(column.count * column.dim);
  machine_->download(values.data(), column.address, values.size() * sizeof(Real));
  return values;
}

template class Cloud<double>;
template class Cloud<float>;

} // namespace starling::cuda
