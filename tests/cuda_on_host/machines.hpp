// The machines that the sweeps are tested on: the host in the place of a card, and a card where
// there is one.
#pragma once

#include "cuda/cloud.hpp"
#include "cuda/on_host.hpp"
#include "drift/twins.hpp"
#include "support/orders.hpp"

#include <starling/back_ends.hpp>
#include <starling/deal/whole.hpp>
#include <starling/target/even_normal.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <string>

namespace cuda_tests {

using namespace starling;
using support::By;

/// Each test once for either. On a card it is skipped with the reason where there is none, and
/// fails so where STARLING_REQUIRE_GPU is 1.
class OnMachine : public testing::TestWithParam<bool> {
protected:
  void SetUp() override {
    if (!GetParam()) {
      machine = std::make_shared<cuda::OnHost>();
      return;
    }
    const BackEnd there = cuda::back_end();
    if (there.present()) {
      machine = cuda::open(0);
      return;
    }
    const char* required = std::getenv("STARLING_REQUIRE_GPU");
    if (required && std::string(required) == "1")
      FAIL() << "a card is required: " << there.why_not;
    GTEST_SKIP() << "no card: " << there.why_not;
  }
  std::shared_ptr<cuda::Machine> machine;
};
/// The same for runs that open their card by themselves.
class OnOpened : public OnMachine {
protected:
  void SetUp() override {
    OnMachine::SetUp();
    if (!GetParam())
      cuda::open_instead([]() -> cuda::Machine* { return new cuda::OnHost; });
  }
  void TearDown() override { cuda::open_instead(nullptr); }
};
inline std::string machine_name(const testing::TestParamInfo<bool>& info) {
  return info.param ? "Card" : "Host";
}
#define STARLING_ON_MACHINES(Suite)                                                                \
  INSTANTIATE_TEST_SUITE_P(On, Suite, testing::Bool(), machine_name)

/// A spec for a standard normal with one kernel.
template <typename Real>
cuda::RunSpec<Real> spec(std::size_t n, std::size_t dim, By by, std::size_t p,
                         double correlation = 0.2) {
  cuda::RunSpec<Real> c;
  c.particles = n;
  c.dim = dim;
  c.names = std::vector<std::string>(dim, "x");
  c.seed = 5;
  c.orders = support::orders(by, c.seed, p, n);
  const EvenNormal<Real> target(dim, dim == 1 ? 0 : correlation);
  c.target.normal = target.form();
  c.numbers.assign(target.mean().begin(), target.mean().end());
  c.rule = ConstantStep<Real>(0.1);
  return c;
}

template <typename Real>
Ensemble<Real> start(std::size_t n, std::size_t dim) {
  Ensemble<Real> here(n, dim);
  start_normal(here.position(), 1, 0.2, 1.0);
  return here;
}

} // namespace cuda_tests
