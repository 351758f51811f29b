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
Cloud<Real>::Cloud(std::shared_ptr<Machine> machine, RunSpec<Real> spec)
    : machine_(std::move(machine)), spec_(std::move(spec)),
      particles_(*machine_, spec_.particles, spec_.dim), numbers_(*machine_, spec_.numbers.size()),
      inverse_h_(*machine_, 1), distances_(*machine_, spec_.median_pairs + 2), lists_(*machine_, 1),
      order_(*machine_, spec_.particles), bad_(*machine_, 1), turns_(*machine_, most_turns) {
  numbers_.upload(spec_.numbers.data(), spec_.numbers.size());
  const Real inverse_h = static_cast<Real>(1 / spec_.bandwidth);
  inverse_h_.upload(&inverse_h, 1);
  particles_.remember(spec_.rule.memories);
  Scoring<Real>& target = spec_.target;
  if (spec_.outside) {
    target.kind = Scoring<Real>::Kind::outside;
    outside_ = spec_.outside->on(machine_);
    at_once_ = 1;
  }
  target.point_to(numbers_.data());
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
  work.target = spec_.target;
  work.pairs = spec_.pairs;
  const std::uint64_t n = work.count, all = n * (n - 1) / 2;
  work.bandwidth.all = all <= spec_.median_pairs ? 1 : 0;
  work.bandwidth.pairs =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(all, spec_.median_pairs));
  work.bandwidth.philox = Philox(spec_.seed);
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
void Cloud<Real>::travel(Step k) {
  const TravelRule& rule = spec_.orders->travel();
  const std::size_t rows = particles_.count();
  if (!rule.due(k, rows))
    return;
  flush();
  if (rule.is_shuffle(rows))
    particles_.reorder(rule.sources(k, rows, 0, rows));
  else
    particles_.travel(rule.scramble(k, rows));
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
  turn.order = (*spec_.orders)(k);
  if (turn.order.kind == Order::Kind::moebius) { // what it points to is put there with the turns
    const MoebiusOrder& order = turn.order.moebius;
    if (inverse_.size() == 0) {
      inverse_ = DeviceBuffer<std::uint32_t>(*machine_, order.forward.q);
      inverse_.upload(order.inverse, inverse_.size());
    }
    pending_lists_.insert(pending_lists_.end(), order.listed, order.listed + order.list_size());
  }
  turn.move = spec_.rule.at(static_cast<double>(k), particles_.moved);
  Batches weights;
  weights.population = particles_.population();
  turn.pair_smaller = static_cast<Real>(weights.pair_weight(turn.order.smaller()));
  turn.pair_larger = static_cast<Real>(weights.pair_weight(turn.order.smaller() + 1));
  turn.self = static_cast<Real>(weights.self_weight());
  pending_.push_back(turn);
}

template <typename Real>
void Cloud<Real>::upload_turns() {
  if (pending_lists_.size() > lists_.size())
    lists_ = DeviceBuffer<std::uint32_t>(*machine_, 2 * pending_lists_.size());
  lists_.upload(pending_lists_.data(), pending_lists_.size());
  const std::uint32_t* listed = lists_.data();
  for (Turn<Real>& turn : pending_)
    if (turn.order.kind == Order::Kind::moebius) {
      turn.order.moebius.inverse = inverse_.data();
      turn.order.moebius.listed = std::exchange(listed, listed + turn.order.moebius.list_size());
    }
  turns_.upload(pending_.data(), pending_.size());
  make_room_for_products();
}

template <typename Real>
void Cloud<Real>::flush() {
  if (pending_.empty())
    return;
  bool kept = false;
  const auto begin = std::chrono::steady_clock::now();
  try {
    upload_turns();
    side_by_side_ = wants_side_by_side();
    if (side_by_side_) // and the columns are what is kept
      particles_.put_side_by_side();
    else
      keep_columns(leaves_scores_and_drifts());
    kept = !side_by_side_;
    take_turns();
  } catch (...) {
    side_by_side_ = false;
    if (!pending_.empty()) { // a sweep that could not begin, or no room: not one of them is taken
      if (kept)
        restore_kept();
      drop_turns_from(0);
      pending_lists_.clear();
    }
    throw;
  }
  const bool apart = std::exchange(side_by_side_, false);
  if (lost_a_number())
    locate_failure(!apart);
  else if (apart)
    particles_.take_apart();
  if (outside_ && !spec_.outside->by_all_ranks) {
    const std::chrono::duration<double> all = std::chrono::steady_clock::now() - begin;
    const double fit = longest_flush * static_cast<double>(pending_.size()) / all.count();
    at_once_ = static_cast<std::size_t>(std::clamp(fit, 1.0, double(most_turns)));
  }
  pending_.clear();
  pending_lists_.clear();
}

template <typename Real>
bool Cloud<Real>::lost_a_number() {
  std::uint32_t bad = 0;
  bad_.download(&bad, 1);
  if (bad != 0)
    machine_->clear(bad_.data(), bad_.bytes());
  return bad != 0;
}

template <typename Real>
void Cloud<Real>::locate_failure(bool moved) {
  if (moved)
    restore_kept();
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
    keep_columns(false);
    const Work<Real> now = work();
    score(k);
    sweeps().flow(now, turn, turns[turn]);
    worst(particles_.score(), [&](std::size_t who, std::size_t a, Real value) {
      throw TargetError(
          k, who, "the score of parameter " + std::to_string(a) + " is " + std::to_string(value));
    });
    sweeps().advance(now, turn, turns[turn]);
    if (lost_a_number())
      worst(particles_.position(), [&](std::size_t who, std::size_t a, Real) {
        restore_kept();
        throw Diverged(k, who, spec_.names[a]);
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
  upload_turns();
  const Order& order = pending_.front().order;
  try {
    score(k);
  } catch (...) {
    drop_turns_from(0);
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
  const DeviceBuffer<Real> x(*machine_, numbers), s(*machine_, numbers), g(*machine_, numbers);
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
