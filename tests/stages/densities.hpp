// Densities, settings and clouds for tests of stages.
#pragma once

#include <starling/random/philox.hpp>
#include <starling/stages/journey.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>

namespace starling::stage_tests {

using stages::Group;
using stages::Settings;

template <typename One>
DensityOfRows each(One one) {
  return [one](Rows<const double> x, Rows<double> s, std::span<double> l) {
    for (std::size_t i = 0; i < x.count; ++i)
      l[i] = one(x[i], s[i]);
  };
}

// Normals of mean 100 a and sd 10^a: nothing of which U(-2, 2) knows.
inline double scales(std::span<const double> x, std::span<double> s) {
  double l = 0;
  for (std::size_t a = 0; a < x.size(); ++a) {
    const double sd = std::pow(10.0, double(a)), z = (x[a] - 100 * double(a)) / sd;
    s[a] = -z / sd;
    l -= .5 * z * z;
  }
  return l;
}

inline double standard(std::span<const double> x, std::span<double> s) {
  double l = 0;
  for (std::size_t a = 0; a < x.size(); ++a) {
    s[a] = -x[a];
    l -= .5 * x[a] * x[a];
  }
  return l;
}

// Neal's funnel: x_0 is normal with sd 3, the others have the variance exp(x_0).
inline double funnel(std::span<const double> x, std::span<double> s) {
  const double others = double(x.size()) - 1;
  double square = 0;
  for (std::size_t a = 1; a < x.size(); ++a) {
    square += x[a] * x[a];
    s[a] = -x[a] * std::exp(-x[0]);
  }
  s[0] = -x[0] / 9 + .5 * (square * std::exp(-x[0]) - others);
  return -x[0] * x[0] / 18 - .5 * (square * std::exp(-x[0]) + others * x[0]);
}

inline double two_modes(std::span<const double> x, std::span<double> s) {
  const double a = -.5 * (x[0] - 10) * (x[0] - 10), b = -.5 * (x[0] + 10) * (x[0] + 10);
  const double top = std::max(a, b), pa = std::exp(a - top), pb = std::exp(b - top);
  s[0] = (-pa * (x[0] - 10) - pb * (x[0] + 10)) / (pa + pb);
  return top + std::log(pa + pb);
}

/// Two arms, each 10 by .1: climbs end in the middle, and moves that are as long as one arm do not
/// enter the other.
inline double cross(std::span<const double> x, std::span<double> s) {
  const double a = -.5 * (x[0] * x[0] / 100 + x[1] * x[1] * 100),
               b = -.5 * (x[0] * x[0] * 100 + x[1] * x[1] / 100);
  const double top = std::max(a, b), pa = std::exp(a - top), pb = std::exp(b - top);
  s[0] = -x[0] * (pa / 100 + pb * 100) / (pa + pb);
  s[1] = -x[1] * (pa * 100 + pb / 100) / (pa + pb);
  return top + std::log(pa + pb);
}

inline Settings small(std::size_t particles = 128) {
  Settings settings;
  settings.particles = particles;
  settings.seed = 3;
  return settings;
}

inline void to_the_end(Group& group) {
  while (!group.finished())
    group.take(1);
}

inline std::string saved(const Group& group) {
  SaveFields to;
  group.save(to);
  return to.bytes;
}

inline void restore(Group& group, const std::string& state) {
  RestoreFields from(state);
  group.restore(from);
}

/// To the end, saved and restored after each unit of this stage, and how often that was.
struct CutJourney {
  std::unique_ptr<stages::Journey> journey;
  int cuts = 0;
};

inline CutJourney cut_in(const std::string& stage, const stages::JourneyDensity& density,
                         const Settings& settings) {
  const auto make = [&] { return std::make_unique<stages::Journey>(density, settings); };
  CutJourney cut{make()};
  while (!cut.journey->finished()) {
    cut.journey->take(1);
    if (cut.journey->stage() != stage)
      continue;
    const std::string state = cut.journey->save();
    cut.journey = make();
    cut.journey->restore(state);
    ++cut.cuts;
  }
  return cut;
}

inline Frame::Matrix normals(std::size_t n, std::size_t d, double width) {
  Frame::Matrix x = Frame::Matrix::Zero(Eigen::Index(n), Eigen::Index(d));
  const Philox philox(8);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t a = 0; a < d; ++a)
      x(Eigen::Index(i), Eigen::Index(a)) = width * normal_pair(philox(Stream::user, a, i))[0];
  return x;
}

} // namespace starling::stage_tests
