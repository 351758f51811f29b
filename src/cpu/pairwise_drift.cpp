// The SIMD pair drift: chooses the layout that suits the batches, and shares it out among threads.
#include <starling/cpu/pairwise_drift.hpp>

#include "cpu/gemm_drift.hpp"
#include "cpu/panels.hpp"
#include "cpu/swept_kernel.hpp"
#include "cpu/wide_drift.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace starling::cpu {

namespace {

constexpr std::size_t pairs_a_piece = 8192; // long against taking a piece

template <typename Real>
void weigh(BatchWork<Real>& work, const Batches& batches, Part<Real> part) {
  work.pair = static_cast<Real>(batches.pair_weight(work.size)) * part.weight;
  work.self = static_cast<Real>(batches.self_weight()) * part.weight;
  work.added = part.added;
}

/// Batches [first, last), all of one size.
template <typename Real>
BatchWork<Real> work_of(Ensemble<Real>& particles, const Batches& batches, std::size_t first,
                        std::size_t last, Part<Real> part) {
  BatchWork<Real> work = {std::as_const(particles).position().data,
                          std::as_const(particles).score().data,
                          particles.drift().data,
                          particles.dim(),
                          batches.order().data() + batches.bounds()[first],
                          batches[first].size(),
                          last - first,
                          0,
                          0,
                          false,
                          nullptr};
  weigh(work, batches, part);
  return work;
}

/// Calls run(first, last) for pieces of batches of equal size, `together` of them or a multiple.
/// Sizes differ by at most one, the larger ones first.
template <typename Run>
void for_equal_batches(Threads& threads, const Batches& batches, std::size_t together, Run&& run) {
  const std::size_t count = batches.count(), largest = batches[0].size();
  const std::size_t grain = std::max<std::size_t>(1, pairs_a_piece / (largest * largest));
  const std::size_t whole = (grain + together - 1) / together * together;
  threads.for_pieces(count, whole, [&](std::size_t begin, std::size_t end) {
    std::size_t split = end;
    if (batches[end - 1].size() != batches[begin].size())
      for (split = begin; batches[split].size() == batches[begin].size();)
        ++split;
    run(begin, split);
    if (split < end)
      run(split, end);
  });
}

/// Small batches of a sum of kernels, or whose drifts are to be added: the last term is. Rows are
/// gathered, a thousand at a time, for all terms together; what these write as the rows then lie is
/// added up and put where it belongs.
template <typename Real>
void small_terms(std::span<const SweptTerm<Real>> terms, const BatchWork<Real>& all,
                 const Batches& batches) {
  thread_local std::vector<Real> column;
  thread_local std::vector<std::uint32_t> in_order;
  constexpr std::size_t rows_together = 1024; // of which four columns stay close at hand
  const std::size_t whole = 4 * terms[0].kernel.table->lanes;
  const std::size_t most = (rows_together / all.size + whole) / whole * whole;
  const std::size_t dim = all.dim, room = most * all.size * dim;
  column.resize(4 * room);
  if (in_order.size() < most * all.size) {
    in_order.resize(most * all.size);
    std::iota(in_order.begin(), in_order.end(), std::uint32_t{0});
  }
  Real *x = column.data(), *s = x + room, *sum = s + room, *own = sum + room;
  for (std::size_t first = 0; first < all.count; first += most) {
    BatchWork<Real> work = all;
    work.count = std::min(most, all.count - first);
    const std::uint32_t* order = all.order + first * all.size;
    const std::size_t rows = work.count * all.size;
    const auto each = [&](auto&& number) {
      for (std::size_t n = 0; dim == 1 && n < rows; ++n) // on the line without a loop in the loop
        number(n, order[n]);
      for (std::size_t n = 0; dim > 1 && n < rows; ++n)
        for (std::size_t a = 0; a < dim; ++a)
          number(n * dim + a, order[n] * dim + a);
    };
    each([&](std::size_t here, std::size_t there) {
      x[here] = all.x[there];
      s[here] = all.s[there];
    });
    if (terms[0].part.added)
      each([&](std::size_t here, std::size_t there) { sum[here] = all.phi[there]; });
    work.x = x;
    work.s = s;
    work.order = in_order.data();
    for (const SweptTerm<Real>& term : terms) {
      weigh(work, batches, term.part);
      work.phi = term.part.added ? own : sum;
      term.kernel.table->small(term.kernel.kernel(), work);
      if (term.part.added && &term != &terms.back())
        for (std::size_t n = 0; n < rows * dim; ++n)
          sum[n] += own[n];
    }
    each([&](std::size_t here, std::size_t there) { all.phi[there] = sum[here] + own[here]; });
  }
}

/// Whether there are enough batches that each fits a lane.
template <typename Real>
bool fills_lanes(const Ensemble<Real>& particles, const Batches& batches,
                 const PairTable<Real>& table) {
  const std::size_t largest = batches[0].size(), dim = particles.dim();
  const std::size_t vectors = largest <= one_vector_most ? 1 : 2;
  return fits_a_lane(largest, dim) && batches.count() >= vectors * table.lanes;
}

/// Every layout but that of small batches in lanes.
template <typename Real>
void sweep_one(const SweptKernel<Real>& kernel, Ensemble<Real>& particles, const Batches& batches,
               Threads& threads, Part<Real> part) {
  const std::size_t largest = batches[0].size(), dim = particles.dim();
  if (dim > small_dim && largest >= gemm_least_in(dim))
    return gemm_sweep(kernel, particles, batches, threads, part);
  if (dim >= wide_dim)
    return wide_sweep(kernel, particles, batches, threads, part);
  if (dim > small_dim)
    return for_equal_batches(threads, batches, 1, [&](std::size_t first, std::size_t last) {
      thread_local std::vector<Real> room;
      BatchWork<Real> work = work_of(particles, batches, first, last, part);
      if (work.size <= few)
        return kernel.wide_rows(kernel.weights, work);
      room.resize(wide_room(work.size, dim));
      work.room = room.data();
      kernel.wide_batches(kernel.weights, work);
    });
  const Real self = static_cast<Real>(batches.self_weight()) * part.weight;
  const auto pair_of = [&](std::size_t q) {
    return static_cast<Real>(batches.pair_weight(batches[q].size())) * part.weight;
  };
  if (largest < shared_panel) // many batches: each on one thread
    return threads.for_pieces(
        batches.count(), std::max<std::size_t>(1, pairs_a_piece / (largest * largest)),
        [&](std::size_t first, std::size_t last) {
          thread_local Panel<Real> panel;
          for (std::size_t q = first; q < last; ++q) {
            panel.gather(particles, batches[q]);
            kernel.table->triangle(kernel.kernel(), panel.work, 0, panel.work.size);
            panel.scatter(kernel, particles, batches[q], pair_of(q), self, part);
          }
        });
  thread_local Panel<Real> own; // the crew shares the caller's
  Panel<Real>& panel = own;
  for (std::size_t q = 0; q < batches.count(); ++q) {
    panel.gather(particles, batches[q], threads);
    large_batch(kernel, panel.work, threads);
    panel.scatter(kernel, particles, batches[q], pair_of(q), self, part, threads);
  }
}

} // namespace

