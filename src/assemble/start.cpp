// Where particles begin, by name or from a file.
#include "assemble/roles.hpp"
#include "plan/spec.hpp"
#include "io/errors.hpp"
#include "io/npy.hpp"

#include <starling/domain.hpp>
#include <starling/random/start.hpp>
#include <starling/run/checkpoint.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace starling::assemble {

namespace {

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

std::optional<io::Array> read_start(const plan::Recipe& r) {
  if (r.start.ends_with(".npy"))
    return io::read_npy(r.start);
  if (!r.start.ends_with(".checkpoint"))
    return std::nullopt;
  const run::Checkpoint checkpoint = run::read_checkpoint(r.start);
  const run::Saved saved = run::saved(checkpoint, r.start);
  return io::Array{{saved.particles, saved.dim}, run::positions_in(checkpoint, r.start)};
}

template <typename Real>
void start(const plan::Recipe& r, const AnyTarget<Real>& target, Rows<Real> x, const std::optional<io::Array>& read) {
  const auto [name, argument] = plan::parse_named(r.start);
  if (r.start == "given")
    reject("start", "a rule or a file; positions are given by a program", "'given'");
  if (read) {
    take(*read, r.start, x);
  } else if (name == "stan" || r.start.ends_with(".csv")) { // of a Stan model, both
    target.start(x);
  } else if (name == "prior") {
    start_from_prior(x, r.seed);
  } else {
    const auto numbers = plan::parse_numbers("start", argument);
    name == "normal" ? start_normal(x, r.seed, numbers[0], numbers[1])
                     : start_uniform(x, r.seed, numbers[0], numbers[1]);
  }
  if (!r.domain.empty()) {
    const Torus<Real> torus(static_cast<Real>(plan::parse_number("domain", plan::parse_named(r.domain).second)));
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
template void start(const plan::Recipe&, const AnyTarget<double>&, Rows<double>, const std::optional<io::Array>&);
template void start(const plan::Recipe&, const AnyTarget<float>&, Rows<float>, const std::optional<io::Array>&);

} // namespace starling::assemble
