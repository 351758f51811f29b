// The table of step rules and other solvers.
#include "cuda/move.hpp"
#include "plan/plan.hpp"

#include <starling/advance/riesz_splitting.hpp>
#include <starling/advance/runge_kutta.hpp>
#include <starling/cpu/explicit_step.hpp>

namespace starling::plan {

namespace {

/// Calls use with the domain of the plan, in the number type.
template <typename Real, typename Use>
run::AnyAdvance<Real> in_domain(const Plan& plan, Use&& use) {
  return plan.period ? use(Torus<Real>(static_cast<Real>(*plan.period))) : use(Euclid<Real>());
}

/// A rule that moves each coordinate by a function of its drift, on the host and on cards; `make`
/// answers it for a number type.
template <typename Make>
RuleEntry explicit_step(std::string name, std::string help, std::vector<Setting> settings,
                        Make make) {
  const auto on_host = [make]<typename Real>(Real zero) {
    return [make, zero](const Plan& plan, const Given& given, Threads& threads) {
      const auto rule = make(zero, plan.step_size, given);
      using Rule = std::decay_t<decltype(rule)>;
      return in_domain<Real>(plan, [&](auto domain) -> run::AnyAdvance<Real> {
        if constexpr (decltype(domain)::periodic)
          return ExplicitStep<Real, Rule, decltype(domain)>(rule, threads, domain);
        else
          return cpu::ExplicitStep<Real, Rule>(rule, threads);
      });
    };
  };
  const auto on_card = [make]<typename Real>(Real zero) {
    return [make, zero](const Plan& plan, const Given& given) {
      return cuda::Rule<Real>(make(zero, plan.step_size, given));
    };
  };
  return {std::move(name),
          std::move(help),
          std::move(settings),
          {on_host(0.0), on_host(0.0F)},
          {on_card(0.0), on_card(0.0F)}};
}

/// One that has only a step size.
template <template <typename> class Rule>
RuleEntry plain(std::string name, std::string help) {
  return explicit_step(
      std::move(name), std::move(help), {},
      [](auto zero, double eta, const Given&) { return Rule<decltype(zero)>(eta); });
}

template <typename Real>
run::AnyAdvance<Real> runge_kutta(const Plan& plan, const Given&, Threads&) {
  return in_domain<Real>(plan, [&](auto domain) -> run::AnyAdvance<Real> {
    return RungeKutta4<Real, decltype(domain)>(plan.step_size, domain);
  });
}

template <typename Real>
run::AnyAdvance<Real> splitting(const Plan& plan, const Given&, Threads&) {
  return RieszSplitting<Real>(plan.step_size, number(plan.kernel.front().settings, "a"));
}

} // namespace

std::span<const RuleEntry> rules() {
  static const std::vector<RuleEntry> table = {
      plain<FadingAdaGrad>("adagrad", "AdaGrad with fading memory, as in SVGD's code"),
      plain<SummingAdaGrad>("adagrad-sum", "AdaGrad with the sum of all squares"),
      plain<ConstantStep>("constant", "x += eta drift"),
      explicit_step("decay", "eta (1 + k / tau)^-power",
                    {{"tau", 100.0, "decay: the TAU of eta (1 + k/TAU)^-POWER", positive},
                     {"power", 0.6, "decay: the POWER", at_least(0)}},
                    [](auto zero, double eta, const Given& given) {
                      return DecayingStep<decltype(zero)>(eta, number(given, "tau"),
                                                          number(given, "power"));
                    }),
      plain<RmsProp>("rmsprop", "RMSProp"),
      plain<Adam>("adam", "Adam"),
      {"rk4",
       "Runge-Kutta of order four in each step",
       {},
       {runge_kutta<double>, runge_kutta<float>},
       {}},
      {"splitting",
       "exact repulsion of pairs, for the kernel riesz",
       {},
       {splitting<double>, splitting<float>},
       {},
       true},
      {"stochastic",
       "stochastic SVGD: the mean over the batch, and noise from its kernel matrix; eta (1 + k / "
       "tau)^-power",
       {{"tau", 100.0, "stochastic: the TAU of eta (1 + k/TAU)^-POWER", positive},
        {"power", 0.0, "stochastic: the POWER; 0 keeps the step", at_least(0)}},
       {},
       {},
       false,
       true},
  };
  return table;
}

} // namespace starling::plan
