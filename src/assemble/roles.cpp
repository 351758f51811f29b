// Dealers and step rules, by name.
#include "assemble/roles.hpp"

#include "plan/spec.hpp"

#include <starling/advance/riesz_splitting.hpp>
#include <starling/advance/runge_kutta.hpp>
#include <starling/cpu/explicit_step.hpp>
#include <starling/deal/draw.hpp>
#include <starling/deal/matching.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/deal/whole.hpp>

namespace starling::assemble {

namespace {

std::size_t batch_size(const plan::Recipe& r) { return plan::parse_count("batch", r.batch, 2); }

template <typename Real, typename Domain>
AnyAdvance<Real> advance_in(const plan::Recipe& r, Threads& threads, Domain domain) {
  const auto explicit_step = [&](auto rule) -> AnyAdvance<Real> {
    if constexpr (std::is_same_v<Domain, Euclid<Real>>)
      return cpu::ExplicitStep<Real, decltype(rule)>(rule, threads);
    else
      return ExplicitStep<Real, decltype(rule), Domain>(rule, threads, domain);
  };
  if (r.advance == "adagrad")
    return explicit_step(FadingAdaGrad<Real>(r.step_size));
  if (r.advance == "adagrad-sum")
    return explicit_step(SummingAdaGrad<Real>(r.step_size));
  if (r.advance == "constant")
    return explicit_step(ConstantStep<Real>(r.step_size));
  if (r.advance == "decay")
    return explicit_step(DecayingStep<Real>(r.step_size, r.decay_tau, r.decay_power));
  if (r.advance == "rmsprop")
    return explicit_step(RmsProp<Real>(r.step_size));
  if (r.advance == "adam")
    return explicit_step(Adam<Real>(r.step_size));
  if (r.advance == "rk4")
    return RungeKutta4<Real, Domain>(r.step_size, domain);
  return RieszSplitting<Real>(r.step_size, plan::parse_kernel(r.kernel)[0].settings.at("a"));
}

} // namespace

template <typename Real>
AnyDealer<Real> make_dealer(const plan::Recipe& r) {
  if (r.batch == "all")
    return Whole();
  const std::size_t p = batch_size(r);
  if (r.replace)
    return Draw(r.seed, p);
  if (r.deal == "matching")
    return Matching(r.seed);
  if (r.grow_batch.empty())
    return Shuffle(r.seed, p);
  const auto [rule, argument] = plan::parse_named(r.grow_batch);
  return Shuffle(r.seed, rule == "double"
                             ? BatchSize::doubling(p, plan::parse_count("grow-batch", argument, 1))
                             : BatchSize::power(p, plan::parse_number("grow-batch", argument)));
}

template <typename Real>
AnyDealer<Real> make_dealer_of_everyone(const plan::Recipe& r) {
  if (!r.replace && r.deal != "matching")
    return {};
  return [deal = Shuffle(r.seed, batch_size(r)), batches = Batches(), p = r.replace ? batch_size(r) : 0](
             Step k, Ensemble<Real>& particles) mutable -> const Batches& {
    batches = deal(k, particles);
    if (p > 0) // a step of Algorithm 2 is p/N of a sweep
      batches.time *= static_cast<double>(p) / static_cast<double>(particles.count());
    return batches;
  };
}

template <typename Real>
AnyAdvance<Real> make_advance(const plan::Recipe& r, Threads& threads) {
  if (r.domain.empty())
    return advance_in<Real>(r, threads, Euclid<Real>());
  return advance_in<Real>(
      r, threads, Torus<Real>(static_cast<Real>(plan::parse_number("domain", plan::parse_named(r.domain).second))));
}

Step loop_steps(const plan::Recipe& r) {
  return r.replace ? Draw(r.seed, batch_size(r)).draws(r.steps, r.particles) : r.steps;
}

template AnyDealer<double> make_dealer(const plan::Recipe&);
template AnyDealer<float> make_dealer(const plan::Recipe&);
template AnyDealer<double> make_dealer_of_everyone(const plan::Recipe&);
template AnyDealer<float> make_dealer_of_everyone(const plan::Recipe&);
template AnyAdvance<double> make_advance(const plan::Recipe&, Threads&);
template AnyAdvance<float> make_advance(const plan::Recipe&, Threads&);

} // namespace starling::assemble
