// The mixture of normals on the line as a target in vector instructions.
#pragma once

#include <starling/target/lift.hpp>
#include <starling/target/mixture.hpp>

namespace starling::cpu {

/// The score of n positions on the line.
template <typename Real>
void mixture_score(const starling::Mixture<Real>& mixture, std::span<const Real> x,
                   std::span<Real> score);

/// The same target as a lifted starling::Mixture of dimension 1, up to rounding.
template <typename Real>
class MixtureOnTheLine {
public:
  explicit MixtureOnTheLine(starling::Mixture<Real> mixture, Threads& threads = Threads::alone())
      : mixture_(std::move(mixture)), threads_(&threads) {
    if (mixture_.dim() != 1)
      reject("mixture dimension", "1", std::to_string(mixture_.dim()));
  }

  std::size_t dim() const { return 1; }

  void operator()(Step, Rows<const Real> x, Rows<Real> score) {
    threads_->for_pieces(x.count, 8192, [&](std::size_t begin, std::size_t end) {
      mixture_score<Real>(mixture_, {x.data + begin, end - begin},
                          {score.data + begin, end - begin});
    });
  }
  void evaluate(Rows<const Real> x, Rows<Real> score, std::span<Real> log_density) {
    Lift<Real, starling::Mixture<Real>>(1, mixture_, *threads_).evaluate(x, score, log_density);
  }

private:
  starling::Mixture<Real> mixture_;
  Threads* threads_;
};

} // namespace starling::cpu
