// A normal target whose every row takes a millisecond of a core: what bench/ranks.py takes for a
// costly model. With -DASLEEP=10 it sleeps so many milliseconds instead, so that more ranks than
// cores are as fast as cores of their own.
//
//   cc -O2 -fPIC -shared -I include -o slow_rows.so bench/slow_rows.c
#define _POSIX_C_SOURCE 199309L
#include <starling/plugin.h>

#include <time.h>

size_t starling_dim(void* user) {
  (void)user;
  return 2;
}

int starling_threads_ok(void* user) {
  (void)user;
  return 1;
}

#ifdef ASLEEP
static void spend_time(void) {
  const struct timespec rest = {ASLEEP / 1000, ASLEEP % 1000 * 1000000L};
  nanosleep(&rest, NULL);
}
#else
static double busy(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void spend_time(void) {
  const double begin = busy();
  while (busy() - begin < 1e-3) {
  }
}
#endif

int starling_log_density(size_t dim, const double* x, double* grad, double* logp, void* user) {
  double sum = 0;
  (void)user;
  for (size_t a = 0; a < dim; ++a) {
    grad[a] = -x[a];
    sum -= x[a] * x[a] / 2;
  }
  *logp = sum;
  spend_time();
  return 0;
}
