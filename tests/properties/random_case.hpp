// Recipes drawn at random, and the smallest of those that fail.
#pragma once

#include "assemble/flight.hpp"
#include "plan/config.hpp"
#include "plan/plan.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace starling::properties {

/// Numbers of one case; the same for the same seed everywhere.
class Chance {
public:
  explicit Chance(std::uint64_t seed) : bits_(seed) {}
  std::uint64_t below(std::uint64_t n) { return bits_() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  /// From `low` to `high`, small ones as often as large ones.
  std::uint64_t size(std::uint64_t low, std::uint64_t high) {
    std::uint64_t top = low + 1;
    while (top <= high && !one_in(5))
      top = 2 * top;
    return low + below(std::min(top, high + 1) - low);
  }
  template <typename T>
  const T& of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

private:
  std::mt19937_64 bits_;
};

/// Any recipe of the raw method that is quick to run; some of them cannot be run, and `resolve`
/// says so.
inline plan::Recipe any_recipe(Chance chance) {
  plan::Recipe r;
  r.method = "paper";
  r.target = chance.of<std::string>({"mixture", "normal", "normal", "banana", "funnel"});
  if (r.target == "normal")
    r.set("dim", std::uint64_t{chance.size(1, 70)});
  if (r.target == "funnel")
    r.set("dim", std::uint64_t{chance.size(2, 12)});
  r.particles = chance.size(2, 400);
  r.batch = chance.one_in(4) ? "all" : std::to_string(chance.size(2, 64));
  r.steps = 1 + chance.below(9);
  r.seed = chance.below(1000);
  const auto kernel = [&] {
    const std::string weight = chance.one_in(3) ? "0.5*" : "";
    return weight + chance.of<std::string>({"gaussian", "imq", "riesz:a=0.5", "bilinear",
                                            "parameters", "marginals", "gaussian", "imq"});
  };
  r.kernel = kernel();
  if (chance.one_in(3))
    r.kernel += "+" + kernel();
  r.bandwidth = chance.of<std::string>({"", "0.7", "median", "median:20"});
  r.advance = chance.of<std::string>(
      {"adagrad", "adagrad-sum", "constant", "decay", "rmsprop", "adam", "rk4", "stochastic"});
  r.step_size = 0.01;
  r.deal = chance.of<std::string>({"", "", "shuffle", "matching", "moebius", "cosets"});
  r.replace = chance.one_in(6);
  r.precision = chance.one_in(3) ? "single" : "double";
  r.start = chance.of<std::string>({"", "normal:1,2", "uniform:-1,1"});
  r.domain = chance.one_in(8) ? "torus:9" : "";
  r.threads = 1;
  return r;
}

/// What a property says is wrong with a recipe; nothing if it holds, or if there is no such run.
using Wrong = std::function<std::string(const plan::Recipe&)>;

inline bool can_be_run(const plan::Recipe& recipe) {
  try {
    plan::resolve(recipe);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

/// Makes one thing after the other simpler for as long as it stays wrong.
inline plan::Recipe smallest(plan::Recipe failing, const Wrong& wrong) {
  using Simpler = std::function<void(plan::Recipe&)>;
  const std::vector<Simpler> ways = {
      [](auto& r) { r.particles = std::max<std::uint64_t>(2, r.particles / 2); },
      [](auto& r) { r.particles = std::max<std::uint64_t>(2, r.particles - 1); },
      [](auto& r) { r.steps = std::max<std::uint64_t>(1, r.steps / 2); },
      [](auto& r) { r.batch = "2"; },
      [](auto& r) { r.kernel = r.kernel.substr(0, r.kernel.find('+')); },
      [](auto& r) { r.kernel = "gaussian"; },
      [](auto& r) { r.bandwidth = "0.7"; },
      [](auto& r) { r.advance = "constant"; },
      [](auto& r) { r.deal = ""; },
      [](auto& r) { r.replace = false; },
      [](auto& r) { r.precision = "double"; },
      [](auto& r) { r.start = ""; },
      [](auto& r) { r.domain = ""; },
      [](auto& r) { r.seed = 1; },
      [](auto& r) {
        if (r.target == "normal")
          r.set("dim", std::uint64_t{2});
      },
  };
  for (bool simpler = true; simpler;) {
    simpler = false;
    for (const Simpler& way : ways) {
      plan::Recipe tried = failing;
      way(tried);
      if (plan::write_config(tried) != plan::write_config(failing) && can_be_run(tried) &&
          !wrong(tried).empty()) {
        failing = tried;
        simpler = true;
      }
    }
  }
  return failing;
}

/// Tries that many recipes that can be run. The first that is wrong is shown as small as it can be
/// made.
inline void expect_for_any(std::uint64_t seed, std::size_t cases, const Wrong& wrong) {
  std::size_t tried = 0;
  for (std::uint64_t n = 0; tried < cases; ++n) {
    ASSERT_LT(n, 20 * cases) << "hardly any recipe can be run";
    const plan::Recipe recipe = any_recipe(Chance(seed * 1000003 + n));
    if (!can_be_run(recipe))
      continue;
    ++tried;
    if (wrong(recipe).empty())
      continue;
    const plan::Recipe small = smallest(recipe, wrong);
    FAIL() << "case " << n << ": " << wrong(small) << "\n" << plan::write_config(small);
  }
}

} // namespace starling::properties
