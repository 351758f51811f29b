// The drift of a sum of kernels, term by term.
#include <starling/cpu/sum_drift.hpp>

#include "cpu/swept_kernel.hpp"

#include <starling/cpu/coordinate_drift.hpp>
#include <starling/cpu/pairwise_drift.hpp>
#include <starling/drift/pairwise.hpp>

#include <algorithm>
#include <vector>

namespace starling::cpu {

template <typename Real, typename Domain>
SumDrift<Real, Domain>::SumDrift(kernel::RuntimeSum<Real> sum, Threads& threads, Domain domain)
    : sum_(std::move(sum)), threads_(&threads), domain_(domain) {
  if (Domain::periodic && sum_.has_product())
    reject("kernel", "a kernel of the distance on a torus", "one of the inner product");
  if (Domain::periodic && sum_.has_coordinates())
    reject("kernel", "a kernel of the distance on a torus", "one for each coordinate");
}

template <typename Real, typename Domain>
void SumDrift<Real, Domain>::operator()(Step, Ensemble<Real>& particles, const Batches& batches) {
  if (sum_.terms().empty())
    for (const std::uint32_t i : batches.order())
      std::ranges::fill(particles.drift()[i], Real(0));
  Part<Real> part;
  // Terms in vectors are swept together, as far as they follow each other.
  thread_local std::vector<SweptTerm<Real>> together;
  together.clear();
  const auto sweep_them = [&] {
    if (!together.empty())
      sweep_terms<Real>(together, particles, batches, *threads_);
    together.clear();
  };
  for (const kernel::Term<Real>& term : sum_.terms()) {
    part.weight = term.weight;
    std::visit(
        [&]<typename K>(const K& one) {
          if constexpr (Vectorised<K, Real> && !Domain::periodic) {
            together.push_back({swept<Real>(one), part});
            return;
          }
          sweep_them();
          if constexpr (CoordinateKernel<K, Real>) {
            if constexpr (!Domain::periodic)
              sweep_coordinates<Real, K>(
                  one, particles, batches,
                  precisions_(std::as_const(particles).position(), *threads_), *threads_, part);
          } else if constexpr (RadialKernel<K, Real> && (Domain::periodic || !Vectorised<K, Real>))
            PairwiseSweep<Real, K, Domain>(one, domain_, part)(particles, batches, *threads_);
        },
        term.kernel);
    part.added = true;
  }
  sweep_them();
}

template class SumDrift<double>;
template class SumDrift<float>;
template class SumDrift<double, Torus<double>>;
template class SumDrift<float, Torus<float>>;

} // namespace starling::cpu
