// Stochastic SVGD in random batches: the drift of the batch mean and the noise that belongs to it.
#pragma once

#include <starling/advance/rules.hpp>
#include <starling/advance/semidefinite_root.hpp>
#include <starling/batches.hpp>
#include <starling/domain.hpp>
#include <starling/ensemble.hpp>
#include <starling/kernel/concepts.hpp>
#include <starling/random/philox.hpp>
#include <starling/threads.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace starling {

/// In a batch of p: X += eta Psi + N(0, 2 eta K_p/p) in each coordinate, K_p the p x p kernel
/// matrix. To be used with BatchMeanDrift on the same kernel: Psi has the weight 1/p, not Lemma
/// 1's.
///
/// This is an Euler step of dX = (1/p)(K_p s + div K_p) dt + sqrt(2 K_p/p) dW, which leaves pi^p as
/// it is; so do other batches in other steps, since the batches do not look at the particles. As
/// eta goes to 0 the N particles become N draws from pi, for every p, and batches add no bias: p
/// decides only how far a particle moves, which is about eta/p where the kernel is narrow. Any
/// dealer serves.
///
/// What is exact as eta goes to 0: a kernel that stays, smooth and without singular terms, also of
/// the inner product; the bilinear part about the mean of the cloud, over all N, for which the
/// dependence of that mean on each particle cancels against the self term. A bandwidth taken afresh
/// from the whole cloud leaves out its own divergence, which is of order 1/N: it must not be taken
/// from the batch, where that would be 1/p.
///
/// Noise is drawn by (seed, step, id of the particle), so it does not depend on rows or threads.
/// Cost beside the flow, for each particle: p kernel evaluations, p^2/3 flops, p d for the noise.
template <typename Real, Kernel<Real> K, typename Domain = Euclid<Real>>
class StochasticStep {
public:
  /// h from the step and all positions, the same as the drift's; empty: the kernel stays.
  using Bandwidth = std::function<Real(Step, Rows<const Real>)>;

  /// `rule` says eta; with power 0 it stays. `bilinear` is the weight of WithBilinear, or 0.
  StochasticStep(std::uint64_t seed, DecayingStep<Real> rule, K kernel,
                 Threads& threads = Threads::alone(), Domain domain = {}, Bandwidth bandwidth = {},
                 double bilinear = 0)
      : philox_(seed), rule_(rule), kernel_(std::move(kernel)), threads_(&threads), domain_(domain),
        bandwidth_(std::move(bandwidth)), bilinear_(bilinear) {}

  template <HostParticles<Real> P, typename Flow>
  void operator()(Step k, P& particles, const Batches& batches, Flow&& flow) {
    flow();
    if (bandwidth_)
      if constexpr (HasBandwidth<K, Real>)
        kernel_.set_bandwidth(
            bandwidth_(k, plain_rows<Real>(std::as_const(particles).position(), room_)));
    const double eta = static_cast<double>(rule_.at(batches.time, 0).eta);
    if (bilinear_ > 0)
      draw_bilinear(k, std::as_const(particles).position(), batches, eta);
    // Pieces are made of whole batches, so where they are cut changes nothing.
    const std::size_t grain = std::max<std::size_t>(1, (batches.count() + 63) / 64);
    desks_.resize(64);
    threads_->for_pieces(batches.count(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t q = begin; q < end; ++q)
        move(k, particles, batches[q], eta, desks_[begin / grain]);
    });
  }

