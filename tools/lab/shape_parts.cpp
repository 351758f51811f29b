// Shapes from laws and from other shapes.
#include "shapes.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace starling::tool {

namespace {

double squared(double v) { return v * v; }

/// Columns that are all alike.
Shape around_zero(std::string name, std::size_t dim, double sd) {
  Shape made;
  made.name = std::move(name);
  made.mean.assign(dim, 0.0);
  made.sd.assign(dim, sd);
  made.heavy.assign(dim, false);
  return made;
}

/// The log density, and its gradient, where there is none.
double nothing(Shape::Out score) {
  std::ranges::fill(score, 0.0);
  return -std::numeric_limits<double>::infinity();
}

} // namespace

std::vector<double> draws_of(const Shape& shape, std::size_t count, std::uint64_t seed) {
  std::vector<double> x(count * shape.dim());
  for (std::size_t i = 0; i < count; ++i) {
    Dice dice(seed, i);
    shape.draw(dice, std::span(x).subspan(i * shape.dim(), shape.dim()));
  }
  return x;
}

Shape independent(std::string name, std::vector<Law> laws) {
  Shape made;
  made.name = std::move(name);
  for (const Law& law : laws) {
    made.mean.push_back(law.mean);
    made.sd.push_back(law.sd);
    made.heavy.push_back(law.heavy);
  }
  made.density = [laws](Shape::In x, Shape::Out score) {
    double sum = 0;
    for (std::size_t a = 0; a < laws.size(); ++a)
      sum += laws[a].log(x[a], score[a]);
    return sum;
  };
  made.draw = [laws](Dice& dice, Shape::Out x) {
    for (std::size_t a = 0; a < laws.size(); ++a)
      x[a] = laws[a].draw(dice);
  };
  return made;
}

Shape mapped(std::string name, const Shape& of, const std::vector<double>& a,
             const std::vector<double>& b) {
  const auto d = Eigen::Index(of.dim());
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Vector = Eigen::VectorXd;
  const Matrix map = Eigen::Map<const Matrix>(a.data(), d, d), back = map.inverse();
  const Vector shift = Eigen::Map<const Vector>(b.data(), d);
  const double scale = std::log(std::abs(map.determinant()));
  const Vector sd = Eigen::Map<const Vector>(of.sd.data(), d);
  const Vector mean = map * Eigen::Map<const Vector>(of.mean.data(), d) + shift;
  Shape made = of;
  made.name = std::move(name);
  made.mean.assign(mean.data(), mean.data() + d);
  const bool any_heavy = std::ranges::count(of.heavy, true) > 0;
  made.heavy.assign(of.dim(), any_heavy);
  for (Eigen::Index k = 0; k < d; ++k)
    made.sd[std::size_t(k)] = map.row(k).transpose().cwiseProduct(sd).norm();
  made.density = [=, inner = of.density](Shape::In x, Shape::Out score) {
    const Vector z = back * (Eigen::Map<const Vector>(x.data(), d) - shift);
    Vector slopes(d);
    const double value = inner({z.data(), std::size_t(d)}, {slopes.data(), std::size_t(d)});
    Eigen::Map<Vector>(score.data(), d) = back.transpose() * slopes;
    return value - scale;
  };
  made.draw = [=, inner = of.draw](Dice& dice, Shape::Out x) {
    Vector z(d);
    inner(dice, {z.data(), std::size_t(d)});
    Eigen::Map<Vector>(x.data(), d) = map * z + shift;
  };
  return made;
}

Shape mixture_of(std::string name, std::vector<double> weights, std::vector<Shape> parts) {
  const std::size_t d = parts.front().dim();
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  Shape made = around_zero(std::move(name), d, 0);
  made.one_mode = false;
  for (std::size_t a = 0; a < d; ++a) {
    double square = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      made.mean[a] += weights[k] / all * parts[k].mean[a];
      square += weights[k] / all * (squared(parts[k].mean[a]) + squared(parts[k].sd[a]));
    }
    made.sd[a] = std::sqrt(square - squared(made.mean[a]));
  }
  if (parts.size() > 1) // the lightest stays: the loss of another shows more
    made.less = std::make_shared<const Shape>(
        parts.size() == 2 ? parts[weights[0] > weights[1] ? 1 : 0]
                          : mixture_of("", {weights.begin(), weights.end() - 1},
                                       {parts.begin(), parts.end() - 1}));
  made.density = [=](Shape::In x, Shape::Out score) {
    std::vector<double> value(parts.size()), slopes(parts.size() * d);
    double top = -std::numeric_limits<double>::infinity(), total = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      value[k] =
          std::log(weights[k] / all) + parts[k].density(x, std::span(slopes).subspan(k * d, d));
      top = std::max(top, value[k]);
    }
    if (std::isinf(top)) // no part has a density here
      return nothing(score);
    for (double& v : value)
      total += v = std::exp(v - top);
    std::ranges::fill(score, 0.0);
    for (std::size_t k = 0; k < parts.size(); ++k)
      for (std::size_t a = 0; a < d; ++a)
        score[a] += value[k] / total * slopes[k * d + a];
    return top + std::log(total);
  };
  made.draw = [=](Dice& dice, Shape::Out x) {
    double u = dice.uniform() * all;
    std::size_t k = 0;
    while (k + 1 < parts.size() && u > weights[k])
      u -= weights[k++];
    parts[k].draw(dice, x);
  };
  return made;
}

