// Calling back into Python, and into C without Python.
#include "away.hpp"
#include "guest.hpp"

#include "foreign/in_double.hpp"

#include <starling/error.hpp>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <tuple>

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
      nb::capsule owner(column.release(),
                        [](void* p) noexcept { delete static_cast<Column<Real>*>(p); });
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

std::string text_of(const nb::object& object) { return nb::cast<std::string>(nb::str(object)); }

/// Arrays of kinds that only NumPy knows, as doubles; None if they are no real numbers.
nb::object real_numbers(nb::handle object) {
  try {
    const nb::object array = nb::module_::import_("numpy").attr("asarray")(object);
    const std::string kind = text_of(array.attr("dtype").attr("kind"));
    return kind == "f" || kind == "i" || kind == "u" ? nb::object(array.attr("astype")("float64"))
                                                     : nb::none();
  } catch (const nb::python_error&) {
    return nb::none();
  }
}

/// What was returned, as numbers of our type in rows; converted only if it is not that already.
template <typename Real, std::size_t Dims>
auto numbers(nb::handle object, const char* what, const std::array<std::size_t, Dims>& shape) {
  using Array = nb::ndarray<const Real, nb::ndim<Dims>, nb::c_contig, nb::device::cpu>;
  Array array;
  if (nb::try_cast<Array>(object, array, false) &&
      std::equal(shape.begin(), shape.end(), array.shape_ptr()))
    return array;
  const nb::tuple expected = std::apply([](auto... n) { return nb::make_tuple(n...); }, shape);
  if (!nb::hasattr(object, "shape") || !nb::hasattr(object, "dtype"))
    throw nb::type_error(fmt::format("target: must return {} as an array of shape {}; got {}", what,
                                     text_of(expected), text_of(object.type().attr("__name__")))
                             .c_str());
  const nb::object got = object.attr("shape"), type = object.attr("dtype");
  if (!got.equal(expected))
    throw nb::value_error(fmt::format("target: must return {} of shape {}; got {}", what,
                                      text_of(expected), text_of(got))
                              .c_str());
  const auto convert = [&](nb::handle from) { return nb::try_cast<Array>(from, array, true); };
  if (text_of(type).ends_with("bool") || !(convert(object) || convert(real_numbers(object))))
    throw nb::type_error(fmt::format("target: must return {} as real numbers; got an array of {}",
                                     what, text_of(type))
                             .c_str());
  return array;
}

/// Scores and, if wanted and known, log densities from what the function returned. Whether they
/// were known.
template <typename Real>
bool take(nb::handle returned, Rows<Real> score, std::span<Real> density) {
  nb::handle scores = returned, densities;
  if (nb::isinstance<nb::tuple>(returned)) {
    if (nb::len(returned) != 2)
      throw nb::value_error(
          fmt::format("target: must return scores or (log densities, scores); got a tuple of {}",
                      nb::len(returned))
              .c_str());
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
  return densities.is_valid();
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
auto caller(nb::handle function, std::shared_ptr<std::atomic<bool>> has_density) {
  return [function, has_density, positions = shared_positions<Real>()](
             Step, Rows<const Real> x, Rows<Real> score, std::span<Real> density) {
    const nb::gil_scoped_acquire held;
    refuse_if_leaving();
    const nb::object returned = function(positions->fill(x));
    *has_density = take<Real>(returned, score, density);
  };
}

using OfAll = int (*)(std::size_t, std::size_t, const double*, double*, double*, void*);
using OfOne = int (*)(std::size_t, const double*, double*, double*, void*);

/// A C function as a model.
class Compiled {
public:
  Compiled(std::uintptr_t address, bool batched, std::size_t dim)
      : address_(address), batched_(batched), dim_(dim) {}

  std::size_t dim() const { return dim_; }
  void evaluate(Step k, Rows<const double> x, Rows<double> s, std::span<double> density) const {
    if (batched_) {
      const auto of_all = reinterpret_cast<OfAll>(address_);
      if (const int code = of_all(x.count, dim_, x.data, s.data, density.data(), nullptr))
        throw TargetError(k, 0, fmt::format("the function of all particles returned {}", code));
      return;
    }
    const auto of_one = reinterpret_cast<OfOne>(address_);
    for (std::size_t i = 0; i < x.count; ++i)
      if (const int code = of_one(dim_, x[i].data(), s[i].data(), &density[i], nullptr))
        throw TargetError(k, i, fmt::format("the function returned {}", code));
  }

private:
  std::uintptr_t address_;
  bool batched_;
  std::size_t dim_;
};

template <typename Real>
auto caller(const std::shared_ptr<Compiled>& function) {
  return [model = foreign::InDouble<Real, Compiled>(function)](
             Step k, Rows<const Real> x, Rows<Real> score, std::span<Real> density) mutable {
    density.empty() ? model(k, x, score) : model.evaluate(x, score, density);
  };
}

} // namespace

assemble::Guest guest_of(nb::handle function, std::size_t dim, std::vector<std::string> names) {
  const auto has_density = std::make_shared<std::atomic<bool>>(true);
  return {dim, std::move(names), caller<double>(function, has_density),
          caller<float>(function, has_density), [has_density] { return has_density->load(); }};
}

assemble::Guest guest_at(std::uintptr_t address, bool batched, std::size_t dim,
                         std::vector<std::string> names) {
  const auto function = std::make_shared<Compiled>(address, batched, dim);
  return {dim, std::move(names), caller<double>(function), caller<float>(function)};
}

} // namespace starling::python
