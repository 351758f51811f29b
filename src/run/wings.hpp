// The roles of a journey's flight: RBM-SVGD with a bilinear part and another beside it, in a frame.
#pragma once

#include <starling/run/journey.hpp>

#include <starling/cpu/coordinate_drift.hpp>
#include <starling/cpu/pairwise_drift.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/drift/adaptive.hpp>
#include <starling/drift/bilinear.hpp>
#include <starling/drift/marginals.hpp>
#include <starling/kernel/bandwidth.hpp>
#include <starling/rbm_svgd.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

namespace starling::run {

/// Batches of p; plain steps, each particle's move clipped.
struct Journey::Wings {
  Wings(const JourneySettings& settings, std::size_t dim, Threads& threads)
      : longest(settings.clip * std::sqrt(static_cast<double>(dim))),
        weight(settings.kernel_weight.value_or(settings.kernel == FlightKernel::marginals ? 3 : 1)),
        particles(settings.particles, dim), along(settings.particles, dim),
        deal(settings.seed, BatchSize(settings.batch_size)),
        drift(beside(settings, threads), settings.bilinear, threads) {}

  /// Where the cloud goes in step k; the scores are those at the cloud.
  Frame::Matrix step(const exact::Walkers& cloud, const Frame& now, Step k, double step_size) {
    frame = &now;
    Frame::map(particles.position()) = now.in(cloud.position());
    const auto score = [&](Step, Ensemble<double>& all, const Batches&) {
      Frame::map(all.score()) = now.score_in(rows_of(cloud.score));
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
    const auto observe = [](Step, const Ensemble<double>&, const Batches&) {
      return Signal::go_on;
    };
    rbm_svgd(particles, Span{k, k + 1}, deal, score, drift, advance, observe);
    return now.out(Frame::map(Rows<const double>(particles.position())));
  }

private:
  using Drift = std::function<void(Step, Ensemble<double>&, const Batches&)>;
  using Pairs = cpu::PairwiseDrift<double, kernel::Gaussian<double>>;
  using Parameters = cpu::CoordinateDrift<double, kernel::Parameters<double>>;

  /// What is beside the bilinear part.
  Drift beside(const JourneySettings& settings, Threads& threads) {
    switch (settings.kernel) {
    case FlightKernel::none:
      break;
    case FlightKernel::gaussian: // with the median bandwidth of 2000 pairs
      return AdaptiveDrift<double, Pairs, kernel::SampledMedianBandwidth<double>>(
          Pairs(kernel::Gaussian<double>(1), threads),
          kernel::SampledMedianBandwidth<double>(settings.seed, 2000));
    case FlightKernel::parameters:
      return along_parameters(
          Parameters(kernel::Parameters<double>(settings.kernel_width), threads));
    case FlightKernel::marginals:
      return along_parameters(MarginalDrift<double>(settings.kernel_width, threads));
    }
    return [](Step, Ensemble<double>& all, const Batches&) {
      std::fill(all.drift().begin(), all.drift().end(), 0.0);
    };
  }

  /// The drift of single parameters, along the user's and not along those of the frame. The
  /// direction of parameter a is u_a = row a of L over its length l_a, so that
  ///     z_a = u_a.y = (L y)_a / l_a,   t_a = u_a.s = (L s)_a / l_a,   sum over a of g_a u_a = L^T
  ///     (g / l)
  template <typename Single>
  Drift along_parameters(Single single) {
    return [this, single](Step k, Ensemble<double>& all, const Batches& batches) mutable {
      if (const Frame::Vector now = frame->spreads().cwiseInverse();
          now.size() != inverse.size() || now != inverse) {
        inverse = now; // another frame
        held = weight / std::max(1.0, crowding() / most_crowded);
      }
      const auto seen = [&](Rows<const double> rows) -> Frame::Matrix {
        return frame->along_rows(Frame::map(rows)) * inverse.asDiagonal();
      };
      Frame::map(along.position()) = seen(all.position());
      Frame::map(along.score()) = seen(all.score());
      single(k, along, batches);
      const Frame::Matrix back = Frame::map(along.drift()) * (held * inverse).asDiagonal();
      Frame::map(all.drift()) = frame->score_in(rows_of(back));
    };
  }

  /// The largest eigenvalue of the parameters' correlations: how many of them pull along one
  /// direction.
  double crowding() const {
    constexpr int rounds = 12; // of the power method
    Frame::Matrix v = Frame::Matrix::Ones(1, inverse.size());
    for (Eigen::Index a = 0; a < v.cols(); ++a)
      v(0, a) += 0.1 * std::sin(double(a)); // lies along no direction that has a reason
    double largest = 1;
    for (int round = 0; round < rounds && v.cols() > most_crowded; ++round) { // it is at most d
      const Frame::Matrix part = v * inverse.asDiagonal();
      const Frame::Matrix next =
          frame->along_rows(frame->score_in(rows_of(part))) * inverse.asDiagonal();
      largest = next.norm() / v.norm();
      v = next / next.norm();
    }
    return largest;
  }
  static constexpr double most_crowded = 8; // above, steps would overshoot: the weight is lowered

  double longest, weight, held = 0;
  const Frame* frame = nullptr; // of the step under way
  Frame::Vector inverse;        // of its spreads
  Ensemble<double> particles, along;
  Shuffle deal;
  WithBilinear<double, Drift> drift;
};

} // namespace starling::run
