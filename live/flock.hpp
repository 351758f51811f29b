// A flock of the live page: the library's own roles, chosen as the command line chooses them.
#pragma once

#include "targets.hpp"

#include <starling/advance/explicit_step.hpp>
#include <starling/deal/cosets.hpp>
#include <starling/deal/matching.hpp>
#include <starling/deal/moebius.hpp>
#include <starling/deal/shuffle.hpp>
#include <starling/deal/whole.hpp>
#include <starling/drift/adaptive.hpp>
#include <starling/drift/batch_mean.hpp>
#include <starling/drift/pairwise.hpp>
#include <starling/kernel/gaussian.hpp>
#include <starling/kernel/inverse_multiquadric.hpp>
#include <starling/kernel/matern.hpp>
#include <starling/random/start.hpp>
#include <starling/rbm_svgd.hpp>
#include <starling/target/lift.hpp>
#include <starling/target/score.hpp>

#include <cstdint>

namespace live {

using starling::Batches, starling::Ensemble, starling::Step;

struct Choice {
  std::uint64_t seed = 1;
  std::size_t particles = 256, batch = 8, dim = 1; ///< batch: all particles for SVGD
  int kernel = 0;                                  ///< gaussian, imq, matern52
  double bandwidth = 0;                            ///< 0: median:1000
  int rule = 0;                                    ///< adagrad, constant, adam
  double step_size = 0.1, start_mean = 0, start_sd = 1;
  bool batch_mean = false; ///< the weight 1/p: wrong, to be seen
};

/// From here on batches that are no cosets come from maps, as in the table of dealers.
constexpr std::size_t many = 4096;

class Flock {
public:
  Flock(const Choice& choice, const Shape& shape)
      : choice_(choice), shape_(shape), particles_(choice.particles, choice.dim) {
    starling::start_normal(particles_.position(), choice.seed, choice.start_mean, choice.start_sd);
    choose_dealer();
    choose_rule();
    switch (choice.kernel) {
    case 1:
      choose_drift(starling::kernel::InverseMultiquadric<double>(1));
      break;
    case 2:
      choose_drift(starling::kernel::Matern52<double>(1));
      break;
    default:
      choose_drift(starling::kernel::Gaussian<double>(1));
    }
  }

  Flock(const Flock&) = delete; // its roles know where it is
  Flock& operator=(const Flock&) = delete;

  Ensemble<double>& particles() { return particles_; }
  const Batches* batches() const { return batches_; }
  Step done() const { return done_; }
  double bandwidth() const { return bandwidth_; }
  /// Pairs, each particle with itself and its batch, so far.
  double pairs() const { return pairs_; }
  double pairs_a_step() const { return double(choice_.particles) * double(choice_.batch); }

  void take(Step steps) {
    auto target = starling::lift<double>(
        choice_.dim, [this](std::span<const double> x, std::span<double> score) {
          return shape_.everywhere(x, score);
        });
    const auto observe = [this](Step, const Ensemble<double>&, const Batches& batches) {
      batches_ = &batches;
      pairs_ += pairs_a_step();
      return starling::Signal::go_on;
    };
    done_ = starling::rbm_svgd(particles_, starling::Span{done_, done_ + steps}, deal_,
                               starling::Score<double, decltype(target)>(std::move(target)), drift_,
                               advance_, observe);
  }

private:
  template <typename D>
  void deal_by(D dealer) {
    deal_ = [dealer = std::move(dealer)](Step k,
                                         Ensemble<double>& particles) mutable -> const Batches& {
      return dealer(k, particles);
    };
  }
  void choose_dealer() {
    const std::size_t n = choice_.particles, p = choice_.batch;
    if (p >= n)
      deal_by(starling::Whole());
    else if (p == 2)
      deal_by(starling::Matching(choice_.seed));
    else if (starling::Cosets::fits(n, p))
      deal_by(starling::Cosets(choice_.seed, p));
    else if (n >= many)
      deal_by(starling::Moebius(choice_.seed, p));
    else
      deal_by(starling::Shuffle(choice_.seed, p));
  }

  template <typename Rule>
  void advance_by(Rule rule) {
    advance_ = [step = starling::ExplicitStep<double, Rule>(rule)](
                   Step k, Ensemble<double>& particles, const Batches& batches,
                   const std::function<void()>& flow) mutable {
      step(k, particles, batches, flow);
    };
  }
  void choose_rule() {
    switch (choice_.rule) {
    case 1:
      advance_by(starling::ConstantStep<double>(choice_.step_size));
      break;
    case 2:
      advance_by(starling::Adam<double>(choice_.step_size));
      break;
    default:
      advance_by(starling::FadingAdaGrad<double>(choice_.step_size));
    }
  }

  template <typename K>
  void choose_drift(K kernel) {
    starling::PairwiseDrift<double, K> pairwise(kernel);
    if (choice_.batch_mean)
      drift_by(starling::BatchMeanDrift<double, decltype(pairwise)>(pairwise));
    else
      drift_by(pairwise);
  }
  template <typename D>
  void drift_by(D drift) {
    auto rule = [this, median = starling::kernel::SampledMedianBandwidth<double>(
                           choice_.seed, 1000)](Step k, starling::Rows<const double> x) mutable {
      bandwidth_ = choice_.bandwidth > 0 ? choice_.bandwidth : median(k, x);
      return bandwidth_;
    };
    drift_ = [adaptive = starling::AdaptiveDrift<double, D, decltype(rule)>(drift, rule)](
                 Step k, Ensemble<double>& particles, const Batches& batches) mutable {
      adaptive(k, particles, batches);
    };
  }

  Choice choice_;
  Shape shape_;
  Ensemble<double> particles_;
  std::function<const Batches&(Step, Ensemble<double>&)> deal_;
  std::function<void(Step, Ensemble<double>&, const Batches&)> drift_;
  std::function<void(Step, Ensemble<double>&, const Batches&, const std::function<void()>&)>
      advance_;
  const Batches* batches_ = nullptr;
  Step done_ = 0;
  double pairs_ = 0, bandwidth_ = 0;
};

} // namespace live
