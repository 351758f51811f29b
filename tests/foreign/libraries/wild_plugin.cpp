// A plugin for the tests that goes wrong after some calls: standard normals until then. Definitions say how:
// THROWS: a std::exception; THROWS_NUMBER: something that is none; HANGS: does not come back; LEAKS: takes
// 10 MB in every call and gives none back.
#include <starling/plugin.h>

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <unistd.h>

namespace {

int calls = 0;

void go_wrong() {
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

size_t starling_dim(void*) { return 2; }

int starling_log_density_all(size_t n, size_t dim, const double* x, double* score, double* log_density, void*) {
#if defined(LEAKS)
  constexpr std::size_t much = 10000000;
  std::memset(new char[much], ++calls, much); // nobody deletes it
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
