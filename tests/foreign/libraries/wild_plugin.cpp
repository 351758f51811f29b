// A plugin for the tests that goes wrong after some calls: standard normals until then. Definitions say how:
// THROWS: a std::exception; THROWS_NUMBER: something that is none; HANGS: does not come back; LEAKS: takes
// 10 MB in every call and gives none back; SIGNALS: sends SIGTERM to its own process in the call SIGNAL_AT_CALL,
// and removes the folder REMOVE in the call REMOVE_AT_CALL, if the environment has them; ODD_NAMES:
// nothing goes wrong, but its parameters have names of any bytes.
#include <starling/plugin.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <unistd.h>

namespace {

int calls = 0;
[[maybe_unused]] char* volatile last_taken = nullptr; // seen by others, for all the compiler knows

[[maybe_unused]] void go_wrong() {
#if defined(THROWS)
  throw std::runtime_error("the lake is\nfrozen");
#elif defined(THROWS_NUMBER)
  throw 7;
#elif defined(HANGS)
  for (;;)
    ::pause();
#endif
}

} // namespace

extern "C" {

#if defined(ODD_NAMES)
const char* starling_name(size_t a, void*) { return a == 0 ? "q\x1b[31m,\"x\ny" : "b\xff\xfe"; }
#endif

size_t starling_dim(void*) { return 2; }

int starling_log_density_all(size_t n, size_t dim, const double* x, double* score, double* log_density, void*) {
#if defined(LEAKS)
  constexpr std::size_t much = 10000000;
  last_taken = new char[much]; // nobody deletes it
  std::memset(last_taken, ++calls, much);
#elif defined(ODD_NAMES)
  ++calls;
#elif defined(SIGNALS)
  ++calls;
  if (const char* at = std::getenv("SIGNAL_AT_CALL"); at && std::atoi(at) == calls)
    std::raise(SIGTERM);
  if (const char* at = std::getenv("REMOVE_AT_CALL"); at && std::atoi(at) == calls)
    std::filesystem::remove_all(std::getenv("REMOVE"));
#else
  if (++calls > 20)
    go_wrong();
#endif
  for (std::size_t i = 0; i < n; ++i) {
    log_density[i] = 0;
    for (std::size_t a = 0; a < dim; ++a) {
      score[i * dim + a] = -x[i * dim + a];
      log_density[i] -= x[i * dim + a] * x[i * dim + a] / 2;
    }
  }
  return 0;
}
}
