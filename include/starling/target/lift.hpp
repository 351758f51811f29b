// From a function of one particle to a target of all of them.
#pragma once

#include <starling/target/concepts.hpp>
#include <starling/threads.hpp>

#include <exception>
#include <utility>

namespace starling {

/// f(x, score) writes grad log pi(x) and returns log pi(x), up to a constant. With more than one
/// thread it is called from several at once. What it throws comes back as a TargetError that names
/// the particle.
template <typename Real, typename F>
class Lift {
public:
  Lift(std::size_t dim, F f, Threads& threads = Threads::alone())
      : dim_(dim), f_(std::move(f)), threads_(&threads) {}

  std::size_t dim() const { return dim_; }

  void operator()(Step k, Rows<const Real> x, Rows<Real> score) {
    each(k, x, [&](std::size_t i) { (void)f_(x[i], score[i]); });
  }
  void evaluate(Rows<const Real> x, Rows<Real> score, std::span<Real> log_density) {
    each(0, x, [&](std::size_t i) { log_density[i] = f_(x[i], score[i]); });
  }

private:
  template <typename One>
  void each(Step k, Rows<const Real> x, One&& one) {
    threads_->for_pieces(x.count, 1024, [&](std::size_t begin, std::size_t end) {
      std::size_t i = begin;
      try {
        for (; i < end; ++i)
          one(i);
      } catch (const std::exception& error) {
        throw TargetError(k, i, error.what());
      }
    });
  }

  std::size_t dim_;
  F f_;
  Threads* threads_;
};

/// lift<double>(2, [](auto x, auto score) { ...; return log_density; })
template <typename Real, typename F>
Lift<Real, F> lift(std::size_t dim, F f, Threads& threads = Threads::alone()) {
  return Lift<Real, F>(dim, std::move(f), threads);
}

} // namespace starling
