// Mixture of normals, with any number of components in any dimension.
#pragma once

#include <starling/error.hpp>
#include <starling/target/forms.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace starling {

struct MixtureComponent {
  double weight; ///< need not sum to one over the components
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

/// log pi = log sum_c w_c N(x; m_c, C_c). For one particle; lift it to all. Shares are taken
/// relative to the largest component, so the score is finite wherever the position is, also where
/// every density underflows.
template <typename Real>
class Mixture {
public:
  explicit Mixture(const std::vector<MixtureComponent>& components) {
    if (components.empty())
      reject("mixture", "at least one component", "none");
    dim_ = static_cast<std::size_t>(components[0].mean.size());
    for (const MixtureComponent& c : components) {
      if (!(c.weight > 0) || !std::isfinite(c.weight))
        reject("mixture weight", "a positive finite number", shown(c.weight));
      if (c.mean.size() != Eigen::Index(dim_) || !c.mean.allFinite())
        reject("mixture mean", std::to_string(dim_) + " finite numbers",
               std::to_string(c.mean.size()) + " numbers");
      if (c.covariance.rows() != Eigen::Index(dim_) || c.covariance.cols() != Eigen::Index(dim_))
        reject("mixture covariance", std::to_string(dim_) + " x " + std::to_string(dim_),
               std::to_string(c.covariance.rows()) + " x " + std::to_string(c.covariance.cols()));
      const Eigen::LLT<Eigen::MatrixXd> cholesky(c.covariance);
      if (cholesky.info() != Eigen::Success || !c.covariance.allFinite() ||
          !c.covariance.isApprox(c.covariance.transpose(), 1e-12))
        reject("mixture covariance", "symmetric and positive definite", "one that is not");
      const double log_det = 2 * cholesky.matrixLLT().diagonal().array().log().sum();
      constants_.push_back(static_cast<Real>(std::log(c.weight) - log_det / 2));
      means_.insert(means_.end(), c.mean.begin(), c.mean.end());
      const Eigen::MatrixXd precision =
          cholesky.solve(Eigen::MatrixXd::Identity(c.mean.size(), c.mean.size()));
      for (Eigen::Index a = 0; a < precision.rows(); ++a)
        for (Eigen::Index b = 0; b < precision.cols(); ++b)
          precisions_.push_back(static_cast<Real>(precision(a, b)));
    }
  }

  /// The paper's target: 1/3 N(-2, 1) + 2/3 N(2, 1), equation (4.1).
  static Mixture paper() {
    const auto at = [](double m) { return Eigen::VectorXd::Constant(1, m); };
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(1, 1);
    std::vector<MixtureComponent> two;
    two.push_back({1.0 / 3, at(-2), one});
    two.push_back({2.0 / 3, at(2), one});
    return Mixture(two);
  }

  std::size_t dim() const { return dim_; }
  std::span<const Real> constants() const { return constants_; }   ///< log(w_c) - log|C_c|/2
  std::span<const Real> means() const { return means_; }           ///< components x d
  std::span<const Real> precisions() const { return precisions_; } ///< components x d x d

  Real operator()(std::span<const Real> x, std::span<Real> score) const {
    thread_local std::vector<Real> pull;
    pull.resize(dim_);
    const MixtureForm<Real> form{dim_, constants_.size(), constants_.data(), means_.data(),
                                 precisions_.data()};
    return form(x.data(), score.data(), pull.data());
  }

private:
  std::size_t dim_ = 0;
  std::vector<Real> constants_, means_, precisions_;
};

} // namespace starling