Shape bent(std::string name, std::size_t dim, double bend, double width) {
  Shape made = around_zero(std::move(name), dim, 1);
  made.sd[0] = width;
  made.sd[1] = std::sqrt(1 + 2 * squared(bend) * squared(squared(width)));
  const double scale = double(dim) / 2 * std::log(2 * std::numbers::pi) + std::log(width);
  made.density = [=](Shape::In x, Shape::Out score) {
    const double off = x[1] + bend * (squared(x[0]) - squared(width));
    double sum = -0.5 * squared(x[0] / width) - 0.5 * squared(off);
    score[0] = -x[0] / squared(width) - off * 2 * bend * x[0];
    score[1] = -off;
    for (std::size_t a = 2; a < dim; ++a) {
      score[a] = -x[a];
      sum -= 0.5 * squared(x[a]);
    }
    return sum - scale;
  };
  made.draw = [=](Dice& dice, Shape::Out x) {
    for (double& v : x)
      v = dice.normal();
    x[0] *= width;
    x[1] -= bend * (squared(x[0]) - squared(width));
  };
  return made;
}

Shape funnel_of(std::string name, std::size_t dim, double width) {
  Shape made = around_zero(std::move(name), dim, std::exp(squared(width) / 4));
  made.sd[0] = width;
  for (std::size_t a = 1; a < dim; ++a)
    made.heavy[a] = true; // a log-normal scale: the kurtosis is 3 e^(width^2)
  const double others = double(dim - 1);
  made.density = [=](Shape::In x, Shape::Out score) {
    const double narrow = std::exp(-x[0]);
    double sum = 0;
    for (std::size_t a = 1; a < dim; ++a) {
      sum += squared(x[a]);
      score[a] = -x[a] * narrow;
    }
    score[0] = -x[0] / squared(width) + 0.5 * sum * narrow - 0.5 * others;
    return -0.5 * squared(x[0] / width) - 0.5 * sum * narrow - 0.5 * others * x[0];
  };
  made.draw = [=](Dice& dice, Shape::Out x) {
    x[0] = width * dice.normal();
    for (std::size_t a = 1; a < dim; ++a)
      x[a] = std::exp(x[0] / 2) * dice.normal();
  };
  return made;
}

Shape half_normal_funnel(std::size_t dim) {
  Shape made = around_zero("", dim, 1);
  made.mean[0] = -0.5 * (std::numbers::egamma + std::numbers::ln2);
  made.sd[0] = std::numbers::pi / std::sqrt(8.0);
  const double others = double(dim - 1);
  made.density = [=](Shape::In x, Shape::Out score) {
    const double narrow = std::exp(-2 * x[0]), wide = std::exp(2 * x[0]);
    double sum = 0;
    for (std::size_t a = 1; a < dim; ++a) {
      sum += squared(x[a]);
      score[a] = -x[a] * narrow;
    }
    score[0] = 1 - others - wide + sum * narrow;
    const double twice = wide + sum * narrow; // infinite far out: there is no density
    return std::isfinite(twice) ? (1 - others) * x[0] - 0.5 * twice : nothing(score);
  };
  made.draw = [=](Dice& dice, Shape::Out x) {
    const double scale = std::abs(dice.normal());
    x[0] = std::log(scale);
    for (std::size_t a = 1; a < dim; ++a)
      x[a] = scale * dice.normal();
  };
  return made;
}

Shape student_of(std::string name, std::size_t dim, unsigned freedom) {
  const double nu = freedom;
  Shape made = around_zero(std::move(name), dim,
                           freedom > 2 ? std::sqrt(nu / (nu - 2))
                                       : std::numeric_limits<double>::quiet_NaN());
  made.heavy.assign(dim, freedom <= 4);
  made.density = [=](Shape::In x, Shape::Out score) {
    const double sum = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
    const double power = nu + double(dim);
    for (std::size_t a = 0; a < dim; ++a)
      score[a] = -power / (nu + sum) * x[a];
    return -0.5 * power * std::log1p(sum / nu);
  };
  made.draw = [=](Dice& dice, Shape::Out x) {
    double chi = 0;
    for (unsigned k = 0; k < freedom; ++k)
      chi += squared(dice.normal());
    for (double& v : x)
      v = dice.normal() / std::sqrt(chi / nu);
  };
  return made;
}

Shape radial(std::string name, std::size_t dim,
             const std::function<double(double r, double& slope)>& log, double low, double high) {
  const double power = double(dim) - 1;
  const Law distance = grid_law(
      [=](double r, double& slope) {
        const double value = log(r, slope) + power * std::log(r);
        slope += power / r;
        return value;
      },
      low, high, true);
  Shape made =
      around_zero(std::move(name), dim,
                  std::sqrt((squared(distance.mean) + squared(distance.sd)) / double(dim)));
  made.density = [=](Shape::In x, Shape::Out score) {
    const double r = std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
    double slope = 0;
    const double value = log(r, slope);
    for (std::size_t a = 0; a < dim; ++a)
      score[a] = r > 0 ? slope * x[a] / r : 0;
    return value;
  };
  made.draw = [=](Dice& dice, Shape::Out x) {
    const double r = distance.draw(dice);
    for (double& v : x)
      v = dice.normal();
    const double length = std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
    for (double& v : x)
      v *= r / length;
  };
  return made;
}

} // namespace starling::tool
