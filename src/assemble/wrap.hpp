// A target of a known type as any target, and its makers for both number types.
#pragma once

#include "plan/tables.hpp"

#include <starling/target/lift.hpp>
#include <starling/target/mixture.hpp>

#include <string>
#include <vector>

namespace starling::assemble {

using run::numbered;

template <typename Real, typename T>
run::AnyTarget<Real> wrap(T target, std::vector<std::string> names) {
  return run::any_target<Real>(std::move(target), std::move(names));
}

/// One whose score of a row knows of no other.
template <typename Real>
run::AnyTarget<Real> row_by_row(run::AnyTarget<Real> target) {
  target.each_row_alone = true;
  return target;
}

/// One that is written for a particle at a time.
template <typename Real, typename F>
run::AnyTarget<Real> wrap_one(F one, Threads& threads, std::vector<std::string> names) {
  const std::size_t dim = one.dim();
  return row_by_row(wrap<Real>(lift<Real>(dim, std::move(one), threads), std::move(names)));
}

/// The makers for both number types from one that is called with a zero of the type.
template <typename Make>
plan::InBoth<plan::MakeTarget> in_both(Make make) {
  return {[make](const plan::TargetContext& context) { return make(0.0, context); },
          [make](const plan::TargetContext& context) { return make(0.0F, context); }};
}

/// The components of the target mixture, from its settings.
std::vector<MixtureComponent> mixture_components(const plan::Given& settings);

// Targets with files of their own.
plan::InBoth<plan::MakeTarget> prepare_logistic(const plan::Given& settings);
plan::InBoth<plan::MakeTarget> prepare_linear(const plan::Given& settings);
plan::InBoth<plan::MakeTarget> prepare_poisson(const plan::Given& settings);
plan::InBoth<plan::MakeTarget> prepare_multinomial(const plan::Given& settings);
plan::InBoth<plan::MakeTarget> prepare_stan(const plan::Given& settings);
plan::InBoth<plan::MakeTarget> prepare_plugin(const plan::Given& settings);

} // namespace starling::assemble
