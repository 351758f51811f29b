// The drift of stochastic SVGD: the mean over the batch, itself included, with the weight 1/p.
#pragma once

#include <starling/batches.hpp>
#include <starling/ensemble.hpp>
#include <starling/kernel/concepts.hpp>
#include <starling/threads.hpp>

#include <utility>

namespace starling {

/// Makes of another drift on the same kernel, whose weights are Lemma 1's,
///     Phi_i = F_ii/N + (N-1)/(N(p-1)) sum over j != i of F_ij,
/// the one that StochasticStep wants:
///     Psi_i = 1/p [ sum over j in C of F_ij + D_i ]
/// with every weight 1/p, on purpose. Alone it would collapse the cloud; together with the noise
/// N(0, 2 eta K_p/p) it is a Langevin step of the batch, K_p/p being its mobility, and Psi is then
/// K_p s/p plus the divergence of K_p/p: the repulsion of SVGD is that divergence, exactly. Only at
/// j = i there is a difference, D_i: the entry K(x_i, x_i) depends on x_i twice, F_ii knows one of
/// them. For K = f(r2) it is zero, for K = f(x.y) it is f'(x_i.x_i) x_i.
///
/// The sums over pairs are those of the other drift, however fast it is; here only the weights are
/// changed, at a cost of O(d) a particle. Not for singular kernels, which have no F_ii.
template <typename Real, typename Drift>
class BatchMeanDrift {
public:
  explicit BatchMeanDrift(Drift drift, Threads& threads = Threads::alone())
      : drift_(std::move(drift)), threads_(&threads) {}

  decltype(auto) kernel() { return drift_.kernel(); }

  template <HostParticles<Real> P>
  void operator()(Step k, P& particles, const Batches& batches) {
    drift_(k, particles, batches);
    const auto& kernel = drift_.kernel();
    const auto x = std::as_const(particles).position(), s = std::as_const(particles).score();
    const auto drift = particles.drift();
    const auto self = static_cast<Real>(batches.self_weight());
    const auto reweigh = [&](std::uint32_t i, Real size, Real pair) {
      Real square = 0;
      for (std::size_t a = 0; a < x.dim; ++a)
        square += x[i][a] * x[i][a];
      const PairWeights<Real> w = self_weights(kernel, square);
      for (std::size_t a = 0; a < x.dim; ++a) {
        const Real own = w.weight * s[i][a] + w.lift * x[i][a]; // F_ii
        const Real others = pair > 0 ? (drift[i][a] - self * own) / pair : Real(0);
        drift[i][a] = (others + own + w.lift * x[i][a]) / size;
      }
    };
    threads_->for_pieces(batches.count(), 1024, [&](std::size_t begin, std::size_t end) {
      for (std::size_t q = begin; q < end; ++q) {
        const auto members = batches[q];
        const auto pair = static_cast<Real>(batches.pair_weight(members.size()));
        for (const std::uint32_t i : members)
          reweigh(i, static_cast<Real>(members.size()), pair);
      }
    });
  }

private:
  Drift drift_;
  Threads* threads_;
};

} // namespace starling
