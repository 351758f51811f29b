// Calling back into Python, and into C without Python.
#include "guest.hpp"

#include <starling/error.hpp>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace starling::python {

namespace nb = nanobind;

namespace {

/// The positions as an array that Python may keep: it is filled anew at each call, unless somebody
/// has kept it, who then has it for good.
template <typename Real>
class Positions {
public:
  nb::object fill(Rows<const Real> x) {
    if (!array_.is_valid() || Py_REFCNT(array_.ptr()) > 1 || x.count != count_) {
      auto column = std::make_unique<Column<Real>>(x.size());
      data_ = column->data();
      count_ = x.count;
      nb::capsule owner(column.release(), [](void* p) noexcept { delete static_cast<Column<Real>*>(p); });
      array_ = nb::cast(nb::ndarray<nb::numpy, Real, nb::ndim<2>>(data_, {x.count, x.dim}, owner));
    }
    std::copy(x.begin(), x.end(), data_);
    return array_;
  }

private:
  nb::object array_;
  Real* data_ = nullptr;
  std::size_t count_ = 0;
};

std::string type_of(nb::handle object) {
  return nb::cast<std::string>(nb::str(object.type().attr("__name__")));
}

std::string shape_of(nb::handle object) {
  return nb::cast<std::string>(nb::str(object.attr("shape")));
}

/// What was returned, as numbers of our type in rows; converted only if it is not that already.
template <typename Real, std::size_t Dims>
auto numbers(nb::handle object, const char* what, const std::vector<std::size_t>& shape) {
  using Array = nb::ndarray<const Real, nb::ndim<Dims>, nb::c_contig, nb::device::cpu>;
  std::string expected = Dims == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({}, {})", shape[0], shape[1]);
  if (!nb::hasattr(object, "shape") || !nb::hasattr(object, "dtype"))
    throw nb::type_error(fmt::format("target: must return {} as an array of shape {}; got {}", what, expected,
                                     type_of(object)).c_str());
  bool fits = nb::cast<std::size_t>(object.attr("ndim")) == Dims;
  for (std::size_t a = 0; fits && a < Dims; ++a)
    fits = nb::cast<std::size_t>(object.attr("shape")[nb::int_(a)]) == shape[a];
  if (!fits)
    throw nb::value_error(fmt::format("target: must return {} of shape {}; got {}", what, expected,
                                      shape_of(object)).c_str());
  Array array;
  if (!nb::try_cast<Array>(object, array, true))
    throw nb::type_error(fmt::format("target: must return {} as real numbers; got an array of {}", what,
                                     nb::cast<std::string>(nb::str(object.attr("dtype")))).c_str());
  return array;
}

/// Scores and, if wanted and known, log densities from what the function returned.
template <typename Real>
void take(nb::handle returned, Rows<Real> score, std::span<Real> density) {
  nb::handle scores = returned, densities;
  if (nb::isinstance<nb::tuple>(returned)) {
    if (nb::len(returned) != 2)
      throw nb::value_error(fmt::format("target: must return scores or (log densities, scores); got a tuple of {}",
                                        nb::len(returned)).c_str());
    densities = nb::borrow<nb::tuple>(returned)[0];
    scores = nb::borrow<nb::tuple>(returned)[1];
  }
  const auto s = numbers<Real, 2>(scores, "scores", {score.count, score.dim});
  std::copy_n(s.data(), score.size(), score.begin());
  if (densities.is_valid()) { // looked at even when nobody asks: a mistake comes out at once
    const auto d = numbers<Real, 1>(densities, "log densities", {score.count});
    std::copy_n(d.data(), density.size(), density.begin());
  } else {
    std::ranges::fill(density, Real(NAN));
  }
}

/// Freed with the lock held, wherever the last of the owners goes.
template <typename Real>
std::shared_ptr<Positions<Real>> shared_positions() {
  return std::shared_ptr<Positions<Real>>(new Positions<Real>, [](Positions<Real>* positions) {
    const nb::gil_scoped_acquire held;
    delete positions;
  });
}

template <typename Real>
auto caller(nb::handle function) {
  return [function, positions = shared_positions<Real>()](
             Step, Rows<const Real> x, Rows<Real> score, std::span<Real> density) {
    const nb::gil_scoped_acquire held;
    const nb::object returned = function(positions->fill(x));
    take<Real>(returned, score, density);
  };
}

/// x, scores and densities in double, whatever the run counts in.
template <typename Real, typename Call>
void in_double(Rows<const Real> x, Rows<Real> score, std::span<Real> density, Call&& call) {
  std::vector<double> position(x.begin(), x.end()), s(x.size()), logp(x.count);
  call(position.data(), s.data(), logp.data());
  std::ranges::transform(s, score.begin(), [](double v) { return static_cast<Real>(v); });
  if (!density.empty())
    std::ranges::transform(logp, density.begin(), [](double v) { return static_cast<Real>(v); });
}

using OfAll = int (*)(std::size_t, std::size_t, const double*, double*, double*, void*);
using OfOne = int (*)(std::size_t, const double*, double*, double*, void*);

template <typename Real>
auto compiled(std::uintptr_t address, bool batched) {
  return [address, batched](Step k, Rows<const Real> x, Rows<Real> score, std::span<Real> density) {
    in_double<Real>(x, score, density, [&](const double* at, double* s, double* logp) {
      if (batched) {
        if (const int code = reinterpret_cast<OfAll>(address)(x.count, x.dim, at, s, logp, nullptr))
          throw TargetError(k, 0, fmt::format("the function returned {}", code));
        return;
      }
      for (std::size_t i = 0; i < x.count; ++i)
        if (const int code = reinterpret_cast<OfOne>(address)(x.dim, at + i * x.dim, s + i * x.dim, logp + i, nullptr))
          throw TargetError(k, i, fmt::format("the function returned {}", code));
    });
  };
}

} // namespace

assemble::Guest guest_of(nb::handle function, std::size_t dim, std::vector<std::string> names) {
  return {dim, std::move(names), caller<double>(function), caller<float>(function)};
}

assemble::Guest guest_at(std::uintptr_t address, bool batched, std::size_t dim, std::vector<std::string> names) {
  return {dim, std::move(names), compiled<double>(address, batched), compiled<float>(address, batched)};
}

} // namespace starling::python
