// The list of shapes: every other one is held back, so those of a kind stand side by side.
#include "shapes.hpp"

#include <cmath>
#include <numbers>

namespace starling::tool {

namespace {

using Numbers = std::vector<double>;

Shape normals(std::string name, const Numbers& mean, const Numbers& sd) {
  std::vector<Law> laws;
  for (std::size_t a = 0; a < mean.size(); ++a)
    laws.push_back(normal_law(mean[a], sd[a]));
  return independent(std::move(name), laws);
}
Shape round_normal(std::string name, std::size_t dim, double sd = 1) {
  return normals(std::move(name), Numbers(dim, 0), Numbers(dim, sd));
}
Shape alike(std::string name, std::size_t dim, const Law& law) {
  return independent(std::move(name), std::vector<Law>(dim, law));
}
/// The first coordinate by this law, the others N(0, 1).
Shape first_by(std::string name, std::size_t dim, const Law& law) {
  std::vector<Law> laws(dim, normal_law(0, 1));
  laws[0] = law;
  return independent(std::move(name), laws);
}

Shape correlated(std::string name, double rho, const Numbers& at = {0, 0}) {
  return mapped(std::move(name), round_normal("", 2), {1, 0, rho, std::sqrt(1 - rho * rho)}, at);
}
/// Correlation rho^|a - b|.
Shape chain(std::string name, std::size_t dim, double rho) {
  Numbers map(dim * dim, 0.0);
  for (std::size_t a = 0; a < dim; ++a)
    for (std::size_t b = 0; b <= a; ++b)
      map[a * dim + b] = std::pow(rho, double(a - b)) * (b == 0 ? 1.0 : std::sqrt(1 - rho * rho));
  return mapped(std::move(name), round_normal("", dim), map, Numbers(dim, 0));
}
/// The same correlation between all: sqrt(1 - rho) I + c 1 1^T.
Shape all_correlated(std::string name, std::size_t dim, double rho) {
  const double own = std::sqrt(1 - rho), n = double(dim);
  const double common = (std::sqrt(own * own + n * rho) - own) / n;
  Numbers map(dim * dim, common);
  for (std::size_t a = 0; a < dim; ++a)
    map[a * dim + a] += own;
  return mapped(std::move(name), round_normal("", dim), map, Numbers(dim, 0));
}
/// Around a centre whose first coordinates these are.
Shape funnel_at(std::size_t dim, Numbers centre) {
  Numbers map(dim * dim, 0.0);
  for (std::size_t a = 0; a < dim; ++a)
    map[a * dim + a] = 1;
  centre.resize(dim);
  return mapped("", half_normal_funnel(dim), map, centre);
}
/// By Householder's reflection along (1, 2, ..., d), which mixes all coordinates.
Shape turned(std::string name, const Shape& of) {
  const std::size_t d = of.dim();
  double square = 0;
  for (std::size_t a = 0; a < d; ++a)
    square += double((a + 1) * (a + 1));
  Numbers map(d * d);
  for (std::size_t a = 0; a < d; ++a)
    for (std::size_t b = 0; b < d; ++b)
      map[a * d + b] = (a == b ? 1.0 : 0.0) - 2 * double((a + 1) * (b + 1)) / square;
  return mapped(std::move(name), of, map, Numbers(d, 0));
}
Numbers spread_sds(std::size_t dim, double most) { // from 1/most to most
  Numbers sd(dim);
  for (std::size_t a = 0; a < dim; ++a)
    sd[a] = std::pow(most, 2 * double(a) / double(dim - 1) - 1);
  return sd;
}

Law power_law(double power, double wide) { // exp(-|x|^power)
  return grid_law(
      [=](double x, double& slope) {
        const double size = std::pow(std::abs(x), power);
        slope = x == 0 ? 0 : -power * size / x;
        return -size;
      },
      -wide, wide);
}
Law flat_law() {
  return grid_law([](double, double& slope) { return slope = 0; }, -1, 1, true);
}
Law cut_normal(double from) {
  return grid_law(
      [](double x, double& slope) {
        slope = -x;
        return -x * x / 2;
      },
      from, from + 8, true);
}
Law logistic_law() {
  return grid_law(
      [](double x, double& slope) {
        slope = -std::tanh(x / 2);
        return -x - 2 * std::log1p(std::exp(-x));
      },
      -40, 40);
}
Law skew_law(double skew) { // a normal density times the normal distribution function of skew x
  return grid_law(
      [=](double x, double& slope) {
        const double z = skew * x, half = std::max(std::erfc(-z / std::numbers::sqrt2), 1e-300);
        slope = -x + skew * std::sqrt(2 / std::numbers::pi) * std::exp(-z * z / 2) / half;
        return -x * x / 2 + std::log(half);
      },
      -8, 8);
}
Law two_wells(double depth) { // exp(-depth (x^2 - 1)^2)
  return grid_law(
      [=](double x, double& slope) {
        const double off = x * x - 1;
        slope = -4 * depth * off * x;
        return -depth * off * off;
      },
      -4, 4);
}

std::function<double(double, double&)> at_distance(double radius, double sd) {
  return [=](double r, double& slope) {
    slope = -(r - radius) / (sd * sd);
    return -(r - radius) * (r - radius) / (2 * sd * sd);
  };
}
Shape ring(std::string name, std::size_t dim, double radius, double sd) {
  return radial(std::move(name), dim, at_distance(radius, sd), std::max(1e-9, radius - 9 * sd),
                radius + 9 * sd);
}

Shape two(std::string name, std::size_t dim, double share, double apart, double sd = 1) {
  Numbers there(dim, 0);
  there[0] = apart;
  return mixture_of(std::move(name), {share, 1 - share},
                    {round_normal("", dim), normals("", there, Numbers(dim, sd))});
}
/// A mixture whose parts are all highest at one place.
Shape one_top(Shape shape) {
  shape.one_mode = true;
  return shape;
}
Shape cross(std::string name, std::size_t dim, double wide, double narrow) {
  std::vector<Shape> arms;
  for (std::size_t k = 0; k < dim; ++k) {
    Numbers sd(dim, narrow);
    sd[k] = wide;
    arms.push_back(normals("", Numbers(dim, 0), sd));
  }
  return one_top(mixture_of(std::move(name), Numbers(dim, 1), arms));
}
Shape spike_and_slab(std::string name, std::size_t dim, double spike) {
  return one_top(
      mixture_of(std::move(name), {1, 1}, {round_normal("", dim, spike), round_normal("", dim)}));
}
Shape around_a_circle(std::string name, std::size_t count, double radius) {
  std::vector<Shape> parts;
  for (std::size_t k = 0; k < count; ++k) {
    const double angle = 2 * std::numbers::pi * double(k) / double(count);
    parts.push_back(normals("", {radius * std::cos(angle), radius * std::sin(angle)}, {1, 1}));
  }
  return mixture_of(std::move(name), Numbers(count, 1), parts);
}
Shape four_corners() {
  return mixture_of("four modes, d = 2", {1, 2, 3, 4},
                    {normals("", {-5, -5}, {1, 1}), normals("", {-5, 5}, {1, 1}),
                     normals("", {5, -5}, {1, 1}), normals("", {5, 5}, {1, 1})});
}
Shape three_sizes() {
  Numbers left(10, 0), right(10, 0);
  left[0] = -8, right[1] = 10;
  return mixture_of("three modes of sds .3, 1, 2, d = 10", {1, 1, 1},
                    {normals("", left, Numbers(10, 0.3)), round_normal("", 10),
                     normals("", right, Numbers(10, 2))});
}

/// Nothing holds x_2: the first coordinate is N(0, 1), the other has a tail of infinite mass.
Shape improper(std::string name, double power) {
  Shape made = round_normal(std::move(name), 2);
  made.density = [power](Shape::In x, Shape::Out score) {
    score[0] = -x[0];
    score[1] = -2 * power * x[1] / (1 + x[1] * x[1]);
    return -x[0] * x[0] / 2 - power * std::log1p(x[1] * x[1]);
  };
  made.draw = nullptr;
  return made;
}

} // namespace

std::vector<Shape> all_shapes() {
  const double a = std::cos(1.0), b = std::sin(1.0);
  Shape wells = first_by("two wells, deep, d = 3", 3, two_wells(6)),
        shallow = alike("two wells, shallow, d = 1", 1, two_wells(1));
  wells.one_mode = shallow.one_mode = false;
  return {
      round_normal("normal, d = 20", 20),
      round_normal("normal, d = 1", 1),
      correlated("normal, correlation .95", .95),
      correlated("normal, correlation -.999", -.999),
      normals("normal, sds 1e-3 to 1e3, d = 50", Numbers(50, 0), spread_sds(50, 1e3)),
      turned("normal, sds 1e-3 to 1e3, turned, d = 10",
             normals("", Numbers(10, 0), spread_sds(10, 1e3))),
      chain("normal, chain of .9, d = 20", 20, .9),
      all_correlated("normal, correlation .9999, d = 50", 50, .9999),
      round_normal("normal, d = 100", 100),
      normals("normal, 1000 sds away, d = 5", Numbers(5, 1000), Numbers(5, 1)),
      student_of("Student t5, d = 10", 10, 5),
      student_of("Student t3, d = 2", 2, 3),
      alike("Student t5 each, d = 5", 5, student_law(5)),
      alike("Student t4 each, d = 10", 10, student_law(4)),
      alike("Cauchy, d = 1", 1, student_law(1)),
      student_of("Student t2, d = 2", 2, 2),
      bent("banana .5, d = 2", 2, .5, 2),
      bent("banana 1, d = 2", 2, 1, 2),
      bent("banana .03, d = 10", 10, .03, 10),
      bent("banana .1, d = 5", 5, .1, 5),
      mapped("banana .5, turned", bent("", 2, .5, 2), {a, -b, b, a}, {3, -3}),
      bent("banana 2, d = 3", 3, 2, 1),
      funnel_of("funnel, d = 10", 10, 3),
      funnel_of("funnel of width 2, d = 5", 5, 2),
      funnel_of("funnel of width 1, d = 3", 3, 1),
      funnel_of("funnel of width 1, d = 20", 20, 1),
      ring("ring of radius 5, sd .5", 2, 5, .5),
      ring("ring of radius 10, sd .2", 2, 10, .2),
      ring("shell, d = 3", 3, 5, .5),
      ring("shell, d = 10", 10, 10, .5),
      cross("cross, 10 by .1", 2, 10, .1),
      cross("cross, 3 by .3", 2, 3, .3),
      cross("cross of three arms, d = 3", 3, 5, .5),
      one_top(
          mixture_of("cross of correlations", {1, 1}, {correlated("", .95), correlated("", -.95)})),
      alike("soft box, d = 2", 2, power_law(8, 2)),
      alike("soft box, d = 10", 10, power_law(8, 2)),
      alike("box, d = 2", 2, flat_law()),
      alike("box, d = 10", 10, flat_law()),
      spike_and_slab("spike .1 and slab, d = 2", 2, .1),
      spike_and_slab("spike .3 and slab, d = 2", 2, .3),
      spike_and_slab("spike .5 and slab, d = 5", 5, .5),
      spike_and_slab("spike .3 and slab, d = 10", 10, .3),
      mixture_of("two modes, d = 2", {2, 1},
                 {normals("", {10, 0}, {1, 1}), normals("", {-10, 0}, {1, 1})}),
      two("two equal modes, 6 sds apart, d = 2", 2, .5, 6),
      four_corners(),
      around_a_circle("eight modes around a circle", 8, 10),
      two("two modes, 3 sds apart, d = 1", 1, .5, 3),
      two("two modes, 4 sds apart, d = 5", 5, .3, 4),
      two("modes of sds 1 and 3, d = 2", 2, .5, 12, 3),
      three_sizes(),
      two("modes 200 sds apart", 2, .3, 200),
      two("modes 60 sds apart, d = 5", 5, .5, 60),
      two("a mode of .001, 50 sds away", 2, .999, 50),
      two("a mode of .05, 10 sds away", 2, .95, 10),
      alike("normal cut at 0, d = 2", 2, cut_normal(0)),
      first_by("normal cut at 1, d = 10", 10, cut_normal(1)),
      alike("log exponential, d = 5", 5, log_gamma_law(1)),
      alike("log Gamma 3, d = 10", 10, log_gamma_law(3)),
      alike("skew normal 5, d = 5", 5, skew_law(5)),
      turned("fourth power, turned, d = 10", alike("", 10, power_law(4, 5))),
      shallow,
      wells,
      alike("Laplace, d = 2", 2, power_law(1.1, 60)),
      alike("logistic, d = 10", 10, logistic_law()),
      improper("improper, flat", 0),
      improper("improper, tail too heavy", .4),
      mixture_of("a banana and a normal", {1, 1},
                 {bent("", 2, .5, 2), normals("", {0, 12}, {1, 1})}),
      mixture_of("two correlated modes", {1, 2},
                 {correlated("", .95, {-6, 0}), correlated("", -.95, {6, 0})}),
      mixture_of("two funnels, d = 7", {1, 2}, {funnel_at(7, {0, 3}), funnel_at(7, {0, -3})}),
      mixture_of("three funnels, d = 4", {1, 2, 3},
                 {funnel_at(4, {0, -4}), funnel_at(4, {0, 4}), funnel_at(4, {0, 0, 4})}),
  };
}

} // namespace starling::tool
