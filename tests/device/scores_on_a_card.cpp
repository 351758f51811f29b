// Scores that are made on a card beside those of the host, then how long steps by them take: needs
// nothing but nvcc, no package.
//
//     nvcc -std=c++20 -O2 --expt-relaxed-constexpr -prec-div=false -prec-sqrt=false -ftz=true
//     -arch=sm_90 -I include -I src -I tools/lab tests/device/scores_on_a_card.cpp
//       src/cuda/present.cu src/cuda/cloud.cpp tools/lab/card_figures_logistic.cpp
//       src/cuda/logistic.cpp src/cuda/turns.cpp src/cpu/threads.cpp -o scores_on_a_card
#include "card_figures.hpp"
#include "cuda/logistic.hpp"
#include "cuda/on_host.hpp"

#include <starling/random/start.hpp>

#include <cmath>
#include <cstdio>
#include <exception>

namespace {

using namespace starling;

int checked = 0, wrong = 0;

/// Scores of the same rows of data on both machines.
template <typename Real>
void check(const std::shared_ptr<cuda::Machine>& card, std::size_t particles, std::size_t weights,
           std::size_t rows, std::size_t batch, Step k) {
  std::vector<Real> numbers(rows * (weights + 1)), x(particles * (weights + 1));
  for (std::size_t n = 0; n < rows * weights; ++n)
    numbers[n] = static_cast<Real>(std::sin(double(7 * n + 1)));
  for (std::size_t r = 0; r < rows; ++r)
    numbers[rows * weights + r] = Real(r % 3 == 0);
  start_normal(Rows<Real>{x.data(), particles, weights + 1}, 1, 0.2, 1.0);
  const cuda::LabelledRows<Real> data{
      numbers.data(), numbers.data() + rows * weights, rows, weights, {}};
  std::vector<Real> scores[2];
  for (const bool there : {false, true}) {
    const std::shared_ptr<cuda::Machine> machine = there ? card : std::make_shared<cuda::OnHost>();
    const auto score = cuda::logistic_on_card<Real>(data, batch, 5)->on(machine);
    cuda::DeviceBuffer<Real> at(*machine, x.size()), s(*machine, x.size());
    at.upload(x.data(), x.size());
    score(k, at.data(), s.data(), nullptr, particles, weights + 1);
    scores[there].resize(x.size());
    s.download(scores[there].data(), x.size());
  }
  double worst = 0;
  for (std::size_t n = 0; n < x.size(); ++n) {
    const double most =
        double(rows) +
        std::exp(double(x[n / (weights + 1) * (weights + 1) + weights])) * double(weights);
    const double gap = std::abs(double(scores[0][n]) - double(scores[1][n])) / most;
    worst = gap <= worst ? worst : gap; // NaN counts
  }
  ++checked;
  if (worst <= 4 * std::numeric_limits<Real>::epsilon() * double(weights + batch + 8))
    return;
  ++wrong;
  std::printf("apart by %.2g: %zu particles, %zu weights, %zu of %zu rows, step %zu, %zu bytes\n",
              worst, particles, weights, batch, rows, std::size_t(k), sizeof(Real));
}

template <typename Real>
void check_all(const std::shared_ptr<cuda::Machine>& card) {
  for (const std::size_t weights : {1u, 3u, 32u, 55u, 131u, 1000u, 3000u})
    for (const std::size_t particles : {1u, 5u, 67u, 512u})
      for (const std::size_t batch : {1u, 100u, 129u, 301u})
        check<Real>(card, particles, weights, 301, batch, 301 / batch);
  for (const std::size_t weights : {1u, 3u, 55u})
    check<Real>(card, 16389, weights, 301, 100, 3);
}

} // namespace

int main(int arguments, char**) {
  try {
    const std::shared_ptr<cuda::Machine> card = cuda::open(0);
    check_all<float>(card);
    check_all<double>(card);
    std::printf("%s: %d of %d scores differ from the host's\n", card->name().c_str(), wrong,
                checked);
    if (arguments > 1) // any: the check alone, for compute-sanitizer
      return wrong == 0 ? 0 : 1;
    for (const cuda::Figure& f : cuda::measure_logistic(card, 9, false))
      std::printf("logistic, %s, N = %zu, d = %zu, p = %zu, %zu rows a step: %.2f us a step\n",
                  f.deal.c_str(), f.particles, f.dim, f.batch, f.data_batch, 1e6 * f.seconds);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  return wrong == 0 ? 0 : 1;
}
