// From a plan to a charge: kernels, rules, dealers and targets that a card has, and one sentence
// for those it has not.
#include "assemble/on_device.hpp"

#include "assemble/also_on_card.hpp"
#include "assemble/wrap.hpp"
#include "cuda/sweep_blocks.hpp"
#include "plan/names.hpp"

#include <starling/advance/rules.hpp>
#include <starling/target/even_normal.hpp>
#include <starling/target/mixture.hpp>

#include <fmt/format.h>

#include <new>

namespace starling::assemble {

namespace {

using plan::Plan;

[[noreturn]] void cannot(const std::string& sentence) {
  plan::refuse("device", sentence + "; use --device cpu");
}

template <typename Real>
void put_target(const Plan& plan, const run::AnyTarget<Real>& any, cuda::Charge<Real>& charge) {
  using Scoring = cuda::Scoring<Real>;
  charge.outside = on_card(any);
  if (charge.outside)
    return;
  if (!plan.target)
    cannot("cuda needs a function that works on a card, as from_jax and from_torch make them, and "
           "this one works on the host");
  const std::string& name = plan.target->name;
  const plan::Given settings = plan::with_defaults(plan.target->settings, plan.recipe.extra);
  Scoring& target = charge.target;
  if (name == "normal") {
    const EvenNormal<Real> one(plan::count(settings, "dim"), plan::number(settings, "correlation"));
    target.kind = Scoring::Kind::normal;
    target.normal = one.form();
    charge.numbers.assign(one.mean().begin(), one.mean().end());
  } else if (name == "mixture") {
    const Mixture<Real> one(mixture_components(settings));
    target.kind = Scoring::Kind::mixture;
    target.mixture = {one.dim(), one.constants().size(), nullptr, nullptr, nullptr};
    for (const auto part : {one.constants(), one.means(), one.precisions()})
      charge.numbers.insert(charge.numbers.end(), part.begin(), part.end());
  } else if (name == "banana") {
    target.kind = Scoring::Kind::banana;
    new (&target.banana) Banana<Real>(Real(plan::number(settings, "curvature")),
                                      Real(plan::number(settings, "width")));
  } else if (name == "funnel") {
    target.kind = Scoring::Kind::funnel;
    new (&target.funnel)
        Funnel<Real>(plan::count(settings, "dim"), Real(plan::number(settings, "width")));
  } else if (name == "plugin") {
    cannot(fmt::format("{} exports no starling_score_on_device_{}, or scores by rows of data, so a "
                       "card cannot score it",
                       plan.recipe.text_of("model"), plan.single ? "single" : "double"));
  } else if (name == "logistic") {
    cannot("cuda keeps all rows in its memory, not yet those of a .npy file");
  } else {
    cannot(fmt::format(
        "cuda scores the targets normal, mixture, banana, funnel, logistic and plugin, not yet {}",
        name));
  }
}

/// Where a kernel of that type lies in a term.
template <typename Real>
struct PutKernel {
  cuda::Term<Real>& term;
  using Kind = typename cuda::Term<Real>::Kind;

