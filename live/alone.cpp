// What the library compiles for threads and BLAS, for a page that has neither: one thread, and
// distances by the formula.
#include <starling/kernel/bandwidth.hpp>
#include <starling/threads.hpp>

namespace starling {

struct Threads::Crew {};

Threads::Threads(std::size_t) {}
Threads::~Threads() = default;
std::size_t Threads::count() const { return 1; }
void Threads::run(std::size_t pieces, const std::function<void(std::size_t)>& piece) {
  for (std::size_t q = 0; q < pieces; ++q)
    piece(q);
}
Threads& Threads::alone() {
  static Threads one(1);
  return one;
}

namespace kernel {

template <typename Real>
struct PairDistances<Real>::Room {};
template <typename Real>
PairDistances<Real>::PairDistances() = default;
template <typename Real>
PairDistances<Real>::PairDistances(const PairDistances&) {}
template <typename Real>
PairDistances<Real>& PairDistances<Real>::operator=(const PairDistances&) {
  return *this;
}
template <typename Real>
PairDistances<Real>::~PairDistances() = default;
template <typename Real>
std::span<Real> PairDistances<Real>::operator()(Rows<const Real> x) {
  squared_.clear();
  for (std::size_t i = 0; i < x.count; ++i)
    for (std::size_t j = 0; j < i; ++j)
      squared_.push_back(squared_distance<Real>(x, i, j));
  return squared_;
}
template class PairDistances<double>;

template <typename Real>
std::span<Real> LongDistances<Real>::operator()(Rows<const Real>) {
  return {};
} // 8192 dimensions: not here
template class LongDistances<double>;

} // namespace kernel
} // namespace starling
