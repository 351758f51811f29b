// Whether the headers of XLA that were found are such that handlers.cpp can use them.
#include <xla/ffi/api/ffi.h>

namespace ffi = xla::ffi;

static ffi::Error nothing(ffi::Buffer<ffi::U32> given, ffi::AnyBuffer numbers,
                          ffi::Result<ffi::Buffer<ffi::PRED>> flag) {
  *flag->typed_data() = given.typed_data() && numbers.typed_data<double>();
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER(handler, nothing);

int main() { return handler ? 0 : 1; }
