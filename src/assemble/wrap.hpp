// A target of a known type as any target, and the names its parameters get.
#pragma once

#include "plan/tables.hpp"

#include <starling/target/lift.hpp>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace starling::assemble {

/// x, or x[1], x[2], ...
inline std::vector<std::string> numbered(const std::string& name, std::size_t count) {
  if (count == 1)
    return {name};
  std::vector<std::string> names;
  for (std::size_t a = 1; a <= count; ++a)
    names.push_back(fmt::format("{}[{}]", name, a));
  return names;
}

template <typename Real, typename T>
run::AnyTarget<Real> wrap(T target, std::vector<std::string> names) {
  auto shared = std::make_shared<T>(std::move(target));
  run::AnyTarget<Real> any;
  any.dim = shared->dim();
  any.names = std::move(names);
  any.score = [shared](Step k, Rows<const Real> x, Rows<Real> s) { (*shared)(k, x, s); };
  any.evaluate = [shared](Rows<const Real> x, Rows<Real> s, std::span<Real> density) {
    shared->evaluate(x, s, density);
  };
  return any;
}

/// One that is written for a particle at a time.
template <typename Real, typename F>
run::AnyTarget<Real> wrap_one(F one, Threads& threads, std::vector<std::string> names) {
  const std::size_t dim = one.dim();
  return wrap<Real>(lift<Real>(dim, std::move(one), threads), std::move(names));
}

/// The makers for both number types from one that is called with a zero of the type.
template <typename Make>
plan::InBoth<plan::MakeTarget> in_both(Make make) {
  return {[make](const plan::TargetContext& context) { return make(0.0, context); },
          [make](const plan::TargetContext& context) { return make(0.0F, context); }};
}

// Targets with files of their own.
plan::InBoth<plan::MakeTarget> prepare_logistic(const plan::Given& settings);
plan::InBoth<plan::MakeTarget> prepare_stan(const plan::Given& settings);
plan::InBoth<plan::MakeTarget> prepare_plugin(const plan::Given& settings);

} // namespace starling::assemble
