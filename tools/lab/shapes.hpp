// Shapes whose truth is known: log density with its gradient, means and sds, and exact draws.
#pragma once

#include <starling/random/philox.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace starling::tool {

/// Random numbers of one draw, one after another: by the address (seed, draw, how many before).
class Dice {
public:
  Dice(std::uint64_t seed, std::uint64_t draw) : philox_(seed), draw_(draw) {}
  double uniform() { return starling::uniform(philox_(Stream::user, draw_, next_++)); }
  double normal() { return normal_pair(philox_(Stream::user, draw_, next_++))[0]; }

private:
  Philox philox_;
  std::uint64_t draw_, next_ = 0;
};

/// One number: its law.
struct Law {
  double mean = 0, sd = 1;
  std::function<double(double x, double& slope)> log; ///< of the density, which has the mass 1
  std::function<double(Dice&)> draw;
  bool heavy = false; ///< its sd is no figure to judge a cloud by: there may be no fourth moment
};

struct Shape {
  using In = std::span<const double>;
  using Out = std::span<double>;

  std::string name;
  std::vector<double> mean, sd; ///< not finite: there is none
  std::vector<bool> heavy;      ///< by column, as of a law
  /// The logarithm, up to a constant (of parts of mixtures without one); writes the gradient.
  std::function<double(In x, Out score)> density;
  std::function<void(Dice&, Out x)> draw; ///< empty: improper, and no cloud is right
  bool one_mode = true;
  std::shared_ptr<const Shape> less = {}; ///< the same without one of its parts, if it has several

  std::size_t dim() const { return mean.size(); }
  bool proper() const { return bool(draw); }
};

/// count x dim numbers, exact.
std::vector<double> draws_of(const Shape& shape, std::size_t count, std::uint64_t seed);

// Laws, in shape_laws.cpp.
Law normal_law(double mean, double sd);
Law student_law(unsigned freedom);
/// The logarithm of a Gamma number of this whole shape: skewed to the left.
Law log_gamma_law(unsigned shape);
/// Any log density on low .. high, by sums over a fine grid; nothing is beyond them where `hard`.
Law grid_law(const std::function<double(double x, double& slope)>& log, double low, double high,
             bool hard = false);

// Shapes from laws and from other shapes, in shape_parts.cpp.
Shape independent(std::string name, std::vector<Law> laws);
/// x = A z + b of a shape whose coordinates are uncorrelated; A by rows.
Shape mapped(std::string name, const Shape& of, const std::vector<double>& a,
             const std::vector<double>& b);
Shape mixture_of(std::string name, std::vector<double> weights, std::vector<Shape> parts);
/// x_1 ~ N(0, width^2), x_2 ~ N(-bend (x_1^2 - width^2), 1), the others N(0, 1).
Shape bent(std::string name, std::size_t dim, double bend, double width);
/// v ~ N(0, width^2), the others N(0, e^v).
Shape funnel_of(std::string name, std::size_t dim, double width);
/// v the logarithm of a half-normal number, the others N(0, e^2v).
Shape half_normal_funnel(std::size_t dim);
Shape student_of(std::string name, std::size_t dim, unsigned freedom);
/// exp(log(r)) of the distance r from 0, which has hardly any mass beyond low .. high.
Shape radial(std::string name, std::size_t dim,
             const std::function<double(double r, double& slope)>& log, double low, double high);

/// All of them, in an order that does not change; those that `bench shapes` takes have these names.
std::vector<Shape> all_shapes();
inline constexpr std::array few_shapes = {
    "normal, d = 20", "Student t5, d = 10", "banana .5, d = 2", "banana .03, d = 10",
    "funnel, d = 10", "two modes, d = 2",   "four modes, d = 2"};
/// Every other shape is seen; settings are not chosen by what is held back.
inline bool is_seen(std::size_t number) { return number % 2 == 0; }

} // namespace starling::tool
