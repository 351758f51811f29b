// What the library compiles for threads, BLAS, vectors and files, for a page that has none of them:
// one thread, distances, drifts and products by the formula, no checkpoints.
#define STARLING_SCALAR
#define STARLING_LEVEL scalar
#include "cpu/bend_work_inl.hpp"
#include "cpu/row_products.hpp"
#include "run/state.hpp"

#include <starling/cpu/coordinate_drift.hpp>
#include <starling/cpu/pairwise_drift.hpp>
#include <starling/drift/reference.hpp>
#include <starling/kernel/bandwidth.hpp>
#include <starling/threads.hpp>

#include <algorithm>
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

const BendWork& bend_work_in_use() { return scalar::bend_work; }

template <typename Real>
void add_product(std::size_t rows, std::size_t columns, std::size_t inner, Real alpha,
                 const Real* a, const Real* b, Real beta, Real* c) {
  for (std::size_t i = 0; i < rows; ++i) {
    Real* const to = c + i * columns;
    for (std::size_t j = 0; j < columns; ++j)
      to[j] = beta == 0 ? Real(0) : beta * to[j];
    for (std::size_t m = 0; m < inner; ++m)
      for (std::size_t j = 0; j < columns; ++j)
        to[j] += alpha * a[i * inner + m] * b[m * columns + j];
  }
}
template <typename Real>
void product_turned(std::size_t rows, std::size_t columns, std::size_t inner, const Real* a,
                    const Real* b, Real* c) {
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      Real sum = 0;
      for (std::size_t m = 0; m < inner; ++m)
        sum += a[i * inner + m] * b[j * inner + m];
      c[i * columns + j] = sum;
    }
}
template <typename Real>
void turned_product(std::size_t rows, std::size_t columns, std::size_t inner, const Real* a,
                    const Real* b, Real* c) {
  std::fill_n(c, rows * columns, Real(0));
  for (std::size_t m = 0; m < inner; ++m)
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        c[i * columns + j] += a[m * rows + i] * b[m * columns + j];
}
#define STARLING_FOR(Real)                                                                         \
  template void add_product(std::size_t, std::size_t, std::size_t, Real, const Real*, const Real*, \
                            Real, Real*);                                                          \
  template void product_turned(std::size_t, std::size_t, std::size_t, const Real*, const Real*,    \
                               Real*);                                                             \
  template void turned_product(std::size_t, std::size_t, std::size_t, const Real*, const Real*,    \
                               Real*);
STARLING_FOR(double)
STARLING_FOR(float)
#undef STARLING_FOR

} // namespace cpu

namespace run {

Checkpoint with_head(const Head&) { throw std::logic_error("a page keeps no checkpoints"); }
void write_checkpoint(const std::filesystem::path&, const Checkpoint&) {
  throw std::logic_error("a page writes no files");
}

} // namespace run
} // namespace starling
