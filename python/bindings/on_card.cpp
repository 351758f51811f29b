// Positions that go to Python's array libraries without leaving the card, and scores that come
// back.
#include "on_card.hpp"

#include "arrays.hpp"
#include "gil_released.hpp"

#include <starling/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace starling::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

/// Which streams wait for which is said by both sides of DLPack: who takes the array names a
/// stream, and who gives it makes that stream wait. So nobody waits on the host.
class OnCard {
public:
  OnCard(std::shared_ptr<cuda::Machine> machine, const void* data, std::size_t count,
         std::size_t dim, std::uint8_t bytes)
      : machine_(std::move(machine)), data_(data), count_(count), dim_(dim), bytes_(bytes),
        there_(std::make_shared<bool>(true)) {}

  /// The call is over, for this and every copy of it: what lies there is another step's.
  void end() const { *there_ = false; }

  bool on_host() const { return machine_->number() < 0; } // in tests
  nb::tuple device() const {
    return nb::make_tuple(on_host() ? 1 : 2, on_host() ? 0 : machine_->number());
  }
  nb::tuple shape() const { return nb::make_tuple(count_, dim_); }
  const char* type() const { return bytes_ == 4 ? "float32" : "float64"; }

  /// The first rows, or all if they are fewer.
  nb::object rows(std::size_t most) const {
    check();
    const std::size_t count = std::min(most, count_);
    return bytes_ == 4 ? rows_of<float>(count) : rows_of<double>(count);
  }

  /// None is the stream that all libraries share, -1 asks for no waiting.
  nb::object capsule(nb::handle owner, nb::handle stream) const {
    check();
    if (!on_host()) {
      const auto number = stream.is_none() ? std::int64_t{1} : nb::cast<std::int64_t>(stream);
      if (number != -1)
        machine_->let_wait(reinterpret_cast<void*>(static_cast<std::intptr_t>(number)));
    }
    return bytes_ == 4 ? capsule_of<float>(owner) : capsule_of<double>(owner);
  }

private:
  void check() const {
    if (!*there_)
      throw nb::value_error(
          "x: positions on a GPU exist only while the target is called; copy what you need later");
  }

  template <typename Real>
  nb::object capsule_of(nb::handle owner) const {
    const std::size_t shape[] = {count_, dim_};
    // Not const: libraries refuse what they may only read. They have no cause to write.
    auto* data = const_cast<Real*>(static_cast<const Real*>(data_));
    return nb::cast(nb::ndarray<Real>(data, 2, shape, owner, nullptr, nb::dtype<Real>(),
                                      on_host() ? nb::device::cpu::value : nb::device::cuda::value,
                                      on_host() ? 0 : machine_->number()));
  }

  template <typename Real>
  nb::object rows_of(std::size_t count) const {
    auto values = std::make_unique<Column<Real>>(count * dim_);
    machine_->download(values->data(), data_, values->size() * sizeof(Real));
    Real* data = values->data();
    const nb::capsule owner(values.release(),
                            [](void* p) noexcept { delete static_cast<Column<Real>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, Real, nb::ndim<2>>(data, {count, dim_}, owner));
  }

  std::shared_ptr<cuda::Machine> machine_;
  const void* data_;
  std::size_t count_, dim_;
  std::uint8_t bytes_;
  std::shared_ptr<bool> there_; // written and read with the interpreter's lock held
};

/// Ends a call however it ends.
struct Ended {
  const OnCard& there;
  ~Ended() { there.end(); }
};

/// What was returned: scores, and log densities if there are any.
struct Returned {
  nb::object scores, log_densities;
};

Returned parts_of(const nb::object& returned) {
  if (!nb::isinstance<nb::tuple>(returned))
    return {returned, {}};
  if (nb::len(returned) != 2)
    throw nb::value_error(
        fmt::format("target: must return scores or (log densities, scores); got a tuple of {}",
                    nb::len(returned))
            .c_str());
  const auto both = nb::borrow<nb::tuple>(returned);
  return {both[1], both[0]};
}

[[noreturn]] void refuse(const char* what, const nb::object& got_object, const std::string& shape,
                         const char* type, bool on_host) {
  const std::string where = on_host ? "on the CPU" : "on the GPU";
  std::string got = text_of_object(got_object.type().attr("__name__"));
  if (nb::hasattr(got_object, "shape") && nb::hasattr(got_object, "dtype"))
    got = fmt::format("shape {} and {}{}", text_of_object(got_object.attr("shape")),
                      text_of_object(got_object.attr("dtype")),
                      nb::hasattr(got_object, "device")
                          ? " on " + text_of_object(got_object.attr("device"))
                          : std::string());
  throw nb::value_error(
      fmt::format("target: must return {} of shape {} and {} {}, row after row; got {}", what,
                  shape, type, where, got)
          .c_str());
}

/// What scores on one machine. The last answer is held until the next is there: until then its
/// memory may be read.
template <typename Real>
class CardScorer {
public:
  CardScorer(nb::handle function, std::shared_ptr<cuda::Machine> machine,
             std::shared_ptr<std::atomic<bool>> has_density)
      : function_(function), machine_(std::move(machine)), has_density_(std::move(has_density)) {}
  ~CardScorer() {
    try {
      machine_->wait();
    } catch (...) { // the card is lost, and with it what was read
    }
    const nb::gil_scoped_acquire held;
    last_ = {};
    last_densities_ = {};
  }

