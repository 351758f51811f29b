// A plugin for the tests that goes wrong after some calls: standard normals until then. Definitions
// say how: THROWS: a std::exception; THROWS_NUMBER: something that is none; LEAKS: takes 10 MB in
// every call and gives none back; ODD_NAMES: nothing goes wrong, but its parameters have names of
// any bytes; ON_DEMAND: in the call whose number the environment has it does what is asked for, so
// that a test need not find the moment from outside: SIGNAL_AT_CALL sends SIGNAL, or SIGTERM, to
// its own process; REMOVE_AT_CALL removes the folder REMOVE; PUT_AT_CALL puts the file PUT in the
// place of PUT_AT; ALARM_AT_CALL lets the time limit fall; HANG_AT_CALL does not come back.
#include <starling/plugin.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

int calls = 0;
[[maybe_unused]] char* volatile last_taken = nullptr; // seen by others, for all the compiler knows

[[maybe_unused]] void go_wrong() {
#if defined(THROWS)
  throw std::runtime_error("the lake is\nfrozen");
#elif defined(THROWS_NUMBER)
  throw 7;
#endif
}

[[maybe_unused]] std::string asked(const char* name) {
  const char* given = std::getenv(name);
  return given ? given : "";
}

[[maybe_unused]] bool now(const char* name) { return asked(name) == std::to_string(calls); }

/// Of the processes that come here one does it, at one stroke.
[[maybe_unused]] void put(const std::string& file, const std::string& place) {
  if (::mkdir((file + ".taken").c_str(), 0700) != 0)
    return;
  if (::renameat2(AT_FDCWD, file.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) != 0 &&
      ::rename(file.c_str(), place.c_str()) != 0) // where nothing was
    std::abort();
}

/// The clock of the time limit, which must be running, rings now; whoever hears it winds it up
/// again.
[[maybe_unused]] void let_the_limit_fall() {
  const auto left = [] {
    itimerval timer{};
    ::getitimer(ITIMER_REAL, &timer);
    return timer.it_value.tv_sec;
  };
  if (left() < 1)
    std::abort();
  const itimerval soon{{0, 0}, {0, 1000}};
  ::setitimer(ITIMER_REAL, &soon, nullptr);
  while (left() < 1)
    ::usleep(100);
}

[[maybe_unused]] void do_what_is_asked() {
  if (now("SIGNAL_AT_CALL"))
    std::raise(asked("SIGNAL").empty() ? SIGTERM : std::stoi(asked("SIGNAL")));
  if (now("REMOVE_AT_CALL"))
    std::filesystem::remove_all(asked("REMOVE"));
  if (now("PUT_AT_CALL"))
    put(asked("PUT"), asked("PUT_AT"));
  if (now("ALARM_AT_CALL"))
    let_the_limit_fall();
  while (now("HANG_AT_CALL"))
    ::pause();
}

} // namespace

extern "C" {

#if defined(ODD_NAMES)
const char* starling_name(size_t a, void*) { return a == 0 ? "q\x1b[31m,\"x\ny" : "b\xff\xfe"; }
#endif

size_t starling_dim(void*) { return 2; }

int starling_log_density_all(size_t n, size_t dim, const double* x, double* score,
                             double* log_density, void*) {
#if defined(LEAKS)
  constexpr std::size_t much = 10000000;
  last_taken = new char[much]; // nobody deletes it
  std::memset(last_taken, ++calls, much);
#elif defined(ODD_NAMES)
  ++calls;
#elif defined(ON_DEMAND)
  ++calls;
  do_what_is_asked();
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
