// The score of a mixture on the line, at the SIMD level in use.
#include <starling/cpu/mixture.hpp>

#include "cpu/levels.hpp"

namespace starling::cpu {

template <typename Real>
void mixture_score(const starling::Mixture<Real>& mixture, std::span<const Real> x,
                   std::span<Real> score) {
  work_in_use<MixtureWork<Real>>().score({x.data(), score.data(), x.size(),
                                          mixture.constants().data(), mixture.means().data(),
                                          mixture.precisions().data(), mixture.constants().size()});
}

template void mixture_score(const starling::Mixture<double>&, std::span<const double>,
                            std::span<double>);
template void mixture_score(const starling::Mixture<float>&, std::span<const float>,
                            std::span<float>);

} // namespace starling::cpu
