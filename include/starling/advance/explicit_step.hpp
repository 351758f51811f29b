// One evaluation of the flow, then one move: X_i += step(Phi_i). Algorithm 3 with any step rule.
#pragma once

#include <starling/advance/rules.hpp>
#include <starling/batches.hpp>
#include <starling/domain.hpp>
#include <starling/ensemble.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <span>
#include <utility>

namespace starling {

/// A run of coordinates to be moved, whoever they belong to.
template <typename Real>
struct Moving {
  Real* x;
  const Real* g;
  std::array<Real*, 2> memory; ///< as many as the rule has
  std::size_t count;
};

/// Coordinates one by one. Cost: reads 2 + memories numbers for each, writes 1 + memories.
struct OneByOne {
  template <std::size_t memories, typename Real, typename OneStep, typename Domain>
  STARLING_DEVICE static void move(const OneStep& step, const Moving<Real>& run,
                                   const Domain& domain) {
    for (std::size_t n = 0; n < run.count; ++n) {
      std::array<Real, memories> memory;
      for (std::size_t c = 0; c < memories; ++c)
        memory[c] = run.memory[c][n];
      run.x[n] = domain.wrap(run.x[n] + step(run.g[n], memory));
      for (std::size_t c = 0; c < memories; ++c)
        run.memory[c][n] = memory[c];
    }
  }
};

/// `Pace` says how a run of coordinates is moved: OneByOne, or cpu::InVectors.
template <typename Real, StepRule<Real> Rule, typename Domain = Euclid<Real>,
          typename Pace = OneByOne>
class ExplicitStep {
  static_assert(Rule::memories <= 2);

public:
  /// Numbers that one thread moves before it takes others. How they are shared out changes no
  /// number.
  static constexpr std::size_t numbers_a_piece = 32768;

  explicit ExplicitStep(Rule rule, Threads& threads = Threads::alone(), Domain domain = {})
      : rule_(rule), threads_(&threads), domain_(domain) {}

  template <HostParticles<Real> P, typename Flow>
  void operator()(Step, P& particles, const Batches& batches, Flow&& flow) {
    particles.remember(Rule::memories);
    flow();
    const auto order = batches.order();
    const auto moves = particles.moves();
    std::atomic<bool> sound{true};
    if (batches.whole() && rows_too_long(particles)) {
      const StepOf<Rule> step = rule_.at(batches.time, moves[0]);
      threads_->for_pieces(order.size() * particles.dim(), numbers_a_piece,
                           [&](std::size_t begin, std::size_t end) {
                             if (!move_numbers(particles, begin / particles.dim(),
                                               begin % particles.dim(), end - begin, step))
                               sound.store(false, std::memory_order_relaxed);
                           });
      for (std::uint32_t& m : moves)
        ++m;
    } else if (batches.whole()) { // in any order, so as the columns lie
      const std::size_t rows = std::clamp<std::size_t>(numbers_a_piece / particles.dim(), 1, 8192);
      threads_->for_pieces(order.size(), rows, [&](std::size_t begin, std::size_t end) {
        const bool one_run = alike(moves.subspan(begin, end - begin));
        for (std::size_t last = end; begin < end;
             begin = last) { // runs of particles that moved as often
          if (!one_run)
            last = std::find_if(moves.begin() + std::ptrdiff_t(begin),
                                moves.begin() + std::ptrdiff_t(end),
                                [&](std::uint32_t m) { return m != moves[begin]; }) -
                   moves.begin();
          if (!move(particles, begin, last, rule_.at(batches.time, moves[begin])))
            sound.store(false, std::memory_order_relaxed);
          for (std::size_t i = begin; i < last; ++i)
            ++moves[i];
        }
      });
    } else { // Algorithm 2: the few that were drawn
      for (const std::uint32_t i : order) {
        move(particles, i, i + 1, rule_.at(batches.time, moves[i]));
        ++moves[i];
      }
    }
    if constexpr (seen_by_pace && requires { particles.note_finite(); })
      if (batches.whole() && order.size() == particles.count() && sound)
        particles.note_finite();
  }

private:
  /// Whether the pace says, of what it moved, if all came to be numbers.
  static constexpr bool seen_by_pace =
      std::same_as<bool, decltype(Pace::template move<Rule::memories>(
                             std::declval<const StepOf<Rule>&>(),
                             std::declval<const Moving<Real>&>(), std::declval<const Domain&>()))>;

  /// Whether all of them have moved as often: mostly they have, which is seen without a branch for
  /// each.
  static bool alike(std::span<const std::uint32_t> moves) {
    std::uint32_t apart = 0;
    for (const std::uint32_t m : moves)
      apart |= m ^ moves[0];
    return apart == 0;
  }

  /// Where a row is more than a piece, and rows lie one after another and have moved alike.
  template <typename P>
  static bool rows_too_long(P& particles) {
    if constexpr (PlainColumn<decltype(particles.position()), Real>)
      return particles.dim() > numbers_a_piece && alike(particles.moves());
    return false;
  }

  // A run of numbers from coordinate a of row i on. False where it is known that not all came to be
  // numbers.
  template <typename P>
  bool move_numbers(P& particles, std::size_t i, std::size_t a, std::size_t count,
                    const StepOf<Rule>& step) const {
    Moving<Real> run{&particles.position()[i][a], &particles.drift()[i][a], {}, count};
    for (std::size_t c = 0; c < Rule::memories; ++c)
      run.memory[c] = &particles.memory(c)[i][a];
    if constexpr (seen_by_pace) {
      return Pace::template move<Rule::memories>(step, run, domain_);
    } else {
      Pace::template move<Rule::memories>(step, run, domain_);
      return true;
    }
  }

  // Rows [begin, end), as one run of numbers where they lie so, else number by number.
  template <typename P>
  bool move(P& particles, std::size_t begin, std::size_t end, const StepOf<Rule>& step) const {
    if constexpr (PlainColumn<decltype(particles.position()), Real>)
      return move_numbers(particles, begin, 0, (end - begin) * particles.dim(), step);
    bool sound = true;
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t a = 0; a < particles.dim(); ++a)
        sound &= move_numbers(particles, i, a, 1, step);
    return sound;
  }

  Rule rule_;
  Threads* threads_;
  Domain domain_;
};

} // namespace starling
