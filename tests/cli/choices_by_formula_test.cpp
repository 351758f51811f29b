// Every kernel, step rule, bandwidth, dealer and target of the command line, against its formula:
// one or a few steps of few particles, computed here from log densities and kernels alone.
#include "results.hpp"

#include <algorithm>
#include <functional>
#include <numbers>

namespace starling::cli {
namespace {

using Values = std::vector<double>;
using Kernel = std::function<double(double, double)>;
using Density = std::function<double(const Values&)>;

const Values cloud = {-1.2, 0.3, 1.9};

/// The particles after a run that starts from these.
Values moved(const std::string& line, const Values& start, std::size_t dim = 1) {
  const Place place;
  io::write_npy(place.path("s.npy"), {{start.size() / dim, dim}, start});
  succeed(place, "sample " + line + " --start s.npy --particles " +
                     std::to_string(start.size() / dim) + " --quiet --out out");
  return draws_of(place, "out").values;
}

void expect_near(const Values& seen, const Values& expected, double tolerance,
                 const std::string& what) {
  ASSERT_EQ(seen.size(), expected.size()) << what;
  for (std::size_t i = 0; i < seen.size(); ++i)
    EXPECT_NEAR(seen[i], expected[i], tolerance) << what << ", number " << i;
}

/// A central difference: its error is of order 1e-10 for what is smooth and of order one.
double slope(const std::function<double(double)>& f, double at) {
  constexpr double shift = 1e-5;
  return (f(at + shift) - f(at - shift)) / (2 * shift);
}

/// F(x, y) = K(x, y) s(y) + d/dy K(x, y) for the standard normal, s(y) = -y.
double force(const Kernel& k, double x, double y) {
  return -k(x, y) * y + slope([&](double at) { return k(x, at); }, y);
}

/// One step of SVGD by eta: x_i + eta/N sum_j F(x_i, x_j); a singular kernel has no self term.
Values one_step(const Kernel& k, const Values& x, double eta, bool singular) {
  Values to = x;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j)
      if (i != j || !singular)
        to[i] += eta / static_cast<double>(x.size()) * force(k, x[i], x[j]);
  return to;
}

/// E |r + s Z|^-a by the midpoint rule, after u = r + s Z and u = +- v^2, which leaves no pole.
double mollified(double r, double a, double s) {
  constexpr int cells = 20000;
  const double most = std::sqrt(std::abs(r) + 9 * s), width = most / cells;
  double sum = 0;
  for (int i = 0; i < cells; ++i) {
    const double v = (i + 0.5) * width;
    for (const double u : {v * v, -v * v})
      sum += 2 * std::pow(v, 1 - 2 * a) * std::exp(-0.5 * std::pow((u - r) / s, 2)) * width;
  }
  return sum / (s * std::sqrt(2 * std::numbers::pi));
}

Kernel radial(std::function<double(double)> of_r) {
  return [of_r](double x, double y) { return of_r(std::abs(x - y)); };
}

TEST(ChoicesByFormula, EveryKernelDrivesAndRepels) {
  const double pi = std::numbers::pi, h = 0.7;
  const auto gaussian = [=](double r) { return std::exp(-r * r / (2 * h)); };
  const auto imq = [=](double r) { return 1 / std::sqrt(1 + r * r / (2 * h)); };
  const auto polynomial = [](double a, double m) {
    return [=](double x, double y) { return std::pow(a * x * y + 1, m); };
  };
  const auto matern = [](double a) {
    return [=](double r) { return (1 + a * r) * std::exp(-a * r); };
  };
  const auto sinc = [=](double a) {
    return [=](double r) { return r == 0 ? a / pi : std::sin(a * r) / (pi * r); };
  };
  double mean = 0, variance = 0; // of the cloud, by which kernels of single parameters measure
  for (const double x : cloud)
    mean += x / double(cloud.size());
  for (const double x : cloud)
    variance += (x - mean) * (x - mean) / double(cloud.size());
  const auto parameters = [=](double width) {
    return [=](double r) { return std::exp(-r * r / (2 * width * variance)); };
  };
  const auto marginals = [=](double width) { return matern(std::sqrt(3 / (width * variance))); };
  struct Case {
    const char* name;
    Kernel kernel;
    bool singular = false;
    double tolerance = 1e-9;
  };
  const std::vector<Case> cases = {
      {"gaussian", radial(gaussian)},
      {"gaussian-paper", radial([=](double r) { return gaussian(r) / std::sqrt(2 * pi * h); })},
      {"imq", radial(imq)},
      {"matern32", radial(matern(std::sqrt(3 / h)))},
      {"matern52", radial([=](double r) {
         const double z = std::sqrt(5 / h) * r;
         return (1 + z + z * z / 3) * std::exp(-z);
       })},
      {"polynomial", polynomial(1, 2)},
      {"polynomial:a=0.5,m=3", polynomial(0.5, 3)},
      {"parameters", radial(parameters(0.1))},
      {"parameters:h=2", radial(parameters(2))},
      {"marginals", radial(marginals(0.1))},
      {"2*marginals:h=0.5+gaussian",
       radial([=](double r) { return 2 * marginals(0.5)(r) + gaussian(r); })},
      {"sinc", radial(sinc(1))},
      {"sinc:a=2", radial(sinc(2))},
      {"riesz", radial([](double r) { return std::pow(r, -0.5); }), true},
      {"riesz:a=0.3", radial([](double r) { return std::pow(r, -0.3); }), true},
      {"riesz-smooth", radial([](double r) { return mollified(r, 0.5, 1); }), false, 1e-6},
      {"riesz-smooth:a=0.5,s=2", radial([](double r) { return mollified(r, 0.5, 2); }), false,
       1e-6},
      {"gaussian+0.1*polynomial",
       [=](double x, double y) {
         return gaussian(std::abs(x - y)) + 0.1 * polynomial(1, 2)(x, y);
       }},
      {"2*imq", radial([=](double r) { return 2 * imq(r); })}};
  for (const auto& [name, kernel, singular, tolerance] : cases) {
    const std::string kind = name;
    const bool has_length = kind.find("gaussian") != kind.npos || kind.find("imq") != kind.npos ||
                            kind.find("matern") != kind.npos;
    const std::string line =
        "normal --dim 1 --batch all --steps 1 --advance constant --step-size 0.1 --kernel " + kind +
        (has_length ? " --bandwidth 0.7" : "");
    expect_near(moved(line, cloud), one_step(kernel, cloud, 0.1, singular), tolerance, name);
  }
}

TEST(ChoicesByFormula, EveryStepRuleTakesItsSteps) {
  // One particle feels no other: its drift is its score, -x.
  const double eta = 0.1;
  struct Case {
    const char* line;
    std::function<double(int k, double g, Values& m)> move;
  };
  const auto decay = [=](double tau, double power) {
    return [=](int k, double g, Values&) { return eta * std::pow(1 + k / tau, -power) * g; };
  };
  const std::vector<Case> cases = {
      {"constant", [=](int, double g, Values&) { return eta * g; }},
      {"decay", decay(100, 0.6)},
      {"decay --decay-tau 3", decay(3, 0.6)},
      {"decay --decay-power 0.9", decay(100, 0.9)},
      {"adagrad",
       [=](int k, double g, Values& m) {
         m[0] = k == 0 ? g * g : 0.9 * m[0] + 0.1 * g * g;
         return eta * g / (1e-6 + std::sqrt(m[0]));
       }},
      {"adagrad-sum",
       [=](int, double g, Values& m) {
         m[0] += g * g;
         return eta * g / (1e-6 + std::sqrt(m[0]));
       }},
      {"rmsprop",
       [=](int, double g, Values& m) {
         m[0] = 0.9 * m[0] + 0.1 * g * g;
         return eta * g / (1e-8 + std::sqrt(m[0]));
       }},
      {"adam",
       [=](int k, double g, Values& m) {
         m[0] = 0.9 * m[0] + 0.1 * g;
         m[1] = 0.999 * m[1] + 0.001 * g * g;
         const double mean = m[0] / (1 - std::pow(0.9, k + 1)),
                      square = m[1] / (1 - std::pow(0.999, k + 1));
         return eta * mean / (std::sqrt(square) + 1e-8);
       }},
      {"rk4", [=](int, double g, Values&) { // the classical one: exp(-eta) to its fourth power
         return -g * (-eta + eta * eta / 2 - std::pow(eta, 3) / 6 + std::pow(eta, 4) / 24);
       }}};
  for (const auto& [line, move] : cases) {
    double x = 2;
    Values memory(2, 0.0);
    for (int k = 0; k < 3; ++k)
      x += move(k, -x, memory);
    expect_near(
        moved(std::string("normal --dim 1 --steps 3 --step-size 0.1 --advance ") + line, {2}), {x},
        1e-12, line);
  }
}

TEST(ChoicesByFormula, EveryBandwidthIsTheOneAskedFor) {
  // The distances are 1.5, 1.6 and 3.1: h = 1.6^2 / (2 log 3) by the median of all pairs.
  const double median = 1.6 * 1.6 / (2 * std::log(3.0));
  for (const auto& [name, h] : {std::pair{"0.3", 0.3}, {"3", 3.0}, {"median", median}}) {
    const Kernel k = radial([h = h](double r) { return std::exp(-r * r / (2 * h)); });
    expect_near(
        moved(std::string("normal --dim 1 --batch all --steps 1 --advance constant --step-size 0.1 "
                          "--bandwidth ") +
                  name,
              cloud),
        one_step(k, cloud, 0.1, false), 1e-9, name);
  }
}

TEST(ChoicesByFormula, EveryDealerOfPairsLetsEveryParticleFeelOneOther) {
  const Values x = {-2.1, -1.3, -0.4, 0.2, 0.9, 1.7, 2.2, 3.0};
  const double n = 8, eta = 0.1;
  const Kernel k = radial([](double r) { return std::exp(-r * r / 2); });
  for (const char* dealer : {"--deal shuffle", "--deal matching"}) {
    const Values to =
        moved(std::string("normal --dim 1 --batch 2 --steps 1 --bandwidth 1 --advance constant "
                          "--step-size 0.1 ") +
                  dealer,
              x);
    std::vector<std::size_t> partner(x.size(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = 0; j < x.size(); ++j)
        if (i != j &&
            std::abs(x[i] + eta / n * (force(k, x[i], x[i]) + (n - 1) * force(k, x[i], x[j])) -
                     to[i]) < 1e-9)
          partner[i] = j; // weights 1/N for itself, (N-1)/N for the other (Lemma 1)
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_LT(partner[i], x.size()) << dealer << ": particle " << i << " feels nobody";
      EXPECT_EQ(partner[partner[i]], i) << dealer;
    }
  }
}

TEST(ChoicesByFormula, EveryTargetOptionChangesTheTargetAsItSays) {
  const auto square = [](double v) { return v * v; };
  const auto mixture = [=](Values weights, Values means, Values sds) -> Density {
    return [=](const Values& x) {
      double sum = 0;
      for (std::size_t c = 0; c < means.size(); ++c)
        sum += weights[c] * std::exp(-square((x[0] - means[c]) / sds[c]) / 2) / sds[c];
      return std::log(sum);
    };
  };
  const auto normal = [=](double r) -> Density { // of two coordinates
    return [=](const Values& x) {
      return -(x[0] * x[0] - 2 * r * x[0] * x[1] + x[1] * x[1]) / (2 * (1 - r * r));
    };
  };
  const auto banana = [=](double curvature, double width) -> Density {
    return [=](const Values& x) {
      return -(square(x[0] / width) + square(x[1] - curvature * (square(x[0]) - square(width)))) /
             2;
    };
  };
  const auto funnel = [=](double width) -> Density {
    return [=](const Values& x) {
      double sum = -square(x[0] / width) / 2;
      for (std::size_t a = 1; a < x.size(); ++a)
        sum += -square(x[a]) * std::exp(-x[0]) / 2 - x[0] / 2;
      return sum;
    };
  };
  struct Case {
    const char* line;
    std::size_t dim;
    Density density;
  };
  const std::vector<Case> cases = {
      {"mixture", 1, mixture({1 / 3.0, 2 / 3.0}, {-2, 2}, {1, 1})},
      {"mixture --weights 1/2,1/2", 1, mixture({0.5, 0.5}, {-2, 2}, {1, 1})},
      {"mixture --means -3;1", 1, mixture({1 / 3.0, 2 / 3.0}, {-3, 1}, {1, 1})},
      {"mixture --sds 2", 1, mixture({1 / 3.0, 2 / 3.0}, {-2, 2}, {2, 2})},
      {"mixture --sds 1,2", 1, mixture({1 / 3.0, 2 / 3.0}, {-2, 2}, {1, 2})},
      {"normal --dim 2", 2, normal(0)},
      {"normal --dim 2 --correlation 0.5", 2, normal(0.5)},
      {"banana --curvature 1 --width 1", 2, banana(1, 1)},
      {"banana --curvature -0.5 --width 2", 2, banana(-0.5, 2)},
      {"funnel --dim 3 --width 1", 3, funnel(1)},
      {"funnel --dim 2 --width 3", 2, funnel(3)}};
  for (const auto& [line, dim, density] : cases) {
    Values x(dim);
    for (std::size_t a = 0; a < dim; ++a)
      x[a] = 0.7 - 1.1 * static_cast<double>(a);
    Values to = x; // one particle takes a step along its score
    for (std::size_t a = 0; a < dim; ++a)
      to[a] += 0.1 * slope(
                         [&, d = density](double at) {
                           Values there = x;
                           there[a] = at;
                           return d(there);
                         },
                         x[a]);
    expect_near(moved(std::string(line) + " --steps 1 --advance constant --step-size 0.1", x, dim),
                to, 1e-8, line);
  }
}

} // namespace
} // namespace starling::cli
