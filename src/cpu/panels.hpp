// One batch in few dimensions, coordinate by coordinate: laid out, and where it is large shared out
// among threads.
#pragma once

#include "cpu/swept_kernel.hpp"
#include "cpu/tournament.hpp"

#include <starling/drift/part.hpp>
#include <starling/ensemble.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <atomic>
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
        const PairWeights<Real> w = kernel.at_home(product);
        for (std::size_t a = 0; a < work.dim; ++a) {
          const std::size_t at = a * work.stride + i;
          part.put(particles.drift()[members[i]][a],
                   pair * work.sum[at] + self * (w.weight * work.s[at] + w.lift * work.x[at]));
        }
      }
    });
  }
};

/// Matches of blocks, each played in parts at the same time: a part is some columns, panel_columns
/// of them, as one who plays alone takes them. Each part's sums lie aside, and the last to finish
/// adds them in the order of the parts: the same additions as of one who plays alone, so the same
/// bits.
template <typename Real>
class MatchesInParts {
public:
  static constexpr std::size_t parts = panel_block / panel_columns;
  static_assert(panel_block % panel_columns == 0);

  MatchesInParts(const PanelWork<Real>& panel, std::size_t blocks) : panel_(panel), room_(own()) {
    room_.aside.assign(parts * panel.dim * panel.stride, Real(0));
    room_.played.assign(blocks, 0);
  }

  /// `work` is the panel, with scratch of this thread's own.
  void play(const SweptKernel<Real>& kernel, PanelWork<Real> work, std::size_t a, std::size_t b,
            std::size_t part) {
    work.sum = aside(part);
    if (begin_of(b, part) < end_of(b, part))
      kernel.table->rectangle(kernel.kernel(), work, a * panel_block, end_of(a), begin_of(b, part),
                              end_of(b, part));
    std::atomic_ref<std::uint32_t> played(
        room_.played[a]); // a block is in one match of a round only
    if (played.fetch_add(1, std::memory_order_acq_rel) + 1 < parts)
      return;
    played.store(0, std::memory_order_relaxed);
    for (std::size_t n = 0; n < parts; ++n) {
      add(aside(n), a * panel_block, end_of(a));
      add(aside(n), begin_of(b, n), end_of(b, n));
    }
  }

private:
  struct Room {
    std::vector<Real> aside; // sums of each part
    std::vector<std::uint32_t> played;
  };
  static Room& own() { // the crew shares the caller's
    thread_local Room room;
    return room;
  }

  Real* aside(std::size_t part) const {
    return room_.aside.data() + part * panel_.dim * panel_.stride;
  }
  std::size_t end_of(std::size_t b) const { return std::min(panel_.size, (b + 1) * panel_block); }
  std::size_t begin_of(std::size_t b, std::size_t part) const {
    return b * panel_block + part * panel_columns;
  }
  std::size_t end_of(std::size_t b, std::size_t part) const {
    return std::min(end_of(b), begin_of(b, part + 1));
  }

  /// Adds rows of a part to the panel's, and leaves zeros.
  void add(Real* from, std::size_t begin, std::size_t end) const {
    for (std::size_t a = 0; a < panel_.dim; ++a)
      for (std::size_t i = a * panel_.stride + begin; i < a * panel_.stride + end; ++i) {
        panel_.sum[i] += from[i];
        from[i] = 0;
      }
  }

  PanelWork<Real> panel_;
  Room& room_;
};

/// A batch of many, in blocks that meet in the rounds of a tournament. Matches are played in parts
/// where a round has too few of them for so many threads, which changes no number.
template <typename Real>
void large_batch(const SweptKernel<Real>& kernel, const PanelWork<Real>& panel, Threads& threads) {
  const std::size_t size = panel.size, blocks = (size + panel_block - 1) / panel_block;
  const auto end_of = [&](std::size_t b) { return std::min(size, (b + 1) * panel_block); };
  const auto with_scratch = [&] {
    thread_local std::vector<Real> scratch;
    scratch.resize(panel_columns * small_dim * widest);
    PanelWork<Real> work = panel;
    work.scratch = scratch.data();
    return work;
  };
  const auto alone = [&](std::size_t b) {
    kernel.table->triangle(kernel.kernel(), with_scratch(), b * panel_block, end_of(b));
  };
  if (threads.count() == 1 || blocks / 2 >= matches_a_thread * threads.count())
    return tournament(threads, blocks, alone, [&](std::size_t a, std::size_t b) {
      kernel.table->rectangle(kernel.kernel(), with_scratch(), a * panel_block, end_of(a),
                              b * panel_block, end_of(b));
    });
  MatchesInParts<Real> matches(panel, blocks);
  tournament_in_parts(threads, blocks, MatchesInParts<Real>::parts, alone,
                      [&](std::size_t a, std::size_t b, std::size_t part) {
                        matches.play(kernel, with_scratch(), a, b, part);
                      });
}

} // namespace starling::cpu
