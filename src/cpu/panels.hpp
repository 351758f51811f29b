// One batch in few dimensions, coordinate by coordinate: laid out, and where it is large shared out
// among threads.
#pragma once

#include "cpu/swept_kernel.hpp"
#include "cpu/tournament.hpp"

#include <starling/drift/part.hpp>
#include <starling/ensemble.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace starling::cpu {

/// One batch coordinate by coordinate, in memory that a thread keeps from step to step.
template <typename Real>
struct Panel {
  static constexpr std::size_t rows_a_piece = 1024;

  std::vector<Real> numbers, scratch;
  PanelWork<Real> work{};

  void gather(const Ensemble<Real>& particles, std::span<const std::uint32_t> members,
              Threads& threads = Threads::alone()) {
    const std::size_t dim = particles.dim(), size = members.size();
    const std::size_t stride = (size + widest - 1) / widest * widest + widest;
    numbers.assign(3 * dim * stride, Real(0));
    scratch.resize(panel_columns * dim * widest);
    Real *x = numbers.data(), *s = x + dim * stride;
    threads.for_pieces(size, rows_a_piece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Real* from = particles.position()[members[i]].data();
        const Real* score = particles.score()[members[i]].data();
        for (std::size_t a = 0; a < dim; ++a) {
          x[a * stride + i] = from[a];
          s[a * stride + i] = score[a];
        }
      }
    });
    work = {x, s, s + dim * stride, dim, stride, size, scratch.data()};
  }

  /// phi_i = pair * sum_i + self * F(x_i, x_i)
  void scatter(const SweptKernel<Real>& kernel, Ensemble<Real>& particles,
               std::span<const std::uint32_t> members, Real pair, Real self, Part<Real> part,
               Threads& threads = Threads::alone()) const {
    threads.for_pieces(members.size(), rows_a_piece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        Real product = 0;
        for (std::size_t a = 0; a < work.dim; ++a)
          product += work.x[a * work.stride + i] * work.x[a * work.stride + i];
        const PairWeights<Real> w = kernel.self_weights(product);
        for (std::size_t a = 0; a < work.dim; ++a) {
          const std::size_t at = a * work.stride + i;
          part.put(particles.drift()[members[i]][a],
                   pair * work.sum[at] + self * (w.weight * work.s[at] + w.lift * work.x[at]));
        }
      }
    });
  }
};

/// A batch of many, in blocks that meet in the rounds of a tournament.
template <typename Real>
void large_batch(const SweptKernel<Real>& kernel, const PanelWork<Real>& panel, Threads& threads) {
  const Tournament tournament{(panel.size + panel_block - 1) / panel_block, panel_matches};
  const std::size_t whole = panel.dim * panel.stride;
  thread_local std::vector<Real> own; // sums of each slot; the crew shares the caller's
  std::vector<Real>& aside = own;
  aside.resize(tournament.rounds_at_once(threads) * whole);
  const auto end_of = [&](std::size_t b) { return std::min(panel.size, (b + 1) * panel_block); };
  const auto each_of = [&](std::size_t b, auto&& number) {
    for (std::size_t a = 0; a < panel.dim; ++a)
      for (std::size_t i = a * panel.stride + b * panel_block; i < a * panel.stride + end_of(b);
           ++i)
        number(i);
  };
  const auto with_scratch = [&](Real* sum) {
    thread_local std::vector<Real> scratch;
    scratch.resize(panel_columns * small_dim * widest);
    PanelWork<Real> work = panel;
    work.sum = sum;
    work.scratch = scratch.data();
    return work;
  };
  const auto clear = [&](std::size_t b, std::size_t slot) {
    each_of(b, [&](std::size_t i) { aside[slot * whole + i] = 0; });
  };
  tournament.run(
      threads,
      [&](std::size_t b) {
        kernel.table->triangle(kernel.kernel(), with_scratch(panel.sum), b * panel_block,
                               end_of(b));
      },
      clear,
      [&](std::size_t a, std::size_t b, std::size_t slot) {
        clear(a, slot);
        clear(b, slot);
        kernel.table->rectangle(kernel.kernel(), with_scratch(aside.data() + slot * whole),
                                a * panel_block, end_of(a), b * panel_block, end_of(b));
      },
      [&](std::size_t b, std::size_t slots) {
        for (std::size_t slot = 0; slot < slots; ++slot)
          each_of(b, [&](std::size_t i) { panel.sum[i] += aside[slot * whole + i]; });
      });
}

} // namespace starling::cpu
