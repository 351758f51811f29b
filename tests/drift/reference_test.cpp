// The slow twin against sums worked out by hand.
#include "drift/twins.hpp"

#include <starling/deal/whole.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/kernel/polynomial.hpp>
#include <starling/kernel/riesz.hpp>

namespace {

using namespace drift_tests;
using namespace starling::kernel;

// Four particles on the line in batches {2, 0} and {3, 1}.
struct Line {
  Line() : particles(4, 1) {
    const double x[] = {0.0, 1.0, 2.0, -1.0}, s[] = {0.5, -1.0, 3.0, 0.25};
    std::copy(x, x + 4, particles.position().begin());
    std::copy(s, s + 4, particles.score().begin());
    batches.population = 4;
    auto order = batches.lay_out(4, 2);
    order[0] = 2, order[1] = 0, order[2] = 3, order[3] = 1;
  }
  Ensemble<double> particles;
  Batches batches;
};

// Self 1/N = 1/4, other (N-1)/(N(p-1)) = 3/4; K = exp(-r2/2), grad_y K = (x - y) K.
TEST(ReferenceDrift, IsTheSumOfAlgorithmThreeForTheGaussian) {
  Line line;
  ReferenceDrift<double, Gaussian<double>>{Gaussian<double>(1.0)}(0, line.particles, line.batches);
  const double k = std::exp(-2.0); // both pairs are two apart
  EXPECT_NEAR(line.particles.drift()[0][0], 0.5 / 4 + 0.75 * k * (3.0 + (0 - 2)), 1e-15);
  EXPECT_NEAR(line.particles.drift()[2][0], 3.0 / 4 + 0.75 * k * (0.5 + (2 - 0)), 1e-15);
  EXPECT_NEAR(line.particles.drift()[1][0], -1.0 / 4 + 0.75 * k * (0.25 + (1 + 1)), 1e-15);
  EXPECT_NEAR(line.particles.drift()[3][0], 0.25 / 4 + 0.75 * k * (-1.0 + (-1 - 1)), 1e-15);
}

// K = x y + 1, grad_y K = x: F(x, x) = x + (x^2 + 1) s does not vanish with the score.
TEST(ReferenceDrift, CarriesTheSelfTermOfADotKernel) {
  Line line;
  ReferenceDrift<double, Polynomial<double>>{Polynomial<double>(1.0, 1)}(0, line.particles,
                                                                         line.batches);
  const auto force = [](double x, double y, double s) { return x + (x * y + 1) * s; };
  EXPECT_NEAR(line.particles.drift()[2][0], force(2, 2, 3.0) / 4 + 0.75 * force(2, 0, 0.5), 1e-15);
  EXPECT_NEAR(line.particles.drift()[1][0], force(1, 1, -1.0) / 4 + 0.75 * force(1, -1, 0.25),
              1e-15);
}

// K = 1/r: grad_y K = (x - y) / r^3; F(x, x) is infinite and left out.
TEST(ReferenceDrift, DropsTheSelfTermOfASingularKernel) {
  Line line;
  ReferenceDrift<double, Riesz<double>>{Riesz<double>(1.0)}(0, line.particles, line.batches);
  EXPECT_NEAR(line.particles.drift()[2][0], 0.75 * (0.5 / 2 + 2.0 / 8), 1e-15);
  EXPECT_NEAR(line.particles.drift()[0][0], 0.75 * (3.0 / 2 - 2.0 / 8), 1e-15);
}

TEST(ReferenceDrift, OfASingleParticleIsItsScore) {
  Ensemble<double> alone(1, 2);
  alone.score()[0][0] = 3;
  alone.score()[0][1] = -4;
  Whole deal;
  ReferenceDrift<double, Gaussian<double>>{Gaussian<double>(1.0)}(0, alone, deal(0, alone));
  EXPECT_EQ(alone.drift()[0][0], 3);
  EXPECT_EQ(alone.drift()[0][1], -4);
}

// On the circle of length 4, points at 0.1 and 3.9 are neighbours that push each other apart across
// the seam: chord (4/pi) sin(pi 0.2/4), pull sin(2 pi 0.2/4) / (2 pi/4).
TEST(ReferenceDrift, ReachesAcrossTheSeamOfTheTorus) {
  Ensemble<double> pair(2, 1);
  pair.position()[0][0] = 0.1;
  pair.position()[1][0] = 3.9;
  Whole deal;
  ReferenceDrift<double, Gaussian<double>, Torus<double>>{
      Gaussian<double>(1.0), Torus<double>(4.0)}(0, pair, deal(0, pair));
  const double pi = std::acos(-1.0), chord = 4 / pi * std::sin(pi * 0.2 / 4);
  const double expected = 0.5 * std::exp(-chord * chord / 2) * std::sin(pi * 0.2 / 2) * 2 / pi;
  EXPECT_NEAR(pair.drift()[0][0], expected, 1e-15);
  EXPECT_NEAR(pair.drift()[1][0], -expected, 1e-15);
}

// pull is what it says: -(1/2) d r2 / d y, by central differences.
TEST(Torus, HasAPullThatIsTheSlopeOfItsSquaredChord) {
  const Torus<double> torus(2.5);
  for (const double delta : {0.0, 0.3, 1.2, 1.25, 2.0, -0.9}) {
    const double e = 1e-5;
    const auto square = [&](double d) { return torus.chord(d) * torus.chord(d); };
    // y grows, delta = x - y falls
    const double slope = (square(delta - e) - square(delta + e)) / (2 * e);
    EXPECT_NEAR(torus.pull(delta), -slope / 2, 1e-9) << "delta = " << delta;
  }
}

} // namespace
