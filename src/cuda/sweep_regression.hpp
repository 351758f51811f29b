// Log likelihoods and scores of a generalised linear model in one sweep: a block takes some
// particles and a range of the rows, and brings these by in pieces. What the ranges add is joined
// afterwards, in their order.
#pragma once

#include "cuda/unroll.hpp"

#include <starling/device.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace starling::cuda {

/// As target/families.hpp has them.
enum class RegressionFamily : std::uint32_t { logistic, linear, poisson, multinomial };

template <typename Number>
struct RegressionWork {
  RegressionFamily family = RegressionFamily::logistic;
  std::uint32_t predictors = 1, extras = 0, features = 0; ///< extras: none or one
  std::uint32_t count = 0, dim = 0;                       ///< particles and their numbers
  const double* x = nullptr;
  const Number *table = nullptr, *responses = nullptr;
  const std::uint32_t* picked = nullptr; ///< the numbers of the rows; null: the first ones
  const double* weights = nullptr;       ///< of the picked rows
  std::uint32_t rows = 0, ranges = 1;
  double* log_density = nullptr; ///< ranges x count
  double* score = nullptr;       ///< ranges x count x dim; null: log likelihoods alone

  STARLING_DEVICE std::uint32_t weights_of_particle() const { return predictors * features; }
  STARLING_DEVICE std::uint32_t first_row(std::uint32_t range) const {
    return static_cast<std::uint32_t>(std::uint64_t{rows} * range / ranges);
  }
};

/// Log likelihood of a row. z, `stride` apart, become its slopes; `to_extra` is the slope along the
/// extra parameter.
STARLING_DEVICE inline double row_likelihood(RegressionFamily family, double* z,
                                             std::uint32_t stride, std::uint32_t predictors,
                                             double y, double extra, double& to_extra) {
  constexpr double highest = 600; // beyond it the density is as good as 0
  switch (family) {
  case RegressionFamily::logistic: {
    const double e = std::exp(-std::abs(z[0])), p = 1 / (1 + e);
    const double value = y * z[0] - (z[0] > 0 ? z[0] : 0) + std::log(p);
    z[0] = y - (z[0] >= 0 ? p : e * p);
    return value;
  }
  case RegressionFamily::linear: {
    const double most = -2 * extra < highest ? -2 * extra : highest, precision = std::exp(most);
    const double off = y - z[0], square = off * off * precision;
    z[0] = off * precision;
    to_extra = square - 1;
    return -extra - square / 2;
  }
  case RegressionFamily::poisson: {
    const double rate = std::exp(z[0] < highest ? z[0] : highest), value = y * z[0] - rate;
    z[0] = y - rate;
    return value;
  }
  case RegressionFamily::multinomial:
    break;
  }
  const auto label = static_cast<std::uint32_t>(y);
  double top = 0;
  for (std::uint32_t c = 0; c < predictors; ++c)
    top = z[c * stride] > top ? z[c * stride] : top;
  double total = std::exp(-top);
  for (std::uint32_t c = 0; c < predictors; ++c)
    total += std::exp(z[c * stride] - top);
  const double value = (label < predictors ? z[label * stride] : 0) - top - std::log(total);
  for (std::uint32_t c = 0; c < predictors; ++c)
    z[c * stride] = (c == label ? 1 : 0) - std::exp(z[c * stride] - top) / total;
  return value;
}

/// `particles` of them a block, a multiple of `together`: a thread makes the predictors, and then
/// the slopes, of so many particles at a time.
template <typename Number, std::uint32_t particles>
struct RegressionPart {
  static constexpr std::uint32_t together = particles < 4 ? particles : 4;

  RegressionWork<Number> work;
  std::uint32_t at_a_time = 1; ///< rows in a piece

