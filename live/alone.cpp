// What the library compiles for threads, BLAS, vectors and files, for a page that has none of them:
// one thread, distances and drifts by the formula, no checkpoints.
#include "run/state.hpp"

#include <starling/cpu/coordinate_drift.hpp>
#include <starling/cpu/pairwise_drift.hpp>
#include <starling/drift/reference.hpp>
#include <starling/kernel/bandwidth.hpp>
#include <starling/threads.hpp>

#include <stdexcept>

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

namespace cpu {

template <typename Real, typename K>
void sweep(const K& kernel, Ensemble<Real>& particles, const Batches& batches, Threads&,
           Part<Real>) {
  ReferenceDrift<Real, K>{kernel}(0, particles, batches);
}
template void sweep(const kernel::Gaussian<double>&, Ensemble<double>&, const Batches&, Threads&,
                    Part<double>);

template <typename Real, typename K>
void sweep_coordinates(const K& kernel, Ensemble<Real>& particles, const Batches& batches,
                       std::span<const Real>, Threads&, Part<Real>) {
  ReferenceDrift<Real, K>{kernel}(0, particles, batches);
}
template void sweep_coordinates(const kernel::Parameters<double>&, Ensemble<double>&,
                                const Batches&, std::span<const double>, Threads&, Part<double>);

} // namespace cpu

namespace run {

Checkpoint with_head(const Head&) { throw std::logic_error("a page keeps no checkpoints"); }
void write_checkpoint(const std::filesystem::path&, const Checkpoint&) {
  throw std::logic_error("a page writes no files");
}

} // namespace run
} // namespace starling