  bool put(Kind kind, auto& place, const auto& kernel) const {
    term.kind = kind;
    new (&place) std::decay_t<decltype(kernel)>(kernel);
    return true;
  }
  bool operator()(const kernel::Gaussian<Real>& k) const {
    return put(Kind::gaussian, term.gaussian, k);
  }
  bool operator()(const kernel::InverseMultiquadric<Real>& k) const {
    return put(Kind::multiquadric, term.multiquadric, k);
  }
  bool operator()(const kernel::Matern32<Real>& k) const {
    return put(Kind::matern32, term.matern32, k);
  }
  bool operator()(const kernel::Matern52<Real>& k) const {
    return put(Kind::matern52, term.matern52, k);
  }
  bool operator()(const kernel::Polynomial<Real>& k) const {
    return put(Kind::polynomial, term.polynomial, k);
  }
  bool operator()(const kernel::Sinc<Real>& k) const { return put(Kind::sinc, term.sinc, k); }
  bool operator()(const kernel::Riesz<Real>& k) const { return put(Kind::riesz, term.riesz, k); }
  bool operator()(const auto&) const { return false; }
};

template <typename Real>
void put_kernel(const Plan& plan, cuda::Charge<Real>& charge) {
  if (plan.kernel.size() > cuda::Pairs<Real>::most)
    cannot(fmt::format("cuda has sums of at most {} kernels", cuda::Pairs<Real>::most));
  charge.pairs.count = static_cast<std::uint32_t>(plan.kernel.size());
  for (std::size_t t = 0; t < plan.kernel.size(); ++t) {
    const plan::KernelTerm& asked = plan.kernel[t];
    cuda::Term<Real>& term = charge.pairs.terms[t];
    if (asked.kernel->over_everyone ||
        !std::visit(PutKernel<Real>{term},
                    asked.kernel->make.in<Real>()(asked.settings, charge.dim)))
      cannot(fmt::format("cuda has the kernels gaussian, gaussian-paper, imq, matern32, matern52, "
                         "polynomial, sinc and riesz, not yet {}",
                         asked.kernel->name));
    term.weight = static_cast<Real>(asked.weight);
    term.sinks = asked.kernel->name == "gaussian-paper";
  }
  if (const auto* fixed = std::get_if<plan::FixedBandwidth>(&plan.bandwidth))
    charge.bandwidth = fixed->h;
  if (const auto* some = std::get_if<plan::MedianOfPairs>(&plan.bandwidth))
    charge.median_pairs = some->pairs;
  if (std::holds_alternative<plan::MedianOfAll>(plan.bandwidth) ||
      charge.median_pairs > cuda::MedianOfPairs<Real>::most)
    cannot(
        fmt::format("cuda takes the median of at most {} pairs: --bandwidth median:M, or a number",
                    cuda::MedianOfPairs<Real>::most));
}

template <typename Real>
void put_rule(const Plan& plan, cuda::Charge<Real>& charge) {
  const auto take = [&](auto rule) {
    charge.memories = decltype(rule)::memories;
    charge.rule = [rule](double time, std::uint32_t moves) {
      return cuda::Move<Real>(rule.at(time, moves));
    };
  };
  const std::string& name = plan.rule->name;
  const double eta = plan.step_size;
  if (name == "adagrad")
    take(FadingAdaGrad<Real>(eta));
  else if (name == "adagrad-sum")
    take(SummingAdaGrad<Real>(eta));
  else if (name == "constant")
    take(ConstantStep<Real>(eta));
  else if (name == "decay")
    take(DecayingStep<Real>(eta, plan::number(plan.rule_settings, "tau"),
                            plan::number(plan.rule_settings, "power")));
  else if (name == "rmsprop")
    take(RmsProp<Real>(eta));
  else if (name == "adam")
    take(Adam<Real>(eta));
  else
    cannot(fmt::format("cuda moves by --advance adagrad, adagrad-sum, constant, decay, rmsprop or "
                       "adam, not yet {}",
                       name));
}

template <typename Real>
void put_dealing(const Plan& plan, std::uint64_t seed, cuda::Charge<Real>& charge) {
  using By = cuda::Dealing::By;
  if (plan.replace)
    cannot("cuda moves everyone in each step, so --replace is not for it");
  const std::string name = plan.batch ? plan.dealer->name : "all";
  if (name != "all" && name != "moebius" && name != "cosets" && name != "matching")
    cannot(fmt::format("cuda deals by --deal moebius, cosets or matching, not by {}", name));
  const By by = name == "all"       ? By::everyone
                : name == "moebius" ? By::moebius
                : name == "cosets"  ? By::cosets
                                    : By::matching;
  charge.dealing.emplace(by, seed, plan.batch, plan.particles);
}

} // namespace

template <typename Real>
cuda::Charge<Real> make_charge(const Plan& plan, std::uint64_t seed,
                               const run::AnyTarget<Real>& target) {
  if (plan.period)
    cannot("cuda lives in all of R^d, not yet on --domain torus:L");
  cuda::Charge<Real> charge;
  charge.particles = plan.particles;
  charge.dim = target.dim;
  charge.names = target.names;
  charge.seed = seed;
  put_target(plan, target, charge);
  put_kernel(plan, charge);
  put_rule(plan, charge);
  put_dealing(plan, seed, charge);
  return charge;
}

std::size_t card_of(const Plan& plan, const mpi::Wire& wire, std::size_t (*cards)()) {
  if (!plan.card_by_rank || wire.size() == 1)
    return *plan.card;
  const std::size_t many = cards();
  return many == 0 ? 0 : wire.rank_on_machine() % many; // whoever opens it says that there is none
}

template cuda::Charge<double> make_charge(const Plan&, std::uint64_t,
                                          const run::AnyTarget<double>&);
template cuda::Charge<float> make_charge(const Plan&, std::uint64_t, const run::AnyTarget<float>&);

} // namespace starling::assemble
