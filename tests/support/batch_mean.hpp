// A drift that is wrong on purpose, for negative controls: the mean over the batch, self included.
#pragma once

#include <starling/batches.hpp>
#include <starling/ensemble.hpp>

#include <algorithm>
#include <utility>

namespace starling::support {

/// Phi_i = (1/p) sum over j in C of F(x_i, x_j): weight 1/p for self and others alike. It looks
/// plausible and equals SVGD for p = N, but it collapses the cloud for p < N. `Drift` must go by
/// the members of a batch, as ReferenceDrift and ForceDrift do.
template <typename Drift>
class BatchMean {
public:
  explicit BatchMean(Drift drift) : drift_(std::move(drift)) {}

  template <typename Real>
  void operator()(Step k, Ensemble<Real>& particles, const Batches& batches) {
    for (std::size_t q = 0; q < batches.count(); ++q) {
      // A batch that takes itself for everyone has the weights 1/p and (p-1)/(p(p-1)).
      alone_.population = batches[q].size();
      std::ranges::copy(batches[q], alone_.lay_out(batches[q].size(), 1).begin());
      drift_(k, particles, alone_);
    }
  }

private:
  Drift drift_;
  Batches alone_;
};

} // namespace starling::support
