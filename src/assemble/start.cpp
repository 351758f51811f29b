// Where particles begin, by name or from a file.
#include "run/flight.hpp"
#include "assemble/roles.hpp"
#include "plan/names.hpp"
#include "io/errors.hpp"
#include "io/npy.hpp"

#include <starling/domain.hpp>
#include <starling/random/start.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace starling::assemble {

namespace {

/// The positions in a checkpoint, in the order of the particles.
io::Array positions_in(const std::string& file) {
  const io::Checkpoint checkpoint = io::read_checkpoint(file);
  const plan::Recipe recipe = run::saved(checkpoint, file).recipe;
  std::vector<std::uint64_t> id(recipe.particles);
  const auto read = [&]<typename Number>(Number) {
    const auto at = std::ranges::find(checkpoint.columns, "position", &std::pair<std::string, std::string>::first);
    std::vector<Number> values(at == checkpoint.columns.end() ? 0 : at->second.size() / sizeof(Number));
    const std::size_t dim = values.size() / id.size();
    if (dim == 0 || !checkpoint.take("id", std::span(id)) || !checkpoint.take("position", std::span(values)))
      throw io::BadData(file, "must hold the positions of a run; got none");
    io::Array home{{id.size(), dim}, std::vector<double>(values.size())};
    for (std::size_t n = 0; n < values.size(); ++n)
      home.values[id[n / dim] * dim + n % dim] = static_cast<double>(values[n]);
    return home;
  };
  return recipe.precision == "single" ? read(float()) : read(double());
}

template <typename Real>
void from_file(const std::string& file, Rows<Real> x) {
  const io::Array array = file.ends_with(".npy") ? io::read_npy(file) : positions_in(file);
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

template <typename Real>
void start(const plan::Plan& plan, std::uint64_t seed, const run::AnyTarget<Real>& target, Rows<Real> x) {
  struct Place {
    std::uint64_t seed;
    const run::AnyTarget<Real>& target;
    Rows<Real> x;
    void operator()(const plan::StartNormal& s) const { start_normal(x, seed, s.mean, s.sd); }
    void operator()(const plan::StartUniform& s) const { start_uniform(x, seed, s.low, s.high); }
    void operator()(const plan::StartOwn&) const { target.start(x); }
    void operator()(const plan::StartFile& s) const { from_file(s.file, x); }
    void operator()(const plan::StartGiven&) const {
      plan::refuse("start", "this run began at positions that its program gave; give them again");
    }
  };
  std::visit(Place{seed, target, x}, plan.start);
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
    reject("start", "of finite numbers", fmt::format("{} for particle {}", *bad, (bad - given.begin()) / static_cast<std::ptrdiff_t>(x.dim)));
  std::ranges::transform(given, x.begin(), [](double v) { return static_cast<Real>(v); });
}

template void place(std::span<const double>, Rows<double>);
template void place(std::span<const double>, Rows<float>);
template void start(const plan::Plan&, std::uint64_t, const run::AnyTarget<double>&, Rows<double>);
template void start(const plan::Plan&, std::uint64_t, const run::AnyTarget<float>&, Rows<float>);

} // namespace starling::assemble