  void operator()(const Real* x, Real* score, Real* log_density, std::size_t count,
                  std::size_t dim) {
    const nb::gil_scoped_acquire held;
    throw_if_interpreter_ends();
    const OnCard there(machine_, x, count, dim, sizeof(Real));
    const Ended ended{there};
    const Returned returned = parts_of(function_(there));
    last_ = array_of<Array>(returned.scores, "scores", fmt::format("({}, {})", count, dim),
                            {count, dim}, there.type());
    machine_->copy(score, last_.data(), count * dim * sizeof(Real));
    if (!log_density)
      return;
    *has_density_ = returned.log_densities.is_valid();
    if (!*has_density_) { // what lies there is no log density of these rows
      const std::vector<Real> unknown(count, Real(NAN));
      return machine_->upload(log_density, unknown.data(), count * sizeof(Real));
    }
    last_densities_ = array_of<Densities>(returned.log_densities, "log densities",
                                          fmt::format("({},)", count), {count}, there.type());
    machine_->copy(log_density, last_densities_.data(), count * sizeof(Real));
  }

private:
  using Array = nb::ndarray<const Real, nb::ndim<2>, nb::c_contig>;
  using Densities = nb::ndarray<const Real, nb::ndim<1>, nb::c_contig>;

  /// Of that shape on this machine, else refused.
  template <typename Wanted>
  Wanted array_of(const nb::object& given, const char* what, const std::string& shape_in_words,
                  std::initializer_list<std::size_t> shape, const char* type) {
    const bool on_host = machine_->number() < 0;
    if (!nb::hasattr(given, "__dlpack__"))
      refuse(what, given, shape_in_words, type, on_host);
    const nb::object capsule =
        on_host ? given.attr("__dlpack__")()
                : given.attr("__dlpack__")("stream"_a =
                                               reinterpret_cast<std::intptr_t>(machine_->stream()));
    Wanted array;
    bool fits =
        nb::try_cast<Wanted>(capsule, array, false) &&
        array.device_type() == (on_host ? nb::device::cpu::value : nb::device::cuda::value) &&
        (on_host || array.device_id() == machine_->number());
    for (std::size_t axis = 0; fits && axis < shape.size(); ++axis)
      fits = array.shape(axis) == shape.begin()[axis];
    if (!fits)
      refuse(what, given, shape_in_words, type, on_host);
    return array;
  }

  nb::handle function_;
  std::shared_ptr<cuda::Machine> machine_;
  std::shared_ptr<std::atomic<bool>> has_density_;
  Array last_;
  Densities last_densities_;
};

} // namespace

template <typename Real>
std::shared_ptr<const cuda::Outside<Real>> on_card(nb::handle function, bool few_sizes,
                                                   std::shared_ptr<std::atomic<bool>> has_density,
                                                   FromHost from_host) {
  auto outside = std::make_shared<cuda::Outside<Real>>();
  outside->few_sizes = few_sizes;
  outside->from_host = std::move(from_host);
  outside->has_log_density = true; // or `has_density` says that it has none
  outside->on = [function, has_density](
                    const std::shared_ptr<cuda::Machine>& machine) -> cuda::OutsideScore<Real> {
    const auto scorer = std::make_shared<CardScorer<Real>>(function, machine, has_density);
    return [scorer](Step, const Real* x, Real* score, Real* log_density, std::size_t count,
                    std::size_t dim) { (*scorer)(x, score, log_density, count, dim); };
  };
  return outside;
}

template std::shared_ptr<const cuda::Outside<double>>
on_card(nb::handle, bool, std::shared_ptr<std::atomic<bool>>, FromHost);
template std::shared_ptr<const cuda::Outside<float>>
on_card(nb::handle, bool, std::shared_ptr<std::atomic<bool>>, FromHost);

void add_on_card(nb::module_& m) {
  nb::class_<OnCard>(m, "OnCard")
      .def(
          "__dlpack__",
          [](nb::handle self, nb::handle stream, nb::handle, nb::handle, nb::handle) {
            return nb::cast<const OnCard&>(self).capsule(self, stream);
          },
          nb::kw_only(), "stream"_a.none() = nb::none(), "max_version"_a.none() = nb::none(),
          "dl_device"_a.none() = nb::none(), "copy"_a.none() = nb::none())
      .def("__dlpack_device__", &OnCard::device)
      .def("rows", &OnCard::rows, "most"_a)
      .def_prop_ro("shape", &OnCard::shape)
      .def_prop_ro("dtype", &OnCard::type);
  // For tests: the address of a function that makes machines, which then are opened instead of
  // cards; 0: cards again.
  m.def(
      "open_instead",
      [](std::uintptr_t make) { cuda::open_instead(reinterpret_cast<cuda::Machine* (*)()>(make)); },
      "make"_a);
}

} // namespace starling::python
