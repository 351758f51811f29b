// bench full and scale: the full drift, large clouds.
#include "bench.hpp"

#include <starling/cpu/level.hpp>
#include <starling/drift/reference.hpp>
#include <starling/random/start.hpp>
#include <starling/target/even_normal.hpp>

#include <Eigen/Core>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <malloc.h>

#include <fstream>

namespace starling::tool {

namespace {

using Json = nlohmann::ordered_json;
using Gauss = kernel::Gaussian<double>;

Ensemble<double> cloud(std::size_t n, std::size_t dim) {
  Ensemble<double> particles(n, dim);
  start_normal(particles.position(), 1, 0, 1);
  start_normal(particles.score(), 2, 0, 1);
  return particles;
}

/// The whole drift as three matrix products, with N x N matrices: what one writes in Eigen.
void drift_in_eigen(Ensemble<double>& e, double h) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = Eigen::Index(e.count()), d = Eigen::Index(e.dim());
  const Eigen::Map<const Matrix> x(e.position().data, n, d), s(e.score().data, n, d);
  Eigen::Map<Matrix> phi(e.drift().data, n, d);
  const Eigen::VectorXd square = x.rowwise().squaredNorm();
  Matrix k = -2.0 * x * x.transpose();
  k.colwise() += square;
  k.rowwise() += square.transpose();
  k = (k.array() * (-0.5 / h)).exp();
  const Eigen::VectorXd sums = k.rowwise().sum();
  phi.noalias() = k * s;
  phi.noalias() -= (1 / h) * (k * x);
  phi += (x.array().colwise() * (sums.array() / h)).matrix();
  phi /= static_cast<double>(n);
}

} // namespace

double resident(const char* field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field))
      return 1024 * std::stod(line.substr(line.find(':') + 1));
  return 0;
}

double forget_peak() {
  malloc_trim(
      0); // else what an earlier size gave back serves this one, and its memory reads as none
  std::ofstream("/proc/self/clear_refs") << "5";
  return resident("VmRSS");
}

Json bench_full(const BenchScope& scope) {
  Json j = Json::array();
  for (const std::size_t dim : {std::size_t{1}, std::size_t{56}}) {
    const std::size_t n = scope.quick ? 64 : dim == 1 ? 1024 : 512;
    Ensemble<double> particles = cloud(n, dim);
    Whole deal;
    const Batches& batches = deal(0, particles);
    const Gauss kernel(static_cast<double>(dim));
    ReferenceDrift<double, Gauss> slow(kernel);
    cpu::PairwiseDrift<double, Gauss> fast(kernel);
    std::vector<double> slow_s, fast_s, eigen_s, ratio, against_eigen;
    for (std::size_t r = 0; r < scope.repeats; ++r) { // turn about
      slow_s.push_back(median_seconds(1, [&] { slow(0, particles, batches); }));
      fast_s.push_back(median_seconds(1,
                                      [&] {
                                        for (int i = 0; i < 4; ++i)
                                          fast(0, particles, batches);
                                      }) /
                       4);
      eigen_s.push_back(median_seconds(1, [&] { drift_in_eigen(particles, double(dim)); }));
      ratio.push_back(slow_s.back() / fast_s.back());
      against_eigen.push_back(eigen_s.back() / fast_s.back());
    }
    const double pairs = static_cast<double>(n) * static_cast<double>(n), ns = 1e9 / pairs;
    fmt::print("full: N = {}, d = {}, {}: {:.2f} ns per ordered pair; slow twin {:.2f} ({:.1f}x), "
               "Eigen's products {:.2f} ({:.1f}x)\n",
               n, dim, cpu::level(), ns * median(fast_s), ns * median(slow_s), median(ratio),
               ns * median(eigen_s), median(against_eigen));
    j.push_back({{"particles", n},
                 {"dim", dim},
                 {"level", cpu::level()},
                 {"ns", ns * median(fast_s)},
                 {"ns_slow_twin", ns * median(slow_s)},
                 {"faster_than_slow_twin", median(ratio)},
                 {"ns_eigen", ns * median(eigen_s)},
                 {"faster_than_eigen", median(against_eigen)}});
  }
  fmt::print("\n");
  return j;
}

Json bench_scale(const BenchScope& scope) {
  Json j;
  fmt::print("scale: d = 2, p = 2, one thread\n{:>10} {:>12} {:>12} {:>14} {:>18}\n", "N",
             "ns/particle", "of advance", "bytes/particle", "memory / columns");
  std::vector<double> pace;
  std::vector<std::size_t> sizes = {1000, 10000, 100000};
  if (!scope.quick)
    sizes.insert(sizes.end(), {1000000, 10000000});
  for (const std::size_t n : sizes) {
    const double before = forget_peak();
    const Step steps = std::max<Step>(4, (scope.quick ? 100000 : 40000000) / n);
    double ns = 0, moving = 0, peak = 0;
    {
      Ensemble<double> particles(n, 2);
      start_normal(particles.position(), 1, 0, 3);
      EvenNormal<double> target(2); // that of `sample normal`
      auto score = score_of<double>(target);
      cpu::PairwiseDrift<double, Gauss> drift(Gauss(1));
      cpu::ExplicitStep<double, FadingAdaGrad<double>> advance(FadingAdaGrad<double>(0.1));
      Matching deal(1);
      const auto begin_at = [&](Step first) {
        rbm_svgd(particles, Span{first, first + steps}, deal, score, drift, advance, NoObserver());
      };
      begin_at(0);
      std::vector<double> times;
      for (std::size_t r = 0; r < (n > 1000000 ? 3 : scope.repeats); ++r) {
        const auto begin = reproduce::Clock::now();
        begin_at((r + 1) * steps);
        times.push_back(reproduce::seconds_since(begin));
      }
      ns = 1e9 * median(times) / static_cast<double>(steps * n);
      // The pass that would go if drift and advance were one: what it costs alone.
      const Batches& batches = deal(0, particles);
      moving = 1e9 *
               reproduce::median_seconds(scope.repeats,
                                         [&] {
                                           for (Step k = 0; k < steps / 4; ++k)
                                             advance(k, particles, batches, [] {});
                                         }) /
               static_cast<double>(steps / 4 * n);
      peak = resident("VmHWM") - before;
    }
    const double columns =
        static_cast<double>(n) * (4 * 2 * 8 + 4 + 8); // x, s, phi, memory; moves, id
    fmt::print("{:>10} {:12.2f} {:12.2f} {:14.1f} {:18.2f}\n", n, ns, moving,
               peak / static_cast<double>(n), peak / columns);
    pace.push_back(ns);
    j["sizes"].push_back({{"particles", n},
                          {"ns", ns},
                          {"ns_advance", moving},
                          {"bytes", peak / static_cast<double>(n)},
                          {"memory_over_columns", peak / columns}});
  }
  const auto [least, most] = std::minmax_element(pace.begin(), pace.end());
  fmt::print("slowest over fastest {:.2f}\n\n", *most / *least);
  j["slowest_over_fastest"] = *most / *least;
  return j;
}

} // namespace starling::tool