  /// Of a row in a block's memory: odd, so that neighbours in a column lie in different banks.
  static STARLING_DEVICE std::uint32_t stride(std::uint32_t features) { return features | 1; }
  static std::size_t room(const RegressionWork<Number>& work, std::size_t rows) {
    const std::size_t weights = std::size_t{work.predictors} * work.features;
    return particles * (2 * weights + 2) +
           rows * (stride(work.features) + 2 + particles * (work.predictors + 2));
  }
  /// Rows in a piece, for which `most` numbers are room; 0: not one.
  static std::uint32_t rows_for(const RegressionWork<Number>& work, std::size_t most) {
    const std::size_t fixed = room(work, 0), each = room(work, 1) - fixed;
    return most <= fixed
               ? 0
               : static_cast<std::uint32_t>(std::min<std::size_t>(64, (most - fixed) / each));
  }

  template <typename Block>
  STARLING_DEVICE void operator()(const Block& block, double* shared, std::uint32_t index) const {
    const std::uint32_t tiles = (work.count + particles - 1) / particles, range = index / tiles,
                        first = index % tiles * particles, count = work.predictors,
                        features = work.features, wide = stride(features),
                        weights = work.weights_of_particle(),
                        here = work.count - first < particles ? work.count - first : particles;
    double* x = shared;                            // particles x weights
    double* g = x + particles * weights;           // particles x weights
    double* density = g + particles * weights;     // particles
    double* extra = density + particles;           // particles
    double* f = extra + particles;                 // rows x wide
    double* y = f + at_a_time * wide;              // rows
    double* row_weight = y + at_a_time;            // rows
    double* z = row_weight + at_a_time;            // particles x predictors x rows
    double* l = z + particles * count * at_a_time; // particles x rows
    double* e = l + particles * at_a_time;         // particles x rows
    block.each([&](std::uint32_t t) {
      for (std::uint32_t n = t; n < particles * weights; n += Block::threads) {
        const std::uint32_t i = n / weights, a = n % weights;
        x[n] = i < here ? work.x[std::size_t{first + i} * work.dim + a] : 0;
        g[n] = 0;
      }
      if (t < particles)
        density[t] = extra[t] = 0;
    });
    const std::uint32_t end = work.first_row(range + 1);
    for (std::uint32_t begin = work.first_row(range); begin < end; begin += at_a_time) {
      const std::uint32_t rows = end - begin < at_a_time ? end - begin : at_a_time;
      block.each([&](std::uint32_t t) {
        for (std::uint32_t n = t; n < rows * features; n += Block::threads)
          f[n / features * wide + n % features] =
              static_cast<double>(work.table[row(begin + n / features) * features + n % features]);
        for (std::uint32_t r = t; r < rows; r += Block::threads) {
          y[r] = static_cast<double>(work.responses[row(begin + r)]);
          row_weight[r] = work.weights ? work.weights[begin + r] : 1;
        }
      });
      block.each([&](std::uint32_t t) {
        for (std::uint32_t n = t; n < rows * count * (particles / together); n += Block::threads)
          predict(x, f + n % rows * wide, z, n % rows, n / rows % count,
                  n / (rows * count) * together);
      });
      block.each([&](std::uint32_t t) {
        for (std::uint32_t n = t; n < rows * here; n += Block::threads) {
          const std::uint32_t i = n / rows, r = n % rows;
          double* const slopes = z + i * count * at_a_time + r;
          const double own =
              work.extras ? work.x[std::size_t{first + i} * work.dim + weights] : 0.0;
          double to_extra = 0;
          const double value =
              row_likelihood(work.family, slopes, at_a_time, count, y[r], own, to_extra);
          for (std::uint32_t c = 0; c < count; ++c)
            slopes[c * at_a_time] *= row_weight[r];
          l[i * at_a_time + r] = row_weight[r] * value;
          e[i * at_a_time + r] = row_weight[r] * to_extra;
        }
      });
      block.each([&](std::uint32_t t) {
        if (work.score)
          for (std::uint32_t n = t; n < weights * (particles / together); n += Block::threads)
            slopes_of(f, z, g, rows, n % weights, n / weights * together);
        const std::uint32_t i = Block::threads - 1 - t; // those who have the least to do
        if (i < here)
          for (std::uint32_t r = 0; r < rows; ++r) {
            density[i] += l[i * at_a_time + r];
            extra[i] += e[i * at_a_time + r];
          }
      });
    }
    block.each([&](std::uint32_t t) {
      const std::size_t at = std::size_t{range} * work.count + first;
      if (t < here)
        work.log_density[at + t] = density[t];
      if (work.score)
        for (std::uint32_t n = t; n < here * work.dim; n += Block::threads) {
          const std::uint32_t i = n / work.dim, a = n % work.dim;
          work.score[at * work.dim + n] = a < weights                 ? g[i * weights + a]
                                          : a < weights + work.extras ? extra[i]
                                                                      : 0;
        }
    });
  }

private:
  STARLING_DEVICE std::size_t row(std::uint32_t n) const {
    return work.picked ? work.picked[n] : n;
  }
  /// Predictor c of a row, of particles from i on.
  STARLING_DEVICE void predict(const double* x, const double* f, double* z, std::uint32_t r,
                               std::uint32_t c, std::uint32_t i) const {
    const std::uint32_t weights = work.weights_of_particle();
    const double* w = x + i * weights + c * work.features;
    double sum[together] = {};
    for (std::uint32_t a = 0; a < work.features; ++a) {
      const double value = f[a];
      STARLING_UNROLL
      for (std::uint32_t k = 0; k < together; ++k)
        sum[k] += w[k * weights + a] * value;
    }
    STARLING_UNROLL
    for (std::uint32_t k = 0; k < together; ++k)
      z[((i + k) * work.predictors + c) * at_a_time + r] = sum[k];
  }
  /// Adds the slopes along weight n of particles from i on.
  STARLING_DEVICE void slopes_of(const double* f, const double* z, double* g, std::uint32_t rows,
                                 std::uint32_t n, std::uint32_t i) const {
    const std::uint32_t weights = work.weights_of_particle(), wide = stride(work.features),
                        c = n / work.features, a = n % work.features;
    double sum[together] = {};
    for (std::uint32_t r = 0; r < rows; ++r) {
      const double value = f[r * wide + a];
      STARLING_UNROLL
      for (std::uint32_t k = 0; k < together; ++k)
        sum[k] += z[((i + k) * work.predictors + c) * at_a_time + r] * value;
    }
    STARLING_UNROLL
    for (std::uint32_t k = 0; k < together; ++k)
      g[(i + k) * weights + n] += sum[k];
  }
};

