// Kernels and step rules of the command line, by two steps written out from the formulas: a wrong
// sign, a factor or another kernel's name does not pass.
#include "results.hpp"

#include <starling/random/philox.hpp>

#include <array>
#include <functional>
#include <numbers>

namespace starling::cli {
namespace {

using Point = std::array<double, 2>;
using Cloud = std::vector<Point>;
/// K(x, y).
using Formula = std::function<double(const Point&, const Point&)>;

constexpr std::size_t count = 12;
constexpr double h = 0.7, eta = 0.1;

double squared(const Point& x, const Point& y) {
  return (x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]);
}
double product(const Point& x, const Point& y) { return x[0] * y[0] + x[1] * y[1]; }

/// SVGD's force for the standard normal, s(y) = -y, with the gradient of K by differences:
///     Phi_i = (1/N) sum over j of K(x_i, x_j) s(x_j) + grad_y K(x_i, x_j)
Cloud forces(const Cloud& x, const Formula& k, bool singular) {
  constexpr double reach = 1e-5;
  Cloud phi(count, Point{});
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j) {
      if (i == j && singular)
        continue; // infinite there, and dropped
      for (std::size_t a = 0; a < 2; ++a) {
        Point up = x[j], down = x[j];
        up[a] += reach;
        down[a] -= reach;
        const double slope = (k(x[i], up) - k(x[i], down)) / (2 * reach);
        phi[i][a] += (slope - k(x[i], x[j]) * x[j][a]) / double(count);
      }
    }
  return phi;
}

/// A rule: the move of a coordinate, given its force, the step from 0 and two numbers it remembers.
using Rule = std::function<double(double g, int step, std::array<double, 2>& memory)>;

Cloud after_two_steps(const Formula& k, bool singular, const Rule& rule) {
  Cloud x(count);
  const Philox philox(3);
  for (std::size_t i = 0; i < count; ++i) {
    const auto drawn = normal_pair(philox(Stream::start, 0, i));
    x[i] = {1 + 0.5 * drawn[0], 1 + 0.5 * drawn[1]};
  }
  std::vector<std::array<double, 2>> memory(2 * count);
  for (int step = 0; step < 2; ++step) {
    const Cloud phi = forces(x, k, singular);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t a = 0; a < 2; ++a)
        x[i][a] += rule(phi[i][a], step, memory[2 * i + a]);
  }
  return x;
}

std::vector<double> drawn(const std::string& choices) {
  const Place place;
  succeed(place,
          "sample normal --dim 2 --particles 12 --batch all --steps 2 --seed 3 --step-size 0.1 "
          "--start normal:1,0.5 --quiet --out m " +
              choices);
  return draws_of(place, "m").values;
}

/// How far the command's draws are from those; the differences above err by 1e-9.
double apart(const std::vector<double>& draws, const Cloud& expected) {
  double worst = draws.size() == 2 * count ? 0 : INFINITY;
  for (std::size_t n = 0; n < draws.size(); ++n)
    worst = std::max(worst, std::abs(draws[n] - expected[n / 2][n % 2]));
  return worst;
}
constexpr double equal = 1e-7, far_off = 1e-4;

const Rule constant = [](double g, int, auto&) { return eta * g; };
const Formula gaussian = [](const Point& x, const Point& y) {
  return std::exp(-squared(x, y) / (2 * h));
};
const Formula multiquadric = [](const Point& x, const Point& y) {
  return 1 / std::sqrt(1 + squared(x, y) / (2 * h));
};
const Formula cubic = [](const Point& x, const Point& y) {
  return std::pow(0.5 * product(x, y) + 1, 3);
};

