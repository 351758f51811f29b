// One evaluation of the flow, then one move: X_i += step(Phi_i). Algorithm 3 with any step rule.
#pragma once

#include <starling/advance/rules.hpp>
#include <starling/batches.hpp>
#include <starling/domain.hpp>
#include <starling/ensemble.hpp>
#include <starling/threads.hpp>

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
    const bool in_order = batches.whole(); // any order will do, so take the columns as they lie
    threads_->for_pieces(order.size(), 8192, [&](std::size_t begin, std::size_t end) {
      const auto row = [&](std::size_t n) { return in_order ? n : order[n]; };
      const auto moves = particles.moves();
      for (std::size_t n = begin; n < end;) {
        const std::uint32_t before = moves[row(n)]; // differs only after draws with replacement
        const auto step = rule_.at(batches.time, before);
        for (; n < end && moves[row(n)] == before; ++n) {
          move(particles, row(n), step);
          ++moves[row(n)];
        }
      }
    });
  }

private:
  template <typename OneStep>
  void move(Ensemble<Real>& particles, std::size_t i, const OneStep& step) const {
    const auto x = particles.position()[i], g = particles.drift()[i];
    std::array<Real, Rule::memories> memory;
    for (std::size_t a = 0; a < x.size(); ++a) {
      for (std::size_t c = 0; c < Rule::memories; ++c)
        memory[c] = particles.memory(c)[i][a];
      x[a] = domain_.wrap(x[a] + step(g[a], memory));
      for (std::size_t c = 0; c < Rule::memories; ++c)
        particles.memory(c)[i][a] = memory[c];
    }
  }

  Rule rule_;
  Threads* threads_;
  Domain domain_;
};

} // namespace starling
