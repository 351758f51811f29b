// Steps on a card beside the same steps on the host, then how long they take: needs nothing but
// nvcc, no package.
//
//     nvcc -std=c++20 -O2 --expt-relaxed-constexpr -prec-div=false -prec-sqrt=false -ftz=true
//     -arch=sm_90 -I include -I src -I tools/lab tests/device/on_a_card.cpp
//       src/cuda/present.cu src/cuda/cloud.cpp tools/lab/card_figures.cpp
//       tools/lab/card_figures_logistic.cpp src/cuda/logistic.cpp src/cuda/turns.cpp
//       src/cpu/threads.cpp -o on_a_card
//     on_a_card check     the comparison alone, for compute-sanitizer;     on_a_card time     the
//     times alone
#include "../support/orders.hpp"
#include "from_outside.hpp"

#include "card_figures.hpp"
#include "cuda/cloud.hpp"
#include "cuda/on_host.hpp"

#include <starling/random/start.hpp>

#include <cmath>
#include <cstdio>
#include <exception>

namespace {

using namespace starling;
using support::By;

template <typename Real>
cuda::RunSpec<Real> spec(std::size_t n, std::size_t dim, By by, std::size_t p, std::uint32_t kernel,
                         bool median, bool remembers) {
  cuda::RunSpec<Real> c;
  c.particles = n;
  c.dim = dim;
  c.names.assign(dim, "x");
  c.target.normal.share = dim > 1 ? Real(0.5) / Real(dim) : Real(0);
  c.numbers.assign(dim, Real(0.1));
  c.bandwidth = double(dim);
  c.median_pairs = median ? 500 : 0;
  c.orders = support::orders(by, 3, by == By::everyone ? n : p, n);
  cuda::Term<Real>& term = c.pairs.terms[0];
  if (kernel == 1)
    term.take(kernel::InverseMultiquadric<Real>(1));
  if (kernel == 3)
    term.take(kernel::Matern52<Real>(1));
  if (kernel == 4)
    term.take(kernel::Polynomial<Real>(Real(1) / Real(dim), 2));
  c.rule = ConstantStep<Real>(0.02);
  if (remembers) {
    c.rule.memories = 1;
    c.rule.at = [](double, std::uint32_t) {
      return cuda::Move<Real>(Scaled<Real>{Real(0.01), Real(0.9), Real(0.1), Real(0.1)});
    };
  }
  return c;
}

template <typename Real>
std::vector<Real> flown(std::shared_ptr<cuda::Machine> machine, const cuda::RunSpec<Real>& asked,
                        Step steps) {
  cuda::Cloud<Real> cloud(machine, asked);
  Ensemble<Real> here(asked.particles, asked.dim);
  start_normal(here.position(), 1, 0.2, 1.0);
  cloud.particles().upload(here);
  for (Step k = 62; k < 62 + steps; ++k) // rows travel before step 64
    cloud.record(k);
  cloud.flush();
  return cloud.column(cloud.particles().position());
}

int checked = 0, wrong = 0;

template <typename Real>
void check(const std::shared_ptr<cuda::Machine>& card, std::size_t n, std::size_t dim, By by,
           std::size_t p, std::uint32_t kernel, bool median, bool remembers = false,
           bool outside = false) {
  auto asked = spec<Real>(n, dim, by, p, kernel, median, remembers);
  if (outside)
    asked.outside = from_outside<Real>(asked);
  const Step steps = remembers ? 2 + cuda::layout::side_by_side_turns
                               : 5; // of which all but two are taken at once
  const std::vector<Real> there = flown<Real>(card, asked, steps),
                          here = flown<Real>(std::make_shared<cuda::OnHost>(), asked, steps);
  double worst = 0;
  for (std::size_t i = 0; i < here.size(); ++i) {
    const double gap = std::abs(double(there[i]) - double(here[i]));
    worst = gap <= worst ? worst : gap; // NaN counts
  }
  ++checked;
  const double most = sizeof(Real) == 4
                          ? 5e-5
                          : 1e-11; // a few steps of a few hundred operations on numbers of about 1
  if (worst <= most)
    return;
  ++wrong;
  std::printf("apart by %.2g: %zu in %zu dimensions, dealer %d, batches of %zu, kernel %u, %zu "
              "bytes%s%s%s\n",
              worst, n, dim, int(by), p, kernel, sizeof(Real), median ? ", median" : "",
              remembers ? ", memory" : "", outside ? ", scores from outside" : "");
}

template <typename Real>
void check_all(const std::shared_ptr<cuda::Machine>& card) {
  for (const std::size_t dim : {1u, 2u, 3u, 8u, 9u, 12u, 33u, 56u, 64u, 65u, 67u, 128u, 130u}) {
    for (const std::uint32_t kernel : {0u, 1u, 3u, 4u}) {
      for (const std::size_t p : {2u, 3u, 8u, 64u, 70u})
        check<Real>(card, 211, dim, By::moebius, p, kernel, false);
      check<Real>(card, 211, dim, By::everyone, 0, kernel, false);
    }
    check<Real>(card, 211, dim, By::matching, 2, 0, false);
    check<Real>(card, 256, dim, By::cosets, 8, 0, false);
    check<Real>(card, 2111, dim, By::moebius, 2, 0, false); // too many for one block
    check<Real>(card, 211, dim, By::moebius, 8, 0, true);
    check<Real>(card, 21, dim, By::moebius, 8, 0, true); // the median of all pairs
    for (const std::size_t p : {2u, 4u, 8u})
      for (const std::size_t n : {24u, 1032u}) // the last warp is not full of teams
        for (const bool outside : {false, true})
          check<Real>(card, n, dim, By::moebius, p, 0, false, true, outside);
  }
}

} // namespace

int main(int arguments, char** words) {
  const std::string only = arguments > 1 ? words[1] : "";
  try {
    const std::shared_ptr<cuda::Machine> card = cuda::open(0);
    if (only != "time") {
      check_all<float>(card);
      check_all<double>(card);
      std::printf("%s: %d of %d cases differ from the host\n", card->name().c_str(), wrong,
                  checked);
    }
    if (only == "check")
      return wrong == 0 ? 0 : 1;
    std::printf("%-9s %9s %4s %6s %12s %10s\n", "deal", "particles", "dim", "batch", "us a step",
                "bytes each");
    for (const cuda::Figure& f : cuda::measure(card, 9, false))
      std::printf("%-9s %9zu %4zu %6zu %12.2f %10.1f\n", f.deal.c_str(), f.particles, f.dim,
                  f.batch, 1e6 * f.seconds, f.bytes);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  return wrong == 0 ? 0 : 1;
}