private:
  // Room that a piece has to itself.
  struct Desk {
    std::vector<double> kernel, next, normals;
    SemidefiniteRoot root;
  };

  template <typename P>
  void move(Step k, P& particles, std::span<const std::uint32_t> members, double eta,
            Desk& desk) const {
    const auto x = particles.position();
    const std::size_t size = members.size(), dim = x.dim;
    desk.kernel.resize(size * size);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        desk.kernel[i * size + j] = entry(x[members[i]], x[members[j]], i == j);
    // Entries are right to the precision of Real, and so no pivot below that is worth anything.
    desk.root.take(desk.kernel, size,
                   static_cast<double>(size) *
                       static_cast<double>(std::numeric_limits<Real>::epsilon()));

    desk.next.resize(size * dim);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t a = 0; a < dim; ++a)
        desk.next[i * dim + a] = static_cast<double>(x[members[i]][a]) +
                                 eta * static_cast<double>(particles.drift()[members[i]][a]) +
                                 (bilinear_ > 0 ? bilinear_noise(x[members[i]], a) : 0);
    const double scale = std::sqrt(2 * eta / static_cast<double>(size));
    desk.normals.resize(dim + 1);
    for (std::size_t c = 0; c < desk.root.rank(); ++c) {
      const std::uint64_t blocks = (dim + 1) / 2;
      const std::uint64_t who = particles.id()[members[desk.root.pivot(c)]];
      draw(desk.normals, Stream::stochastic_batch, k, who * blocks, dim);
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t a = 0; a < dim; ++a)
          desk.next[i * dim + a] += scale * desk.root.at(i, c) * desk.normals[a];
    }
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t a = 0; a < dim; ++a)
        x[members[i]][a] = domain_.wrap(static_cast<Real>(desk.next[i * dim + a]));
      ++particles.moves()[members[i]];
    }
  }

  template <typename Row>
  double entry(const Row& x, const Row& y, bool self) const {
    Real r2 = 0, product = 0;
    for (std::size_t a = 0; a < x.size(); ++a) {
      const Real chord = domain_.chord(x[a] - y[a]);
      r2 += chord * chord;
      product += x[a] * y[a];
    }
    const PairWeights<Real> w =
        self ? self_weights(kernel_, product) : pair_weights(kernel_, r2, product);
    return static_cast<double>(w.weight);
  }

  // c (1 + (x_i - m).(x_j - m)) over n particles has the root sqrt(c) [1, x_i - m]: the same d + 1
  // rows of normals for everyone.
  template <typename C>
  void draw_bilinear(Step k, const C& x, const Batches& batches, double eta) {
    const std::size_t dim = x.dim, row = dim + 1; // a block more where dim is odd
    shared_.resize(row * row);
    mean_.assign(dim, 0.0);
    for (const std::uint32_t i : batches.order())
      for (std::size_t a = 0; a < dim; ++a)
        mean_[a] += static_cast<double>(x[i][a]);
    const auto count = static_cast<double>(batches.order().size());
    for (double& m : mean_)
      m /= count;
    for (std::size_t b = 0; b <= dim; ++b)
      draw(std::span(shared_).subspan(b * row, row), Stream::stochastic_bilinear, k,
           b * ((dim + 1) / 2), dim);
    const double scale = std::sqrt(2 * eta * bilinear_ / count);
    for (double& z : shared_)
      z *= scale;
  }
  template <typename Row>
  double bilinear_noise(const Row& x, std::size_t a) const {
    const std::size_t row = x.size() + 1;
    double sum = shared_[a];
    for (std::size_t b = 0; b < x.size(); ++b)
      sum += (static_cast<double>(x[b]) - mean_[b]) * shared_[(b + 1) * row + a];
    return sum;
  }

  // `count` normals, two to a block; there is room for one more.
  void draw(std::span<double> normals, Stream stream, Step k, std::uint64_t index,
            std::size_t count) const {
    for (std::size_t a = 0; a < count; a += 2) {
      const auto two = normal_pair(philox_(stream, k, index + a / 2));
      normals[a] = two[0];
      normals[a + 1] = two[1];
    }
  }

  Philox philox_;
  DecayingStep<Real> rule_;
  K kernel_;
  Threads* threads_;
  Domain domain_;
  Bandwidth bandwidth_;
  double bilinear_;
  std::vector<Desk> desks_;
  std::vector<double> shared_, mean_; // of the bilinear part
  Column<Real> room_;                 // for positions that do not lie row after row
};

} // namespace starling
