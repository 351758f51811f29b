// Runs of section 4.1 of the paper, for all experiments on the mixture: one run, and errors over
// many.
#pragma once

#include "experiment.hpp"

#include <starling/batches.hpp>
#include <starling/ensemble.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace starling::reproduce {

/// Gaussian kernel, fading AdaGrad, start N(-10, 1): what all of section 4.1 shares is fixed.
struct MixtureSetting {
  std::size_t population = 256;
  double bandwidth = 0.35; ///< 0: med^2 / (2 log N), afresh at each step
  double step_size = 0.2;
};
Json to_json(const MixtureSetting& setting);

using MixtureDealer = std::function<const Batches&(Step, Ensemble<double>&)>;

/// Batches of p without replacement; one batch of all when p = N.
MixtureDealer mixture_dealer(std::uint64_t seed, std::size_t p, std::size_t population);

/// Called with the number of steps done, from 0 (the start) on, and the positions.
using MixtureLook = std::function<void(Step done, std::span<const double> x)>;

/// One run: the seed decides where particles start, whatever the dealer does.
void run_mixture(const MixtureSetting& setting, std::uint64_t seed, const MixtureDealer& deal,
                 Step steps, const MixtureLook& look);

/// Of x, x^2 and cos 2x.
using Figures = std::array<double, 3>;
inline const std::vector<std::string> mixture_functions = {"x", "x^2", "cos 2x"};
/// 2/3, 5, cos(4)/e^2.
Figures mixture_truth();
/// (mean over the particles - truth)^2 of each function.
Figures squared_errors(std::span<const double> x);

/// A mean over starts with its standard error.
struct Mean {
  double value = 0, error = 0;
};
Mean mean_of(std::span<const double> values);

/// Squared errors of every start, [start][function].
using Squares = std::vector<Figures>;
/// The mean squared error of function f.
Mean mse(const Squares& squares, std::size_t f);
/// mse of a minus mse of b, where start r is the same in both: what they share cancels.
Mean paired_difference(const Squares& a, const Squares& b, std::size_t f);
/// {"mse": [3], "error": [3]}.
Json mse_json(const Squares& squares);

/// Squared errors after so many steps of starts 1, 2, ..., side by side on all threads.
Squares mixture_errors(Threads& threads, std::size_t starts, const MixtureSetting& setting,
                       Step steps, const std::function<MixtureDealer(std::uint64_t seed)>& dealer);

} // namespace starling::reproduce
