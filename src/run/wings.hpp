// The roles of a journey's flight: RBM-SVGD with a Gaussian kernel and a bilinear part, in a frame.
#pragma once

#include <starling/run/journey.hpp>

#include <starling/cpu/pairwise_drift.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/drift/adaptive.hpp>
#include <starling/drift/bilinear.hpp>
#include <starling/kernel/bandwidth.hpp>
#include <starling/rbm_svgd.hpp>

#include <algorithm>
#include <cmath>

namespace starling::run {

/// Batches of p; Gaussian with the median bandwidth of 2000 pairs, plus bilinear; plain steps, each
/// particle's move clipped.
struct Journey::Wings {
  Wings(const JourneySettings& settings, std::size_t dim, Threads& threads)
      : longest(settings.clip * std::sqrt(static_cast<double>(dim))),
        particles(settings.particles, dim),
        deal(settings.seed, BatchSize(settings.batch_size)),
        drift({Pairs(kernel::Gaussian<double>(1), threads),
               kernel::SampledMedianBandwidth<double>(settings.seed, 2000)},
              settings.bilinear, threads) {}

  /// Where the cloud goes in step k; the scores are those at the cloud.
  Frame::Matrix step(const exact::Walkers& cloud, const Frame& frame, Step k, double step_size) {
    Frame::map(particles.position()) = frame.in(cloud.position());
    const auto score = [&](Step, Ensemble<double>& all, const Batches&) {
      Frame::map(all.score()) = frame.score_in(rows_of(cloud.score));
    };
    const auto advance = [&](Step, Ensemble<double>& all, const Batches&, const auto& flow) {
      flow();
      for (std::size_t i = 0; i < all.count(); ++i) {
        double square = 0;
        for (const double phi : all.drift()[i])
          square += phi * phi;
        const double length = step_size * std::sqrt(square);
        const double eta = length > longest ? step_size * longest / length : step_size;
        for (std::size_t a = 0; a < all.dim(); ++a)
          all.position()[i][a] += eta * all.drift()[i][a];
      }
    };
    const auto observe = [](Step, const Ensemble<double>&, const Batches&) { return Signal::go_on; };
    rbm_svgd(particles, Span{k, k + 1}, deal, score, drift, advance, observe);
    return frame.out(Frame::map(Rows<const double>(particles.position())));
  }

private:
  using Pairs = cpu::PairwiseDrift<double, kernel::Gaussian<double>>;
  using Adaptive = AdaptiveDrift<double, Pairs, kernel::SampledMedianBandwidth<double>>;

  double longest;
  Ensemble<double> particles;
  Shuffle deal;
  WithBilinear<double, Adaptive> drift;
};

} // namespace starling::run
