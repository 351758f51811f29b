// The targets of the live page: built-in ones, a ring, a density drawn by hand, a formula.
// Coordinates beyond those of a target are standard normals, so that any of them can be seen in
// more dimensions.
#pragma once

#include <starling/rows.hpp>
#include <starling/target/mixture.hpp>
#include <starling/target/shapes.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace live {

/// log pi and its gradient at a point of `own` coordinates.
struct Shape {
  std::size_t own = 2;
  std::function<double(std::span<const double>, std::span<double>)> at;

  /// The same in more dimensions.
  double everywhere(std::span<const double> x, std::span<double> score) const {
    double value = at(x.first(own), score.first(own));
    for (std::size_t a = own; a < x.size(); ++a) {
      score[a] = -x[a];
      value -= x[a] * x[a] / 2;
    }
    return value;
  }
};

inline std::vector<std::string> names_of(std::size_t dim) {
  std::vector<std::string> names = {"x"};
  for (std::size_t a = 1; a < dim; ++a)
    names.push_back(a == 1 ? "y" : "z" + std::to_string(a - 1));
  return names;
}

/// A number with its two slopes: formulas are differentiated as they are computed.
struct Dual {
  double v = 0, x = 0, y = 0;
};

/// What a formula is made of; the page's script compiles to the same numbers.
enum class Op : int {
  number,
  x,
  y,
  add,
  subtract,
  multiply,
  divide,
  power,
  negate,
  exp,
  log,
  sqrt,
  sin,
  cos,
  tanh,
  abs,
  logaddexp
};

struct Code {
  Op op = Op::number;
  double value = 0;
};

inline Dual chain(const Dual& a, double value, double slope) {
  return {value, slope * a.x, slope * a.y};
}

/// A program in reverse Polish order. A formula that cannot be computed is not a number, and the
/// flock stops there.
inline Dual evaluate(const std::vector<Code>& program, double x, double y) {
  std::vector<Dual> stack;
  stack.reserve(program.size() + 1);
  const auto pop = [&] {
    const Dual top = stack.empty() ? Dual{NAN, NAN, NAN} : stack.back();
    if (!stack.empty())
      stack.pop_back();
    return top;
  };
  for (const Code& code : program) {
    Dual b, a;
    switch (code.op) {
    case Op::number:
      stack.push_back({code.value, 0, 0});
      break;
    case Op::x:
      stack.push_back({x, 1, 0});
      break;
    case Op::y:
      stack.push_back({y, 0, 1});
      break;
    case Op::add:
      b = pop(), a = pop(), stack.push_back({a.v + b.v, a.x + b.x, a.y + b.y});
      break;
    case Op::subtract:
      b = pop(), a = pop(), stack.push_back({a.v - b.v, a.x - b.x, a.y - b.y});
      break;
    case Op::multiply:
      b = pop(), a = pop(),
      stack.push_back({a.v * b.v, a.x * b.v + a.v * b.x, a.y * b.v + a.v * b.y});
      break;
    case Op::divide:
      b = pop(), a = pop();
      stack.push_back({a.v / b.v, (a.x - a.v / b.v * b.x) / b.v, (a.y - a.v / b.v * b.y) / b.v});
      break;
    case Op::power: { // the usual case is a fixed power, also of negative numbers
      b = pop(), a = pop();
      const double value = std::pow(a.v, b.v), slope = b.v == 0 ? 0 : b.v * std::pow(a.v, b.v - 1);
      Dual result = chain(a, value, slope);
      if (b.x != 0 || b.y != 0)
        result.x += value * std::log(a.v) * b.x, result.y += value * std::log(a.v) * b.y;
      stack.push_back(result);
      break;
    }
    case Op::negate:
      a = pop(), stack.push_back({-a.v, -a.x, -a.y});
      break;
    case Op::exp:
      a = pop(), stack.push_back(chain(a, std::exp(a.v), std::exp(a.v)));
      break;
    case Op::log:
      a = pop(), stack.push_back(chain(a, std::log(a.v), 1 / a.v));
      break;
    case Op::sqrt:
      a = pop(), stack.push_back(chain(a, std::sqrt(a.v), 0.5 / std::sqrt(a.v)));
      break;
    case Op::sin:
      a = pop(), stack.push_back(chain(a, std::sin(a.v), std::cos(a.v)));
      break;
    case Op::cos:
      a = pop(), stack.push_back(chain(a, std::cos(a.v), -std::sin(a.v)));
      break;
    case Op::tanh:
      a = pop(), stack.push_back(chain(a, std::tanh(a.v), 1 - std::tanh(a.v) * std::tanh(a.v)));
      break;
    case Op::abs:
      a = pop(), stack.push_back(chain(a, std::abs(a.v), a.v < 0 ? -1 : 1));
      break;
    case Op::logaddexp: {
      b = pop(), a = pop();
      const double top = std::max(a.v, b.v),
                   sum = top + std::log(std::exp(a.v - top) + std::exp(b.v - top));
      const double p = std::exp(a.v - sum), q = std::exp(b.v - sum);
      stack.push_back({sum, p * a.x + q * b.x, p * a.y + q * b.y});
      break;
    }
    }
  }
  return pop();
}

