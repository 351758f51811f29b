// Arrays between the engine and functions of Python: positions that go there, numbers that come
// back.
#pragma once

#include <starling/rows.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <tuple>

namespace starling::python {

namespace nb = nanobind;

/// The positions as an array that Python may keep: it is filled anew at each call, unless somebody
/// has kept it, who then has it for good. What is handed out is a view: a function that changes the
/// shape, the type or the flags of its argument changes nobody else's.
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
    return array_.attr("view")();
  }

private:
  nb::object array_;
  Real* data_ = nullptr;
  std::size_t count_ = 0;
};

inline std::string text_of_object(const nb::object& object) {
  return nb::cast<std::string>(nb::str(object));
}

/// Arrays of kinds that only NumPy knows, as doubles; None if they are no real numbers.
inline nb::object real_numbers(nb::handle object) {
  try {
    const nb::object array = nb::module_::import_("numpy").attr("asarray")(object);
    const std::string kind = text_of_object(array.attr("dtype").attr("kind"));
    return kind == "f" || kind == "i" || kind == "u" ? nb::object(array.attr("astype")("float64"))
                                                     : nb::none();
  } catch (const nb::python_error&) {
    return nb::none();
  }
}

/// (N, 3) for N = 20: a function is called with any number of rows, and its author thinks of N.
template <std::size_t Dims>
std::string shape_in_words(const std::array<std::size_t, Dims>& shape, char letter) {
  std::string text = fmt::format("({}", letter);
  for (std::size_t k = 1; k < Dims; ++k)
    text += fmt::format(", {}", shape[k]);
  return text + fmt::format("{}) for {} = {}", Dims == 1 ? "," : "", letter, shape[0]);
}

/// What was returned, as numbers of our type in rows; converted only if it is not that already.
/// `letter` stands for the number of rows in what is said of a wrong shape.
template <typename Real, std::size_t Dims>
auto numbers(nb::handle object, const char* what, const std::array<std::size_t, Dims>& shape,
             const char* who = "target", char letter = 'N') {
  using Array = nb::ndarray<const Real, nb::ndim<Dims>, nb::c_contig, nb::device::cpu>;
  Array array;
  const auto fits = [&] { return std::equal(shape.begin(), shape.end(), array.shape_ptr()); };
  if (nb::try_cast<Array>(object, array, false) && fits())
    return array;
  const nb::tuple expected = std::apply([](auto... n) { return nb::make_tuple(n...); }, shape);
  const std::string right = shape_in_words(shape, letter);
  if (!nb::hasattr(object, "shape") || !nb::hasattr(object, "dtype"))
    throw nb::type_error(fmt::format("{}: must return {} as an array of shape {}; got {}", who,
                                     what, right, text_of_object(object.type().attr("__name__")))
                             .c_str());
  const nb::object got = object.attr("shape"), type = object.attr("dtype");
  if (!got.equal(expected))
    throw nb::value_error(
        fmt::format("{}: must return {} of shape {}; got {}", who, what, right, text_of_object(got))
            .c_str());
  const auto convert = [&](nb::handle from) { return nb::try_cast<Array>(from, array, true); };
  if (text_of_object(type).ends_with("bool") || !(convert(object) || convert(real_numbers(object))))
    throw nb::type_error(fmt::format("{}: must return {} as real numbers; got an array of {}", who,
                                     what, text_of_object(type))
                             .c_str());
  if (!fits()) // its attribute said otherwise
    throw nb::value_error(
        fmt::format("{}: must return {} of shape {}; got an object of another shape", who, what,
                    right)
            .c_str());
  return array;
}

/// Freed with the lock held, wherever the last of the owners goes.
template <typename Real>
std::shared_ptr<Positions<Real>> shared_positions() {
  return std::shared_ptr<Positions<Real>>(new Positions<Real>, [](Positions<Real>* positions) {
    const nb::gil_scoped_acquire held;
    delete positions;
  });
}

} // namespace starling::python
