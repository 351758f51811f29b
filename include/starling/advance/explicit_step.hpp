// One evaluation of the flow, then one move: X_i += step(Phi_i). Algorithm 3 with any step rule.
#pragma once

#include <starling/advance/rules.hpp>
#include <starling/batches.hpp>
#include <starling/domain.hpp>
#include <starling/ensemble.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <array>

namespace starling {

template <typename Real, StepRule<Real> Rule, typename Domain = Euclid<Real>>
class ExplicitStep {
public:
  explicit ExplicitStep(Rule rule, Threads& threads = Threads::alone(), Domain domain = {})
      : rule_(rule), threads_(&threads), domain_(domain) {}

  template <typename Flow>
  void operator()(Step, Ensemble<Real>& particles, const Batches& batches, Flow&& flow) {
    particles.remember(Rule::memories);
    flow();
    const auto order = batches.order();
    const auto moves = particles.moves();
    if (batches.whole()) { // in any order, so as the columns lie
      threads_->for_pieces(order.size(), 8192, [&](std::size_t begin, std::size_t end) {
        for (std::size_t last; begin < end; begin = last) { // runs of particles that moved as often
          last = std::find_if(moves.begin() + std::ptrdiff_t(begin), moves.begin() + std::ptrdiff_t(end),
                              [&](std::uint32_t m) { return m != moves[begin]; }) - moves.begin();
          move(particles, begin, last, rule_.at(batches.time, moves[begin]));
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
  }

private:
  // Rows [begin, end), as one run of numbers. Cost: reads 2 + memories numbers for each coordinate,
  // writes 1 + memories.
  template <typename OneStep>
  void move(Ensemble<Real>& particles, std::size_t begin, std::size_t end,
            const OneStep& step) const {
    const std::size_t dim = particles.dim(), count = (end - begin) * dim;
    Real* x = particles.position()[begin].data();
    const Real* g = particles.drift()[begin].data();
    std::array<Real*, Rule::memories> columns;
    for (std::size_t c = 0; c < Rule::memories; ++c)
      columns[c] = particles.memory(c)[begin].data();
    for (std::size_t n = 0; n < count; ++n) {
      std::array<Real, Rule::memories> memory;
      for (std::size_t c = 0; c < Rule::memories; ++c)
        memory[c] = columns[c][n];
      x[n] = domain_.wrap(x[n] + step(g[n], memory));
      for (std::size_t c = 0; c < Rule::memories; ++c)
        columns[c][n] = memory[c];
    }
  }

  Rule rule_;
  Threads* threads_;
  Domain domain_;
};

} // namespace starling
