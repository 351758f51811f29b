// A density of your own, twice: as a template that is differentiated, and with a score by hand.
//
// Ten measurements y ~ N(m, sd^2), flat prior; a particle is (m, log sd). The answer is known.
#include <starling/starling.hpp>

#include <array>
#include <cmath>
#include <cstdio>

using namespace starling;

constexpr std::array y = {4.1, 5.3, 4.7, 6.0, 5.5, 4.4, 5.1, 5.8, 4.9, 5.2};

/// log pi(x) up to a constant. T is double, or a number that carries its derivatives.
struct LogPosterior {
  template <typename T>
  T operator()(std::span<const T> x) const {
    using std::exp;
    const T precision = exp(-2.0 * x[1]); // 1 / sd^2
    T total = -double(y.size()) * x[1];
    for (const double value : y) {
      const T off = value - x[0];
      total -= 0.5 * precision * off * off;
    }
    return total;
  }
};

/// The same with the score written out: d/dm and d/d(log sd).
double by_hand(std::span<const double> x, std::span<double> score) {
  const double precision = std::exp(-2 * x[1]);
  double sum = 0, squares = 0;
  for (const double value : y) {
    sum += value - x[0];
    squares += (value - x[0]) * (value - x[0]);
  }
  score[0] = precision * sum;
  score[1] = precision * squares - double(y.size());
  return -double(y.size()) * x[1] - precision * squares / 2;
}

template <typename T>
Moments sample(T& target, Ensemble<double>& particles) {
  start_normal(particles.position(), 1, 2, 1);
  using Drift = PairwiseDrift<double, kernel::Gaussian<double>>;
  Moments moments;
  rbm_svgd(particles, Span{0, 1000}, Shuffle(1, 16), score_of<double>(target),
           AdaptiveDrift<double, Drift, kernel::SampledMedianBandwidth<double>>(
               Drift(kernel::Gaussian<double>(1)), {1, 500}),
           ExplicitStep<double, FadingAdaGrad<double>>(FadingAdaGrad<double>(0.02)), moments);
  return moments;
}

int main() {
  auto differentiated = differentiate<double>(2, LogPosterior{});
  auto written = lift<double>(2, by_hand);
  // E m = mean(y); (n-1) s^2 / sd^2 ~ chi^2 with n - 1 = 9 degrees gives E log sd.
  double mean = 0, squares = 0;
  for (const double value : y)
    mean += value / 10, squares += value * value;
  const double log_sd =
      0.5 * (std::log((squares - 10 * mean * mean) / 2) - 1.3888709); // digamma(9/2)

  Ensemble<double> a(300, 2), b(300, 2);
  const Moments one = sample(differentiated, a), two = sample(written, b);
  std::printf("            m       log sd\nexact    %.4f  %.4f\n", mean, log_sd);
  std::printf("template %.4f  %.4f\nby hand  %.4f  %.4f\n", one.mean()[0], one.mean()[1],
              two.mean()[0], two.mean()[1]);
  const auto wrong = [&](const Moments& m) {
    return std::abs(m.mean()[0] - mean) > 0.03 || std::abs(m.mean()[1] - log_sd) > 0.05;
  };
  // Both scores at the same places: equal to rounding.
  differentiated(0, a.position(), a.score());
  written(0, a.position(), b.score());
  for (std::size_t n = 0; n < a.score().size(); ++n)
    if (std::abs(a.score().data[n] - b.score().data[n]) > 1e-9)
      return 1;
  return wrong(one) || wrong(two);
}
