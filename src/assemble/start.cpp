// Where particles begin, by name or from a file.
#include "assemble/roles.hpp"
#include "assemble/spec.hpp"
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

template <typename Real>
void from_file(const std::string& file, Rows<Real> x) {
  const io::Array array = io::read_npy(file);
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
void start(const Recipe& r, const AnyTarget<Real>& target, Rows<Real> x) {
  const auto [name, argument] = parse_named(r.start);
  if (r.start.ends_with(".npy")) {
    from_file(r.start, x);
  } else if (name == "stan") {
    target.start(x);
  } else if (name == "prior") {
    start_from_prior(x, r.seed);
  } else {
    const auto numbers = parse_numbers("start", argument);
    name == "normal" ? start_normal(x, r.seed, numbers[0], numbers[1])
                     : start_uniform(x, r.seed, numbers[0], numbers[1]);
  }
  if (!r.domain.empty()) {
    const Torus<Real> torus(static_cast<Real>(parse_number("domain", parse_named(r.domain).second)));
    std::transform(x.begin(), x.end(), x.begin(), [&](Real v) { return torus.wrap(v); });
  }
}

template void start(const Recipe&, const AnyTarget<double>&, Rows<double>);
template void start(const Recipe&, const AnyTarget<float>&, Rows<float>);

} // namespace starling::assemble
