// A step of SVGD in a frame: the kernel of the settings and a bilinear part beside it.
#pragma once

#include <starling/cloud.hpp>
#include <starling/stages/settings.hpp>

#include <starling/cpu/coordinate_drift.hpp>
#include <starling/cpu/pairwise_drift.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/deal/whole.hpp>
#include <starling/drift/adaptive.hpp>
#include <starling/drift/bilinear.hpp>
#include <starling/drift/marginals.hpp>
#include <starling/kernel/bandwidth.hpp>
#include <starling/rbm_svgd.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>

namespace starling::stages {

/// Batches of p; plain steps, each particle's move clipped.
class SvgdStep {
public:
  SvgdStep(const SvgdStep&) = delete; // its drift points to it
  SvgdStep& operator=(const SvgdStep&) = delete;
  SvgdStep(const Settings& settings, std::size_t particles, std::size_t dim, Threads& threads)
      : longest_(settings.clip * std::sqrt(static_cast<double>(dim))),
        weight_(
            settings.kernel_weight.value_or(settings.kernel == FlightKernel::marginals ? 3 : 1)),
        threads_(threads), score_(particles, dim), drift_rows_(particles, dim),
        deal_(dealer(settings, particles)),
        drift_(beside(settings, threads), settings.bilinear, threads, true) {}

  /// Where the cloud goes in step k, into `to`; the scores are those at the cloud. All that a row
  /// needs to itself is done in pieces of many rows, on all threads.
  void step(const Cloud& cloud, const Frame& now, Step k, double step_size, Frame::Matrix& to) {
    frame_ = &now;
    to.resize(score_.rows(), score_.cols()); // the positions in the frame, until they are moved
    auto particles = Ensemble<double>::bare(
        std::size_t(to.rows()), std::size_t(to.cols()),
        {.position = to.data(), .score = score_.data(), .drift = drift_rows_.data()});
    const auto score = [&](Step, Ensemble<double>& all, const Batches&) {
      const Rows<double> in = all.position(), pulled = all.score();
      for_pieces([&](std::size_t begin, std::size_t end) {
        const Frame::Matrix y = now.inverse(cloud.position().slice(begin, end));
        Frame::map(in.slice(begin, end)) = y;
        Frame::map(pulled.slice(begin, end)) = now.pull(y, rows_of(cloud.score).slice(begin, end));
      });
    };
    const auto advance = [&](Step, Ensemble<double>& all, const Batches&, const auto& flow) {
      flow();
      const double most = drift_.norm() > 0 ? std::min(step_size, 1 / drift_.norm()) : step_size;
      const Rows<double> in = all.position(), drift = all.drift();
      for_pieces([&](std::size_t begin, std::size_t end) {
        Frame::Matrix y = Frame::map(in.slice(begin, end));
        for (std::size_t i = begin; i < end; ++i) {
          double square = 0;
          for (const double phi : drift[i])
            square += phi * phi;
          const double length = most * std::sqrt(square);
          const double eta = length > longest_ ? most * longest_ / length : most;
          for (std::size_t a = 0; a < all.dim(); ++a)
            y(Eigen::Index(i - begin), Eigen::Index(a)) += eta * drift[i][a];
        }
        Frame::map(in.slice(begin, end)) = now.forward(y);
      });
    };
    const auto observe = [](Step, const Ensemble<double>&, const Batches&) {
      return Signal::go_on;
    };
    rbm_svgd(particles, Span{k, k + 1}, deal_, score, drift_, advance, observe);
  }

  /// Room for a number of each particle and coordinate, between steps.
  Frame::Matrix& room() { return score_; }

private:
  static constexpr std::size_t rows_a_piece = 1024;
  template <typename Work>
  void for_pieces(Work&& work) {
    threads_.for_pieces(std::size_t(score_.rows()), rows_a_piece, work);
  }

