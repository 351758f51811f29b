// Laws of one number that shapes are made of.
#include "shapes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace starling::tool {

Law normal_law(double mean, double sd) {
  const double scale = std::log(sd) + 0.5 * std::log(2 * std::numbers::pi);
  return {mean, sd,
          [=](double x, double& slope) {
            const double z = (x - mean) / sd;
            slope = -z / sd;
            return -0.5 * z * z - scale;
          },
          [=](Dice& dice) { return mean + sd * dice.normal(); }};
}

Law student_law(unsigned freedom) {
  const double nu = freedom, none = std::numeric_limits<double>::quiet_NaN();
  const double scale =
      std::lgamma((nu + 1) / 2) - std::lgamma(nu / 2) - 0.5 * std::log(nu * std::numbers::pi);
  return {nu > 1 ? 0 : none, nu > 2 ? std::sqrt(nu / (nu - 2)) : none,
          [=](double x, double& slope) {
            slope = -(nu + 1) * x / (nu + x * x);
            return scale - (nu + 1) / 2 * std::log1p(x * x / nu);
          },
          [=](Dice& dice) {
            const double z = dice.normal();
            double chi = 0;
            for (unsigned k = 0; k < freedom; ++k) {
              const double n = dice.normal();
              chi += n * n;
            }
            return z / std::sqrt(chi / nu);
          },
          freedom <= 4};
}

Law log_gamma_law(unsigned shape) {
  double mean = -std::numbers::egamma, variance = std::numbers::pi * std::numbers::pi / 6;
  for (unsigned k = 1; k < shape; ++k) {
    mean += 1.0 / k;
    variance -= 1.0 / (double(k) * k);
  }
  const double scale = std::lgamma(double(shape));
  return {mean, std::sqrt(variance),
          [=](double x, double& slope) {
            slope = shape - std::exp(x);
            return shape * x - std::exp(x) - scale;
          },
          [=](Dice& dice) {
            double sum = 0;
            for (unsigned k = 0; k < shape; ++k)
              sum -= std::log(dice.uniform());
            return std::log(sum);
          }};
}

Law grid_law(const std::function<double(double x, double& slope)>& log, double low, double high,
             bool hard) {
  constexpr std::size_t cells = 40'000;
  const double wide = (high - low) / cells;
  double slope = 0, top = -std::numeric_limits<double>::infinity();
  const auto middle = [=](std::size_t k) { return low + (double(k) + 0.5) * wide; };
  for (std::size_t k = 0; k < cells; ++k)
    top = std::max(top, log(middle(k), slope));
  auto up_to = std::make_shared<std::vector<double>>(cells);
  double mass = 0, mean = 0, square = 0;
  for (std::size_t k = 0; k < cells; ++k) {
    const double x = middle(k), p = std::exp(log(x, slope) - top);
    mass += p, mean += p * x, square += p * x * x;
    (*up_to)[k] = mass;
  }
  mean /= mass;
  const double scale = top + std::log(mass * wide);
  return {mean, std::sqrt(square / mass - mean * mean),
          [=](double x, double& to) {
            if (hard && !(x >= low && x <= high)) {
              to = 0;
              return -std::numeric_limits<double>::infinity();
            }
            return log(x, to) - scale;
          },
          [=](Dice& dice) {
            const double u = dice.uniform() * mass;
            const auto k = std::size_t(std::ranges::lower_bound(*up_to, u) - up_to->begin());
            return middle(std::min(k, cells - 1)) + (dice.uniform() - 0.5) * wide;
          }};
}

} // namespace starling::tool
