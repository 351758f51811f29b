// Where particles begin, by name or from a file.
#include "assemble/roles.hpp"
#include "io/errors.hpp"
#include "io/npy.hpp"
#include "plan/names.hpp"

#include <starling/domain.hpp>
#include <starling/random/start.hpp>
#include <starling/run/checkpoint.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace starling::assemble {

namespace {

/// Says that row i is a later particle.
struct IdFrom {
  std::size_t first;
  std::uint64_t operator[](std::size_t i) const { return first + i; }
};

template <typename Real>
void take(const io::Array& array, const std::string& file, Rows<Real> x) {
  const bool flat = x.dim == 1 && array.shape == std::vector<std::size_t>{x.count};
  if (!flat && array.shape != std::vector<std::size_t>{x.count, x.dim})
    throw io::BadData(file, fmt::format("must have shape {} x {} (particles x parameters); got {}",
                                        x.count, x.dim, fmt::join(array.shape, " x ")));
  for (std::size_t n = 0; n < array.values.size(); ++n) {
    if (!std::isfinite(array.values[n]))
      throw io::BadData(file, fmt::format("particle {}, parameter {}: must be a finite number",
                                          n / x.dim, n % x.dim));
    x.data[n] = static_cast<Real>(array.values[n]);
  }
}

} // namespace

std::optional<io::Array> read_start(const plan::Plan& plan) {
  const auto* start = std::get_if<plan::StartFile>(&plan.start);
  if (!start)
    return std::nullopt;
  if (start->file.ends_with(".npy"))
    return io::read_npy(start->file);
  const run::Checkpoint checkpoint = run::read_checkpoint(start->file);
  const run::Saved saved = run::saved(checkpoint, start->file);
  return io::Array{{saved.particles, saved.dim}, run::positions_in(checkpoint, start->file)};
}

template <typename Real>
void start(const plan::Plan& plan, std::uint64_t seed, const run::AnyTarget<Real>& target,
           Rows<Real> x, const std::optional<io::Array>& read, Threads& threads,
           std::size_t first) {
  struct Place {
    std::uint64_t seed;
    const run::AnyTarget<Real>& target;
    Rows<Real> x;
    const std::optional<io::Array>& read;
    Threads& threads;
    IdFrom id;
    void operator()(const plan::StartNormal& s) const {
      start_normal(x, seed, s.mean, s.sd, id, threads);
    }
    void operator()(const plan::StartUniform& s) const {
      start_uniform(x, seed, s.low, s.high, id, threads);
    }
    void operator()(const plan::StartOwn&) const { target.start(x); }
    void operator()(const plan::StartFile& s) const { take(*read, s.file, x); }
    void operator()(const plan::StartGiven&) const {
      plan::refuse("start", "this run started at positions that its program gave; give them again");
    }
  };
  std::visit(Place{seed, target, x, read, threads, {first}}, plan.start);
  if (plan.period) {
    const Torus<Real> torus(static_cast<Real>(*plan.period));
    std::transform(x.begin(), x.end(), x.begin(), [&](Real v) { return torus.wrap(v); });
  }
}

template <typename Real>
void place(std::span<const double> given, Rows<Real> x) {
  if (given.size() != x.size())
    reject("start", fmt::format("{} x {} numbers (particles x parameters)", x.count, x.dim),
           std::to_string(given.size()));
  const auto bad = std::ranges::find_if(given, [](double v) { return !std::isfinite(v); });
  if (bad != given.end())
    reject("start", "finite numbers",
           fmt::format("{} for particle {}", *bad,
                       (bad - given.begin()) / static_cast<std::ptrdiff_t>(x.dim)));
  std::ranges::transform(given, x.begin(), [](double v) { return static_cast<Real>(v); });
}

template void place(std::span<const double>, Rows<double>);
template void place(std::span<const double>, Rows<float>);
template void start(const plan::Plan&, std::uint64_t, const run::AnyTarget<double>&, Rows<double>,
                    const std::optional<io::Array>&, Threads&, std::size_t);
template void start(const plan::Plan&, std::uint64_t, const run::AnyTarget<float>&, Rows<float>,
                    const std::optional<io::Array>&, Threads&, std::size_t);

} // namespace starling::assemble
