// What JAX's compiled loop calls to fetch and deliver blocks of rows. XLA checks the version of its
// interface when a handler is registered.
#include "block_queue.hpp"
#include "crossing.hpp"

#include <xla/ffi/api/ffi.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

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

template <typename Call>
ffi::Error in(std::uint64_t loop, Call call) {
  Crossing* const crossing = Crossing::of(loop);
  const std::string why = crossing ? call(*crossing) : "device: nobody asks this loop for rows";
  return why.empty() ? ffi::Error::Success() : ffi::Error(ffi::ErrorCode::kInternal, why);
}

template <typename Number>
ffi::Error fetch_by(const Mover& mover, void* stream, std::uint64_t loop, ffi::Result<Numbers> x,
                    Flag more) {
  return in(loop, [&](Crossing& crossing) {
    return crossing.fetch(mover, stream, x->typed_data<Number>(), more->typed_data());
  });
}

template <typename Number>
ffi::Error exchange_by(const Mover& mover, void* stream, Numbers density, Numbers score,
                       std::uint64_t loop, ffi::Result<Numbers> x, Flag more) {
  return in(loop, [&](Crossing& crossing) {
    return crossing.exchange<Number>(mover, stream, density.typed_data<Number>(),
                                     score.typed_data<Number>(), x->typed_data<Number>(),
                                     more->typed_data());
  });
}

/// By CUDA's driver on XLA's own stream. A handler that does not say that CUDA may record it runs
/// in each round of the loop.
template <typename Number>
ffi::Error fetch_cuda(void* stream, std::uint64_t loop, ffi::Result<Numbers> x, Flag more) {
  return fetch_by<Number>(*cuda_driver(), stream, loop, x, more);
}

template <typename Number>
ffi::Error exchange_cuda(void* stream, Numbers density, Numbers score, std::uint64_t loop,
                         ffi::Result<Numbers> x, Flag more) {
  return exchange_by<Number>(*cuda_driver(), stream, density, score, loop, x, more);
}

template <typename Number>
ffi::Error fetch_host(std::uint64_t loop, ffi::Result<Numbers> x, Flag more) {
  return fetch_by<Number>(host_in_place(), nullptr, loop, x, more);
}

template <typename Number>
ffi::Error exchange_host(Numbers density, Numbers score, std::uint64_t loop, ffi::Result<Numbers> x,
                         Flag more) {
  return exchange_by<Number>(host_in_place(), nullptr, density, score, loop, x, more);
}

auto on_host() { return ffi::Ffi::Bind(); }
auto on_cuda() { return ffi::Ffi::Bind().Ctx<ffi::PlatformStream<void*>>(); }

template <typename Binding>
auto fetch_of(Binding binding) {
  return std::move(binding)
      .template Attr<std::uint64_t>("loop")
      .template Ret<Numbers>()
      .template Ret<ffi::Buffer<ffi::PRED>>();
}

template <typename Binding>
auto exchange_of(Binding binding) {
  return fetch_of(std::move(binding).template Arg<Numbers>().template Arg<Numbers>());
}

XLA_FFI_DEFINE_HANDLER(fetch_cuda_double, fetch_cuda<double>, fetch_of(on_cuda()));
XLA_FFI_DEFINE_HANDLER(fetch_cuda_float, fetch_cuda<float>, fetch_of(on_cuda()));
XLA_FFI_DEFINE_HANDLER(exchange_cuda_double, exchange_cuda<double>, exchange_of(on_cuda()));
XLA_FFI_DEFINE_HANDLER(exchange_cuda_float, exchange_cuda<float>, exchange_of(on_cuda()));
XLA_FFI_DEFINE_HANDLER(fetch_host_double, fetch_host<double>, fetch_of(on_host()));
XLA_FFI_DEFINE_HANDLER(fetch_host_float, fetch_host<float>, fetch_of(on_host()));
XLA_FFI_DEFINE_HANDLER(exchange_host_double, exchange_host<double>, exchange_of(on_host()));
XLA_FFI_DEFINE_HANDLER(exchange_host_float, exchange_host<float>, exchange_of(on_host()));

nb::capsule capsule(XLA_FFI_Handler* handler) {
  return nb::capsule(reinterpret_cast<void*>(handler));
}

} // namespace

nb::object xla_handlers() {
  nb::dict all;
  all["starling_fetch_float64"] = capsule(fetch_double);
  all["starling_fetch_float32"] = capsule(fetch_float);
  all["starling_exchange_float64"] = capsule(exchange_double);
  all["starling_exchange_float32"] = capsule(exchange_float);
  all["starling_fetch_float64_in_place"] = capsule(fetch_host_double);
  all["starling_fetch_float32_in_place"] = capsule(fetch_host_float);
  all["starling_exchange_float64_in_place"] = capsule(exchange_host_double);
  all["starling_exchange_float32_in_place"] = capsule(exchange_host_float);
  return all;
}

nb::object xla_handlers_on_cuda() {
  if (!cuda_driver())
    return nb::none();
  nb::dict all;
  all["starling_fetch_float64_on_cuda"] = capsule(fetch_cuda_double);
  all["starling_fetch_float32_on_cuda"] = capsule(fetch_cuda_float);
  all["starling_exchange_float64_on_cuda"] = capsule(exchange_cuda_double);
  all["starling_exchange_float32_on_cuda"] = capsule(exchange_cuda_float);
  return all;
}

} // namespace starling::python
