// Mean and width of a dependent as functions of its controllers, and their slopes.
#pragma once

#include <starling/bend.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace starling::bending {

using Values = Eigen::ArrayXd;

inline constexpr double bound = 6;   // in widths of the cloud: features go no further
inline constexpr double widest = 25; // of the logarithm of a width
inline constexpr std::size_t most_controllers = 3;

/// A controller's z as the functions see it: z itself inside the cloud, at most `bound` outside.
/// c = z / (1 + (z / bound)^8)^(1/8). It turns off later than tanh does: a banana's mean, whose
/// square of c is large in the arms, has to be right there too.
struct Bounded {
  Values value, slope;
  template <typename From>
  explicit Bounded(const From& z) {
    const Values eighth = 1 + (z / bound).square().square().square();
    const Values root = eighth.sqrt().sqrt().sqrt();
    value = z / root;
    slope = 1 / (eighth * root);
  }
};

inline Eigen::Index numbers_of_mean(std::size_t controllers) {
  return Eigen::Index(1 + 2 * controllers + controllers * (controllers - 1) / 2);
}
inline Eigen::Index numbers_of_width(std::size_t controllers) {
  return Eigen::Index(1 + 2 * controllers);
}

using Controllers = std::vector<const Values*>;

/// The number of the product of controllers a and b, a < b.
inline Eigen::Index product(std::size_t a, std::size_t b, std::size_t k) {
  return Eigen::Index(1 + 2 * k + a * (2 * k - a - 1) / 2 + (b - a - 1));
}

inline Values quadratic(const Controllers& c, const Eigen::VectorXd& numbers, Eigen::Index rows) {
  const std::size_t k = c.size();
  Values value = Values::Constant(
      rows, numbers[0] - numbers.segment(Eigen::Index(1 + k), Eigen::Index(k)).sum());
  for (std::size_t a = 0; a < k; ++a)
    value += *c[a] * (numbers[Eigen::Index(1 + a)] + numbers[Eigen::Index(1 + k + a)] * *c[a]);
  for (std::size_t a = 0; numbers.size() > numbers_of_width(k) && a < k; ++a)
    for (std::size_t b = a + 1; b < k; ++b)
      value += numbers[product(a, b, k)] * *c[a] * *c[b];
  return value;
}

/// Its slope along controller a.
inline Values slope_of(const Controllers& c, const Eigen::VectorXd& numbers, std::size_t a) {
  const std::size_t k = c.size();
  Values slope = numbers[Eigen::Index(1 + a)] + 2 * numbers[Eigen::Index(1 + k + a)] * *c[a];
  for (std::size_t b = 0; numbers.size() > numbers_of_width(k) && b < k; ++b)
    if (b != a)
      slope += numbers[product(std::min(a, b), std::max(a, b), k)] * *c[b];
  return slope;
}

/// Logarithm of the width, and 1 where it is not clipped.
struct Width {
  Values log, inside;
  Width(const Controllers& c, const Eigen::VectorXd& numbers, Eigen::Index rows) {
    const Values plain = quadratic(c, numbers, rows);
    log = plain.max(-widest).min(widest);
    inside = (plain == log).cast<double>();
  }
};

} // namespace starling::bending
