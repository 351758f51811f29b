// libFuzzer's entry to one reader, which the build names: STARLING_READER.
#include "fuzz/readers.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace starling::fuzz {

std::span<const Reader> readers() { return {}; } // the list is the replay's

void promise(bool holds, const char* text) {
  if (holds)
    return;
  std::fprintf(stderr, "a promise does not hold: %s\n", text);
  std::abort();
}

} // namespace starling::fuzz

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // What commands print is of no use here; libFuzzer writes to stderr.
  return std::freopen("/dev/null", "w", stdout) == nullptr;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  starling::fuzz::STARLING_READER({reinterpret_cast<const char*>(data), size});
  return 0;
}
