// A foreign model as a target of any number type: what it knows is double.
#pragma once

#include <starling/error.hpp>
#include <starling/rows.hpp>

#include <algorithm>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace starling::foreign {

/// Model has dim() and evaluate(step, x, score, log_density) over rows of doubles. Other numbers
/// are copied there and back.
template <typename Real, typename Model>
class InDouble {
public:
  explicit InDouble(std::shared_ptr<Model> model) : model_(std::move(model)) {}

  std::size_t dim() const { return model_->dim(); }

  void operator()(Step k, Rows<const Real> x, Rows<Real> score) {
    density_.resize(x.count); // asked for by the model, wanted by nobody
    call(k, x, score, density_);
  }
  void evaluate(Rows<const Real> x, Rows<Real> score, std::span<Real> log_density) {
    density_.resize(x.count);
    call(0, x, score, density_);
    std::ranges::transform(density_, log_density.begin(), as_real);
  }

private:
  static Real as_real(double value) { return static_cast<Real>(value); }

  void call(Step k, Rows<const Real> x, Rows<Real> score, std::span<double> density) {
    if constexpr (std::is_same_v<Real, double>) {
      model_->evaluate(k, x, score, density);
    } else {
      position_.assign(x.begin(), x.end());
      score_.resize(score.size());
      const Rows<double> s{score_.data(), x.count, x.dim};
      model_->evaluate(k, {position_.data(), x.count, x.dim}, s, density);
      std::transform(s.begin(), s.end(), score.begin(), as_real);
    }
  }

  std::shared_ptr<Model> model_;
  Column<double> position_, score_, density_;
};

} // namespace starling::foreign
