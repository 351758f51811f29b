// Few particles in very many dimensions: all threads on every batch, by blocks along the dimension.
#pragma once

#include "cpu/swept_kernel.hpp"

#include <starling/batches.hpp>
#include <starling/drift/part.hpp>
#include <starling/ensemble.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace starling::cpu {

/// Two passes over the columns of a batch: one reads positions and makes the distances, block by
/// block, whose parts are added in the order of the blocks; one reads positions and scores and
/// writes drifts. Between them stand the kernel's values, p^2 a batch. By differences throughout,
/// so that nothing cancels.
template <typename Real>
void wide_sweep(const SweptKernel<Real>& kernel, Ensemble<Real>& particles, const Batches& batches,
                Threads& threads, Part<Real> part) {
  const bool by_distance = radial(kernel.nature);
  const BlockWork<Real>& work = work_in_use<BlockWork<Real>>();
  const std::size_t dim = particles.dim(), count = batches.count();
  const std::size_t blocks = (dim + wide_columns - 1) / wide_columns;
  thread_local std::vector<Real> own_parts, own_arguments, own_matrices; // kept from step to step
  thread_local std::vector<std::size_t> own_first, own_matrix;
  std::vector<Real>&parts = own_parts, &arguments = own_arguments, &matrices = own_matrices;
  std::vector<std::size_t>&first = own_first,
  &matrix = own_matrix; // of each batch's pairs, of its weights
  first.assign(1, 0);
  matrix.assign(1, 0);
  for (std::size_t q = 0; q < count; ++q) {
    const std::size_t size = batches[q].size();
    first.push_back(first.back() + size * (size + 1) / 2);
    matrix.push_back(matrix.back() + 2 * size * size);
  }
  const std::size_t pairs = first.back();
  parts.resize(blocks * pairs);
  arguments.resize(3 * pairs);
  matrices.resize(matrix.back());

  const auto for_blocks = [&](auto&& run) {
    threads.for_pieces(count * blocks, 1, [&](std::size_t piece, std::size_t) {
      const std::size_t q = piece / blocks, block = piece % blocks, begin = block * wide_columns;
      run(q, block,
          WideBlock<Real>{
              std::as_const(particles).position().data + begin,
              std::as_const(particles).score().data + begin, particles.drift().data + begin, dim,
              std::min(dim, begin + wide_columns) - begin, batches[q].data(), batches[q].size()});
    });
  };
  for_blocks([&](std::size_t q, std::size_t block, const WideBlock<Real>& here) {
    Real* const to = parts.data() + block * pairs + first[q];
    by_distance ? work.distances(here, to) : work.products(here, to);
  });
  for (std::size_t n = 0; n < pairs; ++n) {
    double sum = 0; // of single numbers too: there are as many terms as dimensions
    for (std::size_t block = 0; block < blocks; ++block)
      sum += static_cast<double>(parts[block * pairs + n]);
    arguments[n] = static_cast<Real>(sum);
  }
  Real *weight = arguments.data() + pairs, *slope = weight + pairs;
  kernel.weights.of(kernel.kernel(), arguments.data(), weight, slope, pairs);
  for (std::size_t q = 0; q < count; ++q) {
    const std::size_t size = batches[q].size();
    const Real pair = static_cast<Real>(batches.pair_weight(size)) * part.weight;
    const Real self = static_cast<Real>(batches.self_weight()) * part.weight;
    Real *w = matrices.data() + matrix[q], *p = w + size * size;
    for (std::size_t i = 0, n = first[q]; i < size; ++i)
      for (std::size_t j = i; j < size; ++j, ++n) {
        const Real factor = i == j ? self : pair;
        w[i * size + j] = w[j * size + i] = factor * weight[n];
        p[i * size + j] = p[j * size + i] = factor * slope[n];
      }
  }
  for_blocks([&](std::size_t q, std::size_t, const WideBlock<Real>& here) {
    const Real *w = matrices.data() + matrix[q], *p = w + here.size * here.size;
    by_distance ? work.push(here, w, p, part.added) : work.lift(here, w, p, part.added);
  });
}

} // namespace starling::cpu
