// Positions that go to Python's array libraries without leaving the card, and scores that come
// back.
#include "on_card.hpp"

#include "arrays.hpp"
#include "gil_released.hpp"

#include <starling/error.hpp>

#include <fmt/format.h>

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

/// The scores in what was returned.
nb::object scores_in(const nb::object& returned) {
  if (!nb::isinstance<nb::tuple>(returned))
    return returned;
  if (nb::len(returned) != 2)
    throw nb::value_error(
        fmt::format("target: must return scores or (log densities, scores); got a tuple of {}",
                    nb::len(returned))
            .c_str());
  return nb::borrow<nb::tuple>(returned)[1];
}

[[noreturn]] void refuse(const nb::object& scores, std::size_t count, std::size_t dim,
                         const char* type, bool on_host) {
  const std::string where = on_host ? "on the CPU" : "on the GPU";
  std::string got = text_of_object(scores.type().attr("__name__"));
  if (nb::hasattr(scores, "shape") && nb::hasattr(scores, "dtype"))
    got = fmt::format("shape {} and {}{}", text_of_object(scores.attr("shape")),
                      text_of_object(scores.attr("dtype")),
                      nb::hasattr(scores, "device") ? " on " + text_of_object(scores.attr("device"))
                                                    : std::string());
  throw nb::value_error(
      fmt::format("target: must return scores of shape ({}, {}) and {} {}, row after row; got {}",
                  count, dim, type, where, got)
          .c_str());
}

/// What scores on one machine. The last answer is held until the next is there: until then its
/// memory may be read.
template <typename Real>
class CardScorer {
public:
  CardScorer(nb::handle function, std::shared_ptr<cuda::Machine> machine)
      : function_(function), machine_(std::move(machine)) {}
  ~CardScorer() {
    try {
      machine_->wait();
    } catch (...) { // the card is lost, and with it what was read
    }
    const nb::gil_scoped_acquire held;
    last_ = {};
  }

  void operator()(const Real* x, Real* score, std::size_t count, std::size_t dim) {
    const nb::gil_scoped_acquire held;
    throw_if_interpreter_ends();
    void* stream = machine_->stream();
    const bool on_host = machine_->number() < 0;
    const OnCard there(machine_, x, count, dim, sizeof(Real));
    const Ended ended{there};
    const nb::object scores = scores_in(function_(there));
    Array array;
    if (!nb::hasattr(scores, "__dlpack__"))
      refuse(scores, count, dim, there.type(), on_host);
    const nb::object capsule =
        on_host ? scores.attr("__dlpack__")()
                : scores.attr("__dlpack__")("stream"_a = reinterpret_cast<std::intptr_t>(stream));
    if (!nb::try_cast<Array>(capsule, array, false) || array.shape(0) != count ||
        array.shape(1) != dim ||
        array.device_type() != (on_host ? nb::device::cpu::value : nb::device::cuda::value) ||
        (!on_host && array.device_id() != machine_->number()))
      refuse(scores, count, dim, there.type(), on_host);
    machine_->copy(score, array.data(), count * dim * sizeof(Real));
    last_ = array;
  }

private:
  using Array = nb::ndarray<const Real, nb::ndim<2>, nb::c_contig>;

  nb::handle function_;
  std::shared_ptr<cuda::Machine> machine_;
  Array last_;
};

} // namespace

template <typename Real>
std::shared_ptr<const cuda::Outside<Real>> on_card(nb::handle function) {
  auto outside = std::make_shared<cuda::Outside<Real>>();
  outside->on =
      [function](const std::shared_ptr<cuda::Machine>& machine) -> cuda::OutsideScore<Real> {
    const auto scorer = std::make_shared<CardScorer<Real>>(function, machine);
    return [scorer](Step, const Real* x, Real* score, std::size_t count, std::size_t dim) {
      (*scorer)(x, score, count, dim);
    };
  };
  return outside;
}

template std::shared_ptr<const cuda::Outside<double>> on_card(nb::handle);
template std::shared_ptr<const cuda::Outside<float>> on_card(nb::handle);

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
