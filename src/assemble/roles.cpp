// Targets, dealers and step rules of a plan.
#include "assemble/roles.hpp"

#include "assemble/also_on_card.hpp"
#include "assemble/row_target.hpp"
#include "io/any_text.hpp"
#include "plan/names.hpp"

#include <starling/cpu/permute.hpp>
#include <starling/deal/draw.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/deal/whole.hpp>

namespace starling::assemble {

namespace {

/// The caller's own target, in the number type asked for.
template <typename Real>
class UserTargetAdapter {
public:
  explicit UserTargetAdapter(const UserTarget& user_target) : user_target_(user_target) {}
  std::size_t dim() const { return user_target_.dim; }
  void operator()(Step k, Rows<const Real> x, Rows<Real> score) const { call(k, x, score, {}); }
  void evaluate(Rows<const Real> x, Rows<Real> score, std::span<Real> density) const {
    call(0, x, score, density);
  }

private:
  void call(Step k, Rows<const Real> x, Rows<Real> score, std::span<Real> density) const {
    if constexpr (std::is_same_v<Real, double>)
      user_target_.in_double(k, x, score, density);
    else
      user_target_.in_single(k, x, score, density);
  }

  UserTarget user_target_;
};

template <typename Real>
run::AnyTarget<Real> target_of(const plan::Plan& plan, std::uint64_t seed, Threads& threads,
                               const UserTarget* user_target,
                               const std::shared_ptr<mpi::Wire>& ranks) {
  if (user_target && user_target->rows) {
    const std::size_t a_step = rows_a_step(user_target->data_batch, user_target->rows->rows);
    auto any = row_target<Real>(user_target->rows, a_step, user_target->data_batch,
                                user_target->names.empty() ? run::numbered("x", user_target->dim)
                                                           : user_target->names,
                                {threads, seed, plan.seed, {}, plan.stages.has_value()});
    any.decided.clear(); // it is the program that keeps them
    return any;
  }
  if (user_target) {
    auto any = run::any_target<Real>(UserTargetAdapter<Real>(*user_target), user_target->names);
    any.has_density = user_target->has_density;
    if constexpr (std::is_same_v<Real, double>)
      also_on_card(any, user_target->on_card_in_double);
    else
      also_on_card(any, user_target->on_card_in_single);
    return any;
  }
  if (!plan.target)
    plan::refuse("target", "the target of this run was a function of its program; give it again");
  const auto* own = std::get_if<plan::StartOwn>(&plan.start);
  return plan.make_target.in<Real>()({threads, seed, plan.seed, own ? own->file : std::string(),
                                      plan.stages.has_value(), plan.stages && plan.stages->evidence,
                                      ranks});
}

} // namespace

template <typename Real>
run::AnyTarget<Real> make_target(const plan::Plan& plan, std::uint64_t seed, Threads& threads,
                                 const UserTarget* user_target,
                                 const std::shared_ptr<mpi::Wire>& ranks) {
  auto any = target_of<Real>(plan, seed, threads, user_target, ranks);
  if (user_target && user_target->constrain)
    any.constrain = [constrain = user_target->constrain](Rows<const Real> x) {
      const std::vector<double> at(x.begin(), x.end());
      return constrain({at.data(), x.count, x.dim});
    };
  for (std::string& name : any.names) // a library's are any bytes; files hold UTF-8
    name = io::utf8(name);
  return any;
}

template <typename Real>
run::AnyDealer<Real> make_dealer(const plan::Plan& plan, std::uint64_t seed, Threads& threads) {
  if (!plan.batch)
    return Whole();
  if (plan.replace)
    return Draw(seed, plan.batch_size());
  return plan.dealer->make.in<Real>()(plan, seed, threads);
}

template <typename Real>
run::AnyDealer<Real> make_dealer_of_everyone(const plan::Plan& plan, std::uint64_t seed,
                                             Threads& threads) {
  const plan::DealerEntry& shuffle = plan::dealers().front();
  if (!plan.replace && (!plan.batch || plan.dealer == &shuffle))
    return {};
  Shuffle everyone(seed, plan.batch_size(), cpu::permute, threads);
  if (!plan.replace)
    return everyone;
  return [deal = std::move(everyone), batches = Batches(),
          p = plan.batch_size()](Step k, Ensemble<Real>& particles) mutable -> const Batches& {
    batches = deal(k, particles);
    batches.time *=
        static_cast<double>(p) /
        static_cast<double>(particles.count()); // a step of Algorithm 2 is p/N of a sweep
    return batches;
  };
}

template <typename Real>
run::AnyAdvance<Real> make_advance(const plan::Plan& plan, std::uint64_t seed, std::size_t dim,
                                   Threads& threads) {
  if (plan.rule->stochastic)
    return make_stochastic<Real>(plan, seed, dim, threads);
  return plan.rule->make.in<Real>()(plan, plan.rule_settings, threads);
}

template run::AnyTarget<double> make_target(const plan::Plan&, std::uint64_t, Threads&,
                                            const UserTarget*, const std::shared_ptr<mpi::Wire>&);
template run::AnyTarget<float> make_target(const plan::Plan&, std::uint64_t, Threads&,
                                           const UserTarget*, const std::shared_ptr<mpi::Wire>&);
template run::AnyDealer<double> make_dealer(const plan::Plan&, std::uint64_t, Threads&);
template run::AnyDealer<float> make_dealer(const plan::Plan&, std::uint64_t, Threads&);
template run::AnyDealer<double> make_dealer_of_everyone(const plan::Plan&, std::uint64_t, Threads&);
template run::AnyDealer<float> make_dealer_of_everyone(const plan::Plan&, std::uint64_t, Threads&);
template run::AnyAdvance<double> make_advance(const plan::Plan&, std::uint64_t, std::size_t,
                                              Threads&);
template run::AnyAdvance<float> make_advance(const plan::Plan&, std::uint64_t, std::size_t,
                                             Threads&);

} // namespace starling::assemble