inline Shape formula(std::vector<Code> program) {
  return {2, [program = std::move(program)](std::span<const double> x, std::span<double> score) {
            const Dual value = evaluate(program, x[0], x[1]);
            score[0] = value.x, score[1] = value.y;
            return value.v;
          }};
}

/// log pi = -(|x| - radius)^2 / (2 width^2).
inline Shape ring(double radius, double width) {
  return {2, [=](std::span<const double> x, std::span<double> score) {
            const double r = std::hypot(x[0], x[1]), off = (r - radius) / (width * width);
            for (int a = 0; a < 2; ++a)
              score[std::size_t(a)] = r > 1e-12 ? -off * x[std::size_t(a)] / r : 0;
            return -(r - radius) * (r - radius) / (2 * width * width);
          }};
}

/// Log densities on a square grid over [-reach, reach]^2, row after row from the bottom: cubic
/// splines between, a gentle pull back outside.
class Drawn {
public:
  Drawn(std::vector<double> log_density, std::size_t side, double reach)
      : f_(std::move(log_density)), side_(side), reach_(reach) {}

  double operator()(std::span<const double> x, std::span<double> score) const {
    const double scale = double(side_ - 1) / (2 * reach_);
    double value = 0, at[2], back[2] = {0, 0};
    for (std::size_t a = 0; a < 2; ++a) {
      const double inside = std::clamp(x[a], -reach_ * 0.999, reach_ * 0.999);
      back[a] = inside - x[a];
      at[a] = (inside + reach_) * scale;
      value -= back[a] * back[a] / 2;
    }
    const auto cell = [&](double u) { return std::clamp<long>(long(u), 1, long(side_) - 3); };
    const long i = cell(at[0]), j = cell(at[1]);
    double w[2][4], d[2][4];
    weights(at[0] - double(i), w[0], d[0]);
    weights(at[1] - double(j), w[1], d[1]);
    double slope[2] = {0, 0};
    for (long q = 0; q < 4; ++q)
      for (long p = 0; p < 4; ++p) {
        const double f = f_[std::size_t((j - 1 + q) * long(side_) + i - 1 + p)];
        value += w[0][p] * w[1][q] * f;
        slope[0] += d[0][p] * w[1][q] * f;
        slope[1] += w[0][p] * d[1][q] * f;
      }
    for (std::size_t a = 0; a < 2; ++a)
      score[a] = back[a] == 0 ? slope[a] * scale : back[a];
    return value;
  }

private:
  /// Uniform cubic B-spline: smooth, so that the score is.
  static void weights(double t, double* w, double* d) {
    const double s = 1 - t;
    w[0] = s * s * s / 6, w[1] = (4 - 6 * t * t + 3 * t * t * t) / 6,
    w[2] = (4 - 6 * s * s + 3 * s * s * s) / 6, w[3] = t * t * t / 6;
    d[0] = -s * s / 2, d[1] = (-12 * t + 9 * t * t) / 6, d[2] = (12 * s - 9 * s * s) / 6,
    d[3] = t * t / 2;
  }

  std::vector<double> f_;
  std::size_t side_;
  double reach_;
};

/// A mixture in the plane: three of equal width, at the corners of a triangle.
inline starling::Mixture<double> three() {
  std::vector<starling::MixtureComponent> parts;
  const double at[3][2] = {{-2, -1}, {2, -1}, {0, 2}};
  for (const auto& m : at)
    parts.push_back({1, Eigen::Vector2d(m[0], m[1]), Eigen::Matrix2d::Identity() * 0.36});
  return starling::Mixture<double>(parts);
}

} // namespace live
