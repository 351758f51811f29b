// A plugin for the tests: independent standard normals. Definitions make it one of several kinds:
// SINGLE: one particle per call; THREADS: on all threads; FAILS: fails where the first coordinate
// is above 3; MOODY: fails for many particles, never for one; SILENT: says nothing about failures;
// NO_DIM, NO_DENSITY, NO_OPEN: without that function; SAME_NAMES: all parameters have one name;
// UNRESOLVED: calls a function that nobody has; ON_CARD: scores on a card, which is the host in
// these tests, and fails there where the first coordinate is above 30.
#define _POSIX_C_SOURCE 200112L
#include <starling/plugin.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// For the tests to look at; not part of the interface.
size_t calls_seen(void);
int other_thread_seen(void);

static size_t calls;
static int other_thread;
static pthread_t first;
static const char* why = "";

size_t calls_seen(void) { return calls; }
int other_thread_seen(void) {
  (void)first; // not every kind has a use for it
  return other_thread;
}

#ifndef NO_OPEN
int starling_open(const char* data_path, void** user) {
  FILE* file = data_path ? fopen(data_path, "r") : NULL;
  size_t* dim = malloc(sizeof *dim);
  int good = 1;
  *dim = 2;
  if (file) {
    good = fscanf(file, "%zu", dim) == 1;
    fclose(file);
  }
  if (!good) {
    free(dim);
    why = "must begin with the\nnumber of parameters\n";
    return 1;
  }
  *user = dim;
  return 0;
}

void starling_close(void* user) { free(user); }
#endif

#ifdef UNRESOLVED
size_t nobody_has_this(void);
size_t starling_dim(void* user) { return user ? nobody_has_this() : 2; }
#elif !defined(NO_DIM)
size_t starling_dim(void* user) { return user ? *(size_t*)user : 2; }
#endif

#ifndef SILENT
const char* starling_error(void* user) {
  (void)user;
  return why;
}
#endif

#ifdef SAME_NAMES
const char* starling_name(size_t i, void* user) {
  (void)i, (void)user;
  return "twin";
}
#elif !defined(SINGLE)
const char* starling_name(size_t i, void* user) {
  static __thread char name[32]; // ranks that are threads of one process ask at once
  (void)user;
  if (i == 1)
    return NULL; // it has none
  snprintf(name, sizeof name, "place[%zu]", i + 1);
  return name;
}
#endif

#ifndef NO_DENSITY
static int density(size_t dim, const double* x, double* grad, double* logp) {
#ifdef FAILS
  if (x[0] > 3) {
    why = "too far to the\nright";
    return 7;
  }
#endif
  *logp = 0;
  for (size_t a = 0; a < dim; ++a) {
    grad[a] = -x[a];
    *logp -= x[a] * x[a] / 2;
  }
  return 0;
}

#ifdef SINGLE
int starling_log_density(size_t dim, const double* x, double* grad, double* logp, void* user) {
  (void)user;
#ifndef THREADS
  if (calls++ == 0)
    first = pthread_self();
  other_thread = other_thread || !pthread_equal(first, pthread_self());
#endif
  return density(dim, x, grad, logp);
}

#ifdef THREADS
int starling_threads_ok(void* user) {
  (void)user;
  return 1;
}
#endif

#else
int starling_log_density_all(size_t n, size_t dim, const double* x, double* grad, double* logp,
                             void* user) {
  (void)user;
  ++calls;
#ifdef MOODY
  if (n > 1) {
    why = "too many";
    return 3;
  }
#endif
  for (size_t i = 0; i < n; ++i) {
    const int code = density(dim, x + i * dim, grad + i * dim, logp + i);
    if (code != 0)
      return code;
  }
  return 0;
}
#endif
#endif

#ifdef ON_CARD
int starling_score_on_device_single(size_t n, size_t dim, const float* x, float* score,
                                    void* stream, void* user) {
  (void)stream, (void)user;
  for (size_t k = 0; k < n * dim; ++k)
    score[k] = -x[k];
  return 0;
}
int starling_score_on_device_double(size_t n, size_t dim, const double* x, double* score,
                                    void* stream, void* user) {
  (void)stream, (void)user;
  for (size_t k = 0; k < n * dim; ++k)
    score[k] = -x[k];
  why = "too far for the card";
  return x[0] > 30 ? 7 : 0;
}
int starling_log_density_on_device(size_t n, size_t dim, const double* x, double* score,
                                   double* logp, void* stream, void* user) {
  (void)stream, (void)user;
  for (size_t i = 0; i < n; ++i)
    density(dim, x + i * dim, score + i * dim, logp + i);
  why = "too far for the card";
  return x[0] > 30 ? 7 : 0;
}
#endif
