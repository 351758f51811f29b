// What JAX's compiled loop calls to fetch and deliver blocks of rows. XLA checks the version of its
// interface when a handler is registered.
#include "block_queue.hpp"

#include <xla/ffi/api/ffi.h>

#include <cstdint>
#include <cstring>

namespace starling::python {

namespace nb = nanobind;
namespace ffi = xla::ffi;

namespace {

using Ticket = ffi::Buffer<ffi::U32>;
using Numbers = ffi::AnyBuffer;
using Flag = ffi::Result<ffi::Buffer<ffi::PRED>>;

Seat& seat_of(const Ticket& ticket) {
  std::uintptr_t address = 0;
  std::memcpy(&address, ticket.typed_data(), sizeof address);
  return *reinterpret_cast<Seat*>(address);
}

template <typename Number>
ffi::Error fetch(Ticket ticket, ffi::Result<Numbers> x, Flag more) {
  *more->typed_data() = seat_of(ticket).fetch(x->typed_data<Number>());
  return ffi::Error::Success();
}

template <typename Number>
ffi::Error exchange(Ticket ticket, Numbers density, Numbers score, ffi::Result<Numbers> x,
                    Flag more) {
  seat_of(ticket).deliver(density.typed_data<Number>(), score.typed_data<Number>());
  return fetch<Number>(ticket, x, more);
}

XLA_FFI_DEFINE_HANDLER(fetch_double, fetch<double>);
XLA_FFI_DEFINE_HANDLER(fetch_float, fetch<float>);
XLA_FFI_DEFINE_HANDLER(exchange_double, exchange<double>);
XLA_FFI_DEFINE_HANDLER(exchange_float, exchange<float>);

} // namespace

nb::object xla_handlers() {
  nb::dict all;
  const auto add = [&](const char* name, XLA_FFI_Handler* handler) {
    all[name] = nb::capsule(reinterpret_cast<void*>(handler));
  };
  add("starling_fetch_float64", fetch_double);
  add("starling_fetch_float32", fetch_float);
  add("starling_exchange_float64", exchange_double);
  add("starling_exchange_float32", exchange_float);
  return all;
}

} // namespace starling::python
