// Mixtures of round normals, for tests of groups.
#pragma once

#include <starling/density.hpp>
#include <starling/frame.hpp>
#include <starling/random/philox.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace blobs {

using namespace starling;

struct Blob {
  std::vector<double> mean;
  double sd = 1, weight = 1;
};

/// Log density and score of the mixture; weights need not sum to one.
inline DensityOfRows density(std::vector<Blob> blobs) {
  return [blobs](Rows<const double> x, Rows<double> score, std::span<double> log_density) {
    std::vector<double> part(blobs.size());
    for (std::size_t i = 0; i < x.count; ++i) {
      for (std::size_t k = 0; k < blobs.size(); ++k) {
        double sum = 0;
        for (std::size_t a = 0; a < x.dim; ++a)
          sum += std::pow((x[i][a] - blobs[k].mean[a]) / blobs[k].sd, 2);
        part[k] = std::log(blobs[k].weight) - double(x.dim) * std::log(blobs[k].sd) - .5 * sum;
      }
      const double top = *std::ranges::max_element(part);
      double total = 0;
      for (double& p : part)
        total += p = std::exp(p - top);
      log_density[i] = top + std::log(total);
      for (std::size_t a = 0; a < x.dim; ++a) {
        score[i][a] = 0;
        for (std::size_t k = 0; k < blobs.size(); ++k)
          score[i][a] -=
              part[k] / total * (x[i][a] - blobs[k].mean[a]) / (blobs[k].sd * blobs[k].sd);
      }
    }
  };
}

/// `count` exact draws, as many of each as its weight says.
inline Frame::Matrix draws(const std::vector<Blob>& blobs, std::size_t count, std::uint64_t seed) {
  double total = 0;
  for (const Blob& one : blobs)
    total += one.weight;
  const std::size_t d = blobs[0].mean.size();
  const auto wide = Eigen::Index(d), rows = Eigen::Index(count);
  Frame::Matrix x(rows, wide);
  const Philox philox(seed);
  for (std::size_t i = 0; i < count; ++i) {
    double u = total * (double(i) + .5) / double(count);
    std::size_t k = 0;
    while (k + 1 < blobs.size() && u > blobs[k].weight)
      u -= blobs[k++].weight;
    for (std::size_t a = 0; a < d; ++a)
      x(Eigen::Index(i), Eigen::Index(a)) =
          blobs[k].mean[a] + blobs[k].sd * normal_pair(philox(Stream::user, a, i))[0];
  }
  return x;
}

/// At the corners of a square of that half side, weights .1 .2 .3 .4.
inline std::vector<Blob> four(double half) {
  return {{{-half, -half}, 1, .1},
          {{-half, half}, 1, .2},
          {{half, -half}, 1, .3},
          {{half, half}, 1, .4}};
}

} // namespace blobs
