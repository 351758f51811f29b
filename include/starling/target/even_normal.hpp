// Normal distribution whose coordinates are all alike: one variance, one correlation between any
// two.
#pragma once

#include <starling/target/concepts.hpp>
#include <starling/target/forms.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace starling {

/// Covariance v ((1 - rho) I + rho 1 1^T), positive definite for -1/(d-1) < rho < 1. Its inverse is
/// known, so nothing of d x d numbers is ever made, as it is for Normal:
///     P = (1 / (v (1 - rho))) (I - c 1 1^T),    c = rho / (1 + (d - 1) rho)
///     score = -P (x - m),    log pi = -(1/2) (x - m)^T P (x - m)
/// Cost: d for each particle.
template <typename Real>
class EvenNormal {
public:
  EvenNormal(std::vector<double> mean, double variance, double correlation,
             Threads& threads = Threads::alone())
      : mean_(mean.begin(), mean.end()), threads_(&threads) {
    const auto d = static_cast<double>(mean.size());
    if (mean.empty())
      reject("dim", "at least 1", "0");
    for (const double m : mean)
      if (!std::isfinite(m))
        reject("mean", "finite", "one that is not");
    if (!(variance > 0) || !std::isfinite(variance))
      reject("variance", "a positive finite number", shown(variance));
    const double spread = 1 + (d - 1) * correlation; // eigenvalue of 1, over v; the others: 1 - rho
    if (!(correlation < 1) || !(spread > 0))
      reject("correlation",
             mean.size() == 1 ? "a number below 1"
                              : "above " + shown(-1 / (d - 1)) + " and below 1 in " +
                                    std::to_string(mean.size()) + " dimensions",
             shown(correlation));
    const double inverse_sd = 1 / std::sqrt(variance * (1 - correlation));
    form_.precision = static_cast<Real>(inverse_sd * inverse_sd); // as a Cholesky factor gives it
    form_.share = static_cast<Real>(correlation / spread);
    all_alike_ =
        form_.share == 0 && std::ranges::all_of(mean_, [&](Real m) { return m == mean_[0]; });
  }
  /// Mean zero and variance one.
  explicit EvenNormal(std::size_t dim, double correlation = 0, Threads& threads = Threads::alone())
      : EvenNormal(std::vector<double>(dim), 1, correlation, threads) {}

  std::size_t dim() const { return mean_.size(); }
  const EvenNormalForm<Real>& form() const { return form_; }
  std::span<const Real> mean() const { return mean_; }

  void operator()(Step, Rows<const Real> x, Rows<Real> score) {
    threads_->for_pieces(x.count, rows_together(x.dim), [&](std::size_t begin, std::size_t end) {
      if (all_alike_) { // number by number, whosever they are
        const Real *from = x.data + begin * x.dim, mean = mean_[0];
        Real* const to = score.data + begin * x.dim;
        const EvenNormalForm<Real> form = form_;
        for (std::size_t n = 0; n < (end - begin) * x.dim; ++n)
          to[n] = form.pull(mean, from[n]);
        return;
      }
      for (std::size_t i = begin; i < end; ++i) {
        const Real* at = x[i].data();
        Real *to = score[i].data(), total = 0;
        for (std::size_t a = 0; a < x.dim; ++a) {
          to[a] = form_.pull(mean_[a], at[a]);
          total += to[a];
        }
        if (form_.share != 0)
          for (std::size_t a = 0; a < x.dim; ++a)
            to[a] = form_.shared(to[a], total);
      }
    });
  }

  void evaluate(Rows<const Real> x, Rows<Real> score, std::span<Real> log_density) {
    (*this)(0, x, score);
    threads_->for_pieces(x.count, rows_together(x.dim), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        log_density[i] = 0;
        for (std::size_t a = 0; a < x.dim; ++a)
          log_density[i] += (x[i][a] - mean_[a]) * score[i][a] / 2;
      }
    });
  }

private:
  /// A piece of so many is long against taking it.
  static std::size_t rows_together(std::size_t dim) {
    return std::max<std::size_t>(256, 32768 / dim);
  }

  std::vector<Real> mean_;
  Threads* threads_;
  EvenNormalForm<Real> form_;
  bool all_alike_ = false; // one mean, and no correlation
};

} // namespace starling
