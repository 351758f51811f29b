// Random batches for a system that is not SVGD: opinions with leaders (Algorithms 1 and 2).
//
// A person is (opinion, home, voice); only the opinion moves:
//     F(x, y) = voice_y (y - x) exp(-(y - x)^2) + (home_x - x) / 2
// Not symmetric: few have a loud voice. Not zero at x = y: everyone is drawn home.
#include <starling/starling.hpp>

#include <cmath>
#include <cstdio>
#include <tuple>

using namespace starling;

constexpr std::size_t people = 200;
constexpr double until = 4;

struct Opinion {
  void operator()(std::span<const double> x, std::span<const double> y,
                  std::span<double> out) const {
    const double apart = y[0] - x[0];
    out[0] = y[2] * apart * std::exp(-apart * apart) + 0.5 * (x[1] - x[0]);
    out[1] = out[2] = 0;
  }
};

Ensemble<double> crowd() {
  Ensemble<double> particles(people, 3);
  const Rows<double> x = particles.position();
  start_uniform(x, 1, -2, 2);
  for (std::size_t i = 0; i < people; ++i) {
    const auto [opinion, home, voice] = std::tie(x[i][0], x[i][1], x[i][2]);
    const bool leads = i % 5 == 0; // one in five, all of one opinion
    home = opinion = leads ? 1 : opinion;
    voice = leads ? 4 : 0.5;
  }
  return particles;
}

/// The opinions at time `until`; `steps` is the number of calls of the loop's body.
template <typename Deal, typename Advance>
Ensemble<double> simulate(Step steps, Deal deal, Advance advance) {
  Ensemble<double> particles = crowd();
  rbm_svgd(particles, Span{0, steps}, deal, NoScore(), ForceDrift<double, Opinion>(Opinion()),
           advance, NoObserver());
  return particles;
}

double rms_distance(const Ensemble<double>& a, const Ensemble<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < people; ++i)
    sum += std::pow(a.position()[i][0] - b.position()[i][0], 2) / people;
  return std::sqrt(sum);
}

int main() {
  const auto euler = [](double eta) {
    return ExplicitStep<double, ConstantStep<double>>(ConstantStep<double>(eta));
  };
  const auto full = simulate(80, Whole(), RungeKutta4<double>(until / 80)); // all pairs, fine steps
  std::printf("opinions moved by %.3f (rms)\n", rms_distance(crowd(), full));
  std::printf("   eta   Algorithm 1   Algorithm 2   (rms distance from the full system, p = 2)\n");

  double first[2] = {}, last[2] = {};
  for (const Step sweeps : {40, 160, 640, 2560}) {
    const double eta = until / double(sweeps);
    Draw draw(1, 2);
    last[0] = rms_distance(full, simulate(sweeps, Shuffle(1, 2), euler(eta)));
    last[1] = rms_distance(full, simulate(draw.draws(sweeps, people), draw, euler(eta)));
    std::printf("%6.4f %13.4f %13.4f\n", eta, last[0], last[1]);
    if (sweeps == 40)
      first[0] = last[0], first[1] = last[1];
  }
  // E|X - X~|^2 <= C eta: a step 64 times shorter comes about 8 times closer.
  const double gain[2] = {first[0] / last[0], first[1] / last[1]};
  return gain[0] > 5 && gain[0] < 13 && gain[1] > 5 && gain[1] < 13 ? 0 : 1;
}