  /// Who is exact over all particles needs no batches.
  using Deal = std::function<const Batches&(Step, const Ensemble<double>&)>;
  static Deal dealer(const Settings& settings, std::size_t particles) {
    if (settings.kernel == FlightKernel::none || settings.kernel == FlightKernel::marginals)
      return Whole();
    return Shuffle(settings.seed, BatchSize(std::min(settings.batch_size, particles)));
  }

  using Drift = std::function<void(Step, Ensemble<double>&, const Batches&)>;
  using Pairs = cpu::PairwiseDrift<double, kernel::Gaussian<double>>;
  using Parameters = cpu::CoordinateDrift<double, kernel::Parameters<double>>;
  /// Those who may write drifts where the positions lie.
  template <typename Single>
  static constexpr bool in_place = std::is_same_v<Single, MarginalDrift<double>>;

  /// What is beside the bilinear part.
  Drift beside(const Settings& settings, Threads& threads) {
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
      if (const Frame::Vector now = frame_->spreads().cwiseInverse();
          now.size() != inverse_spreads_.size() || now != inverse_spreads_) {
        inverse_spreads_ = now; // another frame
        damped_weight_ = weight_ / std::max(1.0, most_aligned() / most_along_one_direction);
      }
      const auto seen = [&](Rows<const double> rows) -> Frame::Matrix {
        return frame_->along_rows(Frame::map(rows)) * inverse_spreads_.asDiagonal();
      };
      along_score_.resize(score_.rows(), score_.cols());
      const Rows<double> drift = all.drift();
      Rows<double> position = drift;
      if constexpr (!in_place<Single>) {
        along_position_.resize(score_.rows(), score_.cols());
        position = rows_of(along_position_);
      }
      auto along = Ensemble<double>::bare(
          all.count(), all.dim(),
          {.position = position.data, .score = along_score_.data(), .drift = drift.data});
      for_pieces([&](std::size_t begin, std::size_t end) {
        const Ensemble<double>& here = all;
        Frame::map(position.slice(begin, end)) = seen(here.position().slice(begin, end));
        Frame::map(rows_of(along_score_).slice(begin, end)) = seen(here.score().slice(begin, end));
      });
      single(k, along, batches);
      for_pieces([&](std::size_t begin, std::size_t end) {
        const Rows<double> some = drift.slice(begin, end);
        const Frame::Matrix back =
            Frame::map(some) * (damped_weight_ * inverse_spreads_).asDiagonal();
        Frame::map(some) = frame_->pull(rows_of(back));
      });
    };
  }

  /// The largest eigenvalue of the parameters' correlations: how many of them pull along one
  /// direction.
  double most_aligned() const {
    constexpr int rounds = 12; // of the power method
    Frame::Matrix v = Frame::Matrix::Ones(1, inverse_spreads_.size());
    for (Eigen::Index a = 0; a < v.cols(); ++a)
      v(0, a) +=
          0.1 * std::sin(double(a)); // so that it is not orthogonal to the one that is looked for
    double largest = 1;
    for (int round = 0; round < rounds && v.cols() > most_along_one_direction;
         ++round) { // it is at most d
      const Frame::Matrix part = v * inverse_spreads_.asDiagonal();
      const Frame::Matrix next =
          frame_->along_rows(frame_->pull(rows_of(part))) * inverse_spreads_.asDiagonal();
      largest = next.norm() / v.norm();
      v = next / next.norm();
    }
    return largest;
  }
  static constexpr double most_along_one_direction =
      8; // above, steps would overshoot: the weight is lowered

  double longest_, weight_, damped_weight_ = 0;
  const Frame* frame_ = nullptr;  // of the step under way
  Frame::Vector inverse_spreads_; // of its spreads
  Threads& threads_;
  Frame::Matrix score_, drift_rows_;           // of the step under way, in the frame
  Frame::Matrix along_position_, along_score_; // the same along single parameters
  Deal deal_;
  WithBilinear<double, Drift> drift_;
};

} // namespace starling::stages