template <typename Real>
void sweep_terms(std::span<const SweptTerm<Real>> terms, Ensemble<Real>& particles,
                 const Batches& batches, Threads& threads) {
  const PairTable<Real>& table = *terms[0].kernel.table;
  if (!fills_lanes(particles, batches, table)) {
    for (const SweptTerm<Real>& term : terms)
      sweep_one(term.kernel, particles, batches, threads, term.part);
    return;
  }
  for_equal_batches(threads, batches, 4 * table.lanes, [&](std::size_t first, std::size_t last) {
    const BatchWork<Real> work = work_of(particles, batches, first, last, terms[0].part);
    if (terms.size() > 1 || terms[0].part.added)
      small_terms(terms, work, batches);
    else
      table.small(terms[0].kernel.kernel(), work);
  });
}

template void sweep_terms(std::span<const SweptTerm<double>>, Ensemble<double>&, const Batches&,
                          Threads&);
template void sweep_terms(std::span<const SweptTerm<float>>, Ensemble<float>&, const Batches&,
                          Threads&);

template <typename Real, typename K>
void sweep(const K& kernel, Ensemble<Real>& particles, const Batches& batches, Threads& threads,
           Part<Real> part) {
  const SweptTerm<Real> term{swept<Real>(kernel), part};
  sweep_terms<Real>({&term, 1}, particles, batches, threads);
}

#define STARLING_SWEEP(K)                                                                          \
  template void sweep(const kernel::K<double>&, Ensemble<double>&, const Batches&, Threads&,       \
                      Part<double>);                                                               \
  template void sweep(const kernel::K<float>&, Ensemble<float>&, const Batches&, Threads&,         \
                      Part<float>);
STARLING_VECTOR_KERNELS(STARLING_SWEEP)
#undef STARLING_SWEEP

} // namespace starling::cpu
