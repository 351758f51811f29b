// A bend: coordinates in which funnels and bananas are straight.
#pragma once

#include <starling/rows.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <optional>
#include <vector>

namespace starling {

/// Some parameters, the controllers, tell where others, the dependents, lie and how wide they are.
/// With z = (x - centre) / scale, a dependent i of controllers c is
///     z_i = mu_i(c) + exp(u_i(c)) t_i
/// and everybody else is z_i = t_i. mu and u are quadratic in the controllers' z, each of which is
/// bounded outside the cloud. A controller may be a dependent itself, of others: chains, no rings.
class Bend {
public:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Vector = Eigen::VectorXd;

  /// With k controllers c: the mean has 1 + 2 k + k (k - 1) / 2 numbers, of 1, c_a, c_a^2 - 1 and
  /// of products c_a c_b, a < b; the logarithm of the width 1 + 2 k, of 1, c_a, c_a^2 - 1.
  struct Dependent {
    std::size_t parameter = 0;
    std::vector<std::size_t> controllers;
    Vector mean, log_width;

    template <typename Self, typename Visit>
    static void for_each_field(Self& self, Visit&& visit) {
      visit("parameter", self.parameter);
      visit("controllers", self.controllers);
      visit("mean", self.mean);
      visit("log_width", self.log_width);
    }
  };

  Bend() = default;
  /// A controller that is a dependent comes before those that it controls.
  Bend(Vector centre, Vector scale, std::vector<Dependent> dependents);

  std::size_t dim() const { return std::size_t(centre_.size()); }
  /// Who is controlled, and by whom.
  const std::vector<Dependent>& dependents() const { return dependents_; }

  /// Rows of t on their way to x: what is computed once for all that is asked of one place.
  struct Way {
    Eigen::MatrixXd t, z;
    std::vector<Eigen::ArrayXd> seen, slope; ///< of each controller: bounded, and the slope of that
  };
  Way way(const Matrix& t) const;

  /// Rows of t to rows of x, and back.
  Matrix forward(const Way& way) const;
  Matrix forward(const Matrix& t) const { return forward(way(t)); }
  Matrix inverse(Rows<const double> x) const;
  /// Rows of scores in x at forward(t) to scores of the density in t: with the slope of the log
  /// determinant.
  Matrix pull(const Way& way, Rows<const double> score) const;
  Matrix pull(const Matrix& t, Rows<const double> score) const { return pull(way(t), score); }
  /// log |dx/dt| at each row.
  Vector log_determinant(const Way& way) const;
  Vector log_determinant(const Matrix& t) const { return log_determinant(way(t)); }

  template <typename Self, typename Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("centre", self.centre_);
    visit("scale", self.scale_);
    visit("dependents", self.dependents_);
  }
  /// Throws where dependents and controllers do not fit each other.
  void restored() const;

private:
  Vector centre_, scale_;
  std::vector<Dependent> dependents_; // those who control come first
};

/// The bend that a cloud and its scores suggest, if any makes the density clearly more like a
/// normal. `asked`: any that helps, and not only one that helps much. `before`: one whose
/// controllers are tried first.
std::optional<Bend> fit_bend(Rows<const double> x, Rows<const double> score, bool asked = false,
                             const Bend* before = nullptr);

} // namespace starling
