// Random numbers, pairs, kernels, domains and step rules from the headers of the host, in device
// code. The tests compile it; where there is a device, it also runs and compares with the host.
#include <starling/advance/explicit_step.hpp>
#include <starling/advance/rules.hpp>
#include <starling/deal/matching.hpp>
#include <starling/domain.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/kernel/inverse_multiquadric.hpp>
#include <starling/kernel/matern.hpp>
#include <starling/kernel/polynomial.hpp>
#include <starling/kernel/riesz.hpp>
#include <starling/kernel/sinc.hpp>
#include <starling/random/philox.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

using namespace starling;

constexpr int words = 12, numbers = 32;

/// What one thread makes of its number, by whichever processor.
struct Made {
  std::uint32_t exact[words]; // integers: equal
  double near[numbers];       // exp, sin, ...: equal up to rounding
};

struct Parts {
  Philox philox{42};
  kernel::Gaussian<double> gaussian{0.7};
  kernel::InverseMultiquadric<double> multiquadric{0.7};
  kernel::Matern32<double> matern32{0.7};
  kernel::Matern52<double> matern52{0.7};
  kernel::Polynomial<double> polynomial{0.3, 3};
  kernel::Riesz<double> riesz{0.5};
  kernel::RieszAttraction<double> attraction{0.5};
  kernel::Sinc<double> sinc{2.0};
  Euclid<double> euclid;
  Torus<double> torus{2.5};
  ConstantStep<double> constant{0.1};
  DecayingStep<double> decaying{0.5, 20, 0.7};
  FadingAdaGrad<double> adagrad{0.1};
  SummingAdaGrad<double> adagrad_sum{0.1};
  RmsProp<double> rmsprop{0.1};
  Adam<double> adam{0.1};
};

struct Writer {
  double* next;
  template <typename T>
  STARLING_DEVICE void pair(const PairWeights<T>& w) {
    *next++ = w.weight + 2 * w.repulsion + 3 * w.lift;
  }
  template <typename Rule, typename Domain>
  STARLING_DEVICE void step(const Rule& rule, const Domain& domain, double g) {
    double x = 1.5, first = 0, second = 0;
    for (std::uint32_t moves = 0; moves < 3; ++moves)
      OneByOne::move<Rule::memories>(rule.at(moves, moves),
                                     Moving<double>{&x, &g, {&first, &second}, 1}, domain);
    *next++ = x;
  }
};

STARLING_DEVICE void make(const Parts& parts, std::uint32_t i, Made& made) {
  const Block bits = parts.philox(Stream::user, 3, i);
  for (int w = 0; w < 4; ++w)
    made.exact[w] = bits[w];
  made.exact[4] = parts.philox.below(1000 + i, Stream::user, 4, i);
  made.exact[5] = parts.philox.below_16(100 + i, bits[0] & 0xffff, Stream::user, 5, i);
  made.exact[6] = MatchingOrder{1000, 77}.place(i);
  made.exact[7] = MatchingOrder{4294967290u, 4000000001u}.place(4000000000u + i);
  made.exact[8] = MatchingOrder::left_over(i, 1001);
  for (int w = 9; w < words; ++w)
    made.exact[w] = 0;

  for (double& value : made.near)
    value = 0;
  Writer out{made.near};
  const auto normal = normal_pair(bits);
  *out.next++ = uniform(bits, 1);
  *out.next++ = normal[0];
  *out.next++ = normal[1];
  const double delta = normal[0], r2 = parts.torus.chord(delta) * parts.torus.chord(delta) + 0.01;
  *out.next++ = r2;
  *out.next++ = parts.torus.pull(delta);
  *out.next++ = parts.torus.wrap(7 * delta);
  *out.next++ = parts.euclid.chord(delta) + parts.euclid.pull(delta) + parts.euclid.wrap(delta);
  out.pair(parts.gaussian.at_distance(r2));
  out.pair(parts.multiquadric.at_distance(r2));
  out.pair(parts.matern32.at_distance(r2));
  out.pair(parts.matern52.at_distance(r2));
  out.pair(parts.polynomial.at_product(normal[1]));
  out.pair(parts.riesz.at_distance(r2));
  out.pair(parts.attraction.at_distance(r2));
  out.pair(parts.sinc.at_distance(r2));
  out.pair(pair_weights(parts.gaussian, r2, delta));
  out.step(parts.constant, parts.euclid, delta);
  out.step(parts.decaying, parts.torus, delta);
  out.step(parts.adagrad, parts.euclid, delta);
  out.step(parts.adagrad_sum, parts.torus, delta);
  out.step(parts.rmsprop, parts.euclid, delta);
  out.step(parts.adam, parts.euclid, delta);
}

__global__ void on_device(Parts parts, Made* made) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  make(parts, i, made[i]);
}

} // namespace

int main() {
  constexpr std::uint32_t count = 512;
  const Parts parts;
  std::vector<Made> made(count);
  Made* there = nullptr;
  if (cudaMalloc(&there, count * sizeof(Made)) != cudaSuccess) {
    std::puts("no device");
    return 77;
  }
  on_device<<<count / 64, 64>>>(parts, there);
  const cudaError_t error =
      cudaMemcpy(made.data(), there, count * sizeof(Made), cudaMemcpyDeviceToHost);
  cudaFree(there);
  if (error != cudaSuccess) {
    std::puts(cudaGetErrorString(error));
    return 1;
  }
  double worst = 0;
  int unequal = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    Made host;
    make(parts, i, host);
    for (int w = 0; w < words; ++w)
      unequal += host.exact[w] != made[i].exact[w];
    for (int n = 0; n < numbers; ++n)
      worst = std::fmax(worst,
                        std::fabs(host.near[n] - made[i].near[n]) / (1 + std::fabs(host.near[n])));
  }
  std::printf("%d integers differ; numbers differ by at most %.2g\n", unequal, worst);
  return unequal == 0 && worst < 1e-13 ? 0
                                       : 1; // a few units in the last place, of a few operations
}