TEST(TwoSteps, AreThoseOfTheKernelsFormula) {
  const auto matern = [](double smoothness, const auto& polynomial) -> Formula {
    return [=](const Point& x, const Point& y) {
      const double z = std::sqrt(2 * smoothness * squared(x, y) / h);
      return polynomial(z) * std::exp(-z);
    };
  };
  const Formula riesz = [](const Point& x, const Point& y) {
    return std::pow(squared(x, y), -0.25);
  };
  const auto sum = [](double c, const Formula& k, double d, const Formula& l) -> Formula {
    return [=](const Point& x, const Point& y) { return c * k(x, y) + d * l(x, y); };
  };
  struct Case {
    std::string name;
    Formula kernel;
    bool singular = false;
  };
  const std::vector<Case> cases = {
      {"gaussian", gaussian},
      {"gaussian-paper", sum(1 / std::sqrt(2 * std::numbers::pi * h), gaussian, 0, gaussian)},
      {"imq", multiquadric},
      {"matern32", matern(1.5, [](double z) { return 1 + z; })},
      {"matern52", matern(2.5, [](double z) { return 1 + z + z * z / 3; })},
      {"polynomial:a=0.5,m=3", cubic},
      {"riesz:a=0.5", riesz, true},
      {"gaussian+0.1*polynomial:a=0.5,m=3", sum(1, gaussian, 0.1, cubic)},
      {"2*imq", sum(2, multiquadric, 0, multiquadric)},
      {"0.5*imq+3*gaussian", sum(0.5, multiquadric, 3, gaussian)},
  };
  for (const Case& c : cases) {
    const bool has_length = c.name.find("gauss") != std::string::npos ||
                            c.name.find("imq") != std::string::npos || c.name[0] == 'm';
    const std::string choices =
        "--advance constant --kernel " + c.name + (has_length ? " --bandwidth 0.7" : "");
    const auto draws = drawn(choices);
    EXPECT_LT(apart(draws, after_two_steps(c.kernel, c.singular, constant)), equal) << c.name;
    const Formula flipped = [&](const Point& x, const Point& y) { return -c.kernel(x, y); };
    EXPECT_GT(apart(draws, after_two_steps(flipped, c.singular, constant)), far_off) << c.name;
  }
}

TEST(TwoSteps, AreThoseOfTheRulesFormula) {
  const auto scaled = [](double keep, double fresh, double floor) -> Rule {
    return [=](double g, int, auto& m) {
      m[0] = keep * m[0] + fresh * g * g;
      return eta * g / (floor + std::sqrt(m[0]));
    };
  };
  const std::vector<std::pair<std::string, Rule>> cases = {
      {"constant", constant},
      {"decay --decay-tau 3 --decay-power 0.9",
       [](double g, int step, auto&) { return eta * std::pow(1 + step / 3.0, -0.9) * g; }},
      {"adagrad",
       [](double g, int step, auto& m) {
         m[0] = step == 0 ? g * g : 0.9 * m[0] + 0.1 * g * g;
         return eta * g / (1e-6 + std::sqrt(m[0]));
       }},
      {"adagrad-sum", scaled(1, 1, 1e-6)},
      {"rmsprop", scaled(0.9, 0.1, 1e-8)},
      {"adam",
       [](double g, int step, auto& m) {
         m[0] = 0.9 * m[0] + 0.1 * g;
         m[1] = 0.999 * m[1] + 0.001 * g * g;
         const double first = m[0] / (1 - std::pow(0.9, step + 1));
         const double second = m[1] / (1 - std::pow(0.999, step + 1));
         return eta * first / (std::sqrt(second) + 1e-8);
       }},
  };
  for (const auto& [name, rule] : cases) {
    const auto draws = drawn("--kernel gaussian --bandwidth 0.7 --advance " + name);
    EXPECT_LT(apart(draws, after_two_steps(gaussian, false, rule)), equal) << name;
    for (const auto& [another, wrong] : cases)
      if (another != name) {
        EXPECT_GT(apart(draws, after_two_steps(gaussian, false, wrong)), far_off)
            << name << " for " << another;
      }
  }
}

} // namespace
} // namespace starling::cli