/// The sum over ranges of `count` numbers, written into the first of them.
struct JoinRanges {
  double* numbers;
  std::size_t count;
  std::uint32_t ranges;

  STARLING_DEVICE void operator()(std::size_t n) const {
    double sum = 0;
    for (std::uint32_t q = 0; q < ranges; ++q)
      sum += numbers[q * count + n];
    numbers[n] = sum;
  }
};

/// False where a particle is too large for the memory of a block.
template <typename Number, typename Launcher>
bool sweep_regression(Launcher& launch, const RegressionWork<Number>& work,
                      std::size_t most_block_bytes) {
  const auto by = [&](auto particles) {
    using Part = RegressionPart<Number, particles()>;
    const std::uint32_t rows = Part::rows_for(work, most_block_bytes / sizeof(double));
    if (rows < (particles() > 1 ? 8 : 1))
      return false;
    const std::size_t tiles = (work.count + particles() - 1) / particles();
    launch.template blocks<double>(tiles * work.ranges, Part::room(work, rows), Part{work, rows});
    return true;
  };
  if (!by(std::integral_constant<std::uint32_t, 16>()) &&
      !by(std::integral_constant<std::uint32_t, 4>()) &&
      !by(std::integral_constant<std::uint32_t, 1>()))
    return false;
  launch.threads(work.count, JoinRanges{work.log_density, work.count, work.ranges});
  if (work.score) {
    const std::size_t numbers = std::size_t{work.count} * work.dim;
    launch.threads(numbers, JoinRanges{work.score, numbers, work.ranges});
  }
  return true;
}

} // namespace starling::cuda
