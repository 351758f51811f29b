// Initial particles, by address: the same seed gives particle i the same place whatever N is,
// wherever its row lies.
#pragma once

#include <starling/particles.hpp>
#include <starling/random/philox.hpp>
#include <starling/rows.hpp>
#include <starling/threads.hpp>

#include <string>
#include <type_traits>

namespace starling {

/// Says that row i is particle i.
struct IdIsRow {
  std::uint64_t operator[](std::size_t i) const { return i; }
};

/// Calls row(i) for every row, shared out.
template <typename C, typename Row>
void for_start_rows(const C& x, Threads& threads, Row&& row) {
  threads.for_pieces(x.count, 1 + 4096 / x.dim, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      row(i);
  });
}

/// Independent normals in every coordinate of a column. `id` says who a row is.
template <typename C, typename Id = IdIsRow>
void start_normal(const C& x, std::uint64_t seed, double mean, double sd, const Id& id = {},
                  Threads& threads = Threads::alone()) requires
    HostColumn<C, std::remove_cvref_t<decltype(x[0][0])>> {
  using Real = std::remove_cvref_t<decltype(x[0][0])>;
  if (!std::isfinite(mean) || !(sd >= 0) || !std::isfinite(sd))
    reject("start", "normal:MEAN,SD with finite numbers and SD at least 0",
           shown(mean) + "," + shown(sd));
  const Philox philox(seed);
  for_start_rows(x, threads, [&](std::size_t i) {
    for (std::size_t a = 0; a < x.dim; a += 2) { // two coordinates share a block
      const auto two = normal_pair(philox(Stream::start, a / 2, id[i]));
      x[i][a] = static_cast<Real>(mean + sd * two[0]);
      if (a + 1 < x.dim)
        x[i][a + 1] = static_cast<Real>(mean + sd * two[1]);
    }
  });
}

template <HostParticles P>
void start_normal(P& particles, std::uint64_t seed, double mean, double sd) {
  start_normal(particles.position(), seed, mean, sd, particles.id());
}

/// Uniform between low and high in every coordinate.
template <typename C, typename Id = IdIsRow>
void start_uniform(const C& x, std::uint64_t seed, double low, double high, const Id& id = {},
                   Threads& threads = Threads::alone()) requires
    HostColumn<C, std::remove_cvref_t<decltype(x[0][0])>> {
  using Real = std::remove_cvref_t<decltype(x[0][0])>;
  if (!std::isfinite(low) || !std::isfinite(high) || !(low < high))
    reject("start", "uniform:LOW,HIGH with LOW below HIGH", shown(low) + "," + shown(high));
  const Philox philox(seed);
  for_start_rows(x, threads, [&](std::size_t i) {
    for (std::size_t a = 0; a < x.dim; ++a)
      x[i][a] = static_cast<Real>(low + (high - low) * uniform(philox(Stream::start, a / 2, id[i]),
                                                               static_cast<int>(a % 2)));
  });
}
template <HostParticles P>
void start_uniform(P& particles, std::uint64_t seed, double low, double high) {
  start_uniform(particles.position(), seed, low, high, particles.id());
}

/// The paper's start for (w, log alpha): alpha from Gamma(1, scale 0.01), w from N(0, 1/alpha).
/// Mind the scale: started from Gamma(1, scale 100) the accuracy on Covertype stays 3 points lower.
template <typename C, typename Id = IdIsRow>
void start_from_prior(const C& x, std::uint64_t seed, double scale = 0.01,
                      const Id& id = {}) requires
    HostColumn<C, std::remove_cvref_t<decltype(x[0][0])>> {
  using Real = std::remove_cvref_t<decltype(x[0][0])>;
  const Philox philox(seed);
  const std::size_t weights = x.dim - 1;
  for (std::size_t i = 0; i < x.count; ++i) {
    const double alpha = -scale * std::log(uniform(philox(Stream::start, x.dim, id[i])));
    for (std::size_t a = 0; a < weights; ++a)
      x[i][a] = static_cast<Real>(normal_pair(philox(Stream::start, a / 2, id[i]))[a % 2] /
                                  std::sqrt(alpha));
    x[i][weights] = static_cast<Real>(std::log(alpha));
  }
}
template <HostParticles P>
void start_from_prior(P& particles, std::uint64_t seed, double scale = 0.01) {
  start_from_prior(particles.position(), seed, scale, particles.id());
}

} // namespace starling
