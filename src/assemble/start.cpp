// Where particles begin, by name or from a file.
#include "run/flight.hpp"
#include "assemble/roles.hpp"
#include "plan/spec.hpp"
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
void start(const plan::Recipe& r, const AnyTarget<Real>& target, Rows<Real> x) {
  const auto [name, argument] = plan::parse_named(r.start);
  if (r.start == "given")
    reject("start", "a rule or a file; positions are given by a program", "'given'");
  if (r.start.ends_with(".npy") || r.start.ends_with(".checkpoint")) {
    from_file(r.start, x);
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
template void start(const plan::Recipe&, const AnyTarget<double>&, Rows<double>);
template void start(const plan::Recipe&, const AnyTarget<float>&, Rows<float>);

} // namespace starling::assemble
