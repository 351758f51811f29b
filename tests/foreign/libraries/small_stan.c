// The BridgeStan interface in small, for the tests: a model as Stan would have it,
//   data { real y; }  parameters { vector[2] mu; real<lower=0> sigma; }
//   transformed parameters { real tau = 1 / sigma^2; }  generated quantities { real z; }
//   model { mu ~ normal(y, 1); sigma ~ exponential(1); }         u = log sigma: log pi = u - e^u
// Definitions make it one of several kinds. THREADS: compiled for threads; EXTRAS: has the
// functions that not every version has; FAILS: mu[1] > 1 throws; NOWHERE: throws everywhere;
// NO_PARAMETERS; NO_CONSTRAIN: lacks that function; NOT_A_NUMBER: the gradient is NaN where mu[1]
// > 1; MISCOUNTS: says that it has one more parameter than names; TAME: tau = sqrt(sigma), which
// has moments, as 1 / sigma^2 has none.
#define _POSIX_C_SOURCE 200112L
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bs_model {
  double y;
} bs_model;
typedef struct bs_rng {
  unsigned long long state;
} bs_rng;
typedef void (*print_callback)(const char*, size_t);

bs_model* bs_model_construct(const char* data, unsigned seed, char** error);
void bs_model_destruct(bs_model* m);
void bs_free_error_msg(char* error);
const char* bs_model_info(const bs_model* m);
const char* bs_param_names(const bs_model* m, bool tp, bool gq);
const char* bs_param_unc_names(const bs_model* m);
int bs_param_num(const bs_model* m, bool tp, bool gq);
int bs_param_unc_num(const bs_model* m);
int bs_param_constrain(const bs_model* m, bool tp, bool gq, const double* unc, double* theta,
                       bs_rng* rng, char** error);
int bs_log_density_gradient(const bs_model* m, bool propto, bool jacobian, const double* x,
                            double* value, double* grad, char** error);
bs_rng* bs_rng_construct(unsigned seed, char** error);
void bs_rng_destruct(bs_rng* rng);
int bs_param_initialize(const bs_model* m, const char* json, bs_rng* rng, double radius, int tries,
                        bool jacobian, double* x, char** error);
int bs_param_unconstrain(const bs_model* m, const double* theta, double* unc, char** error);
int bs_set_print_callback(print_callback print, char** error);
int other_thread_seen(void); // for the tests to look at
int messages_alive(void);

static int other_thread, alive;
static pthread_t first;
static bool called;
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;

int other_thread_seen(void) {
  (void)first, (void)called; // not every kind has a use for them
  return other_thread;
}
int messages_alive(void) { return alive; }

static int fail(char** error, const char* text) {
  pthread_mutex_lock(&door);
  ++alive;
  pthread_mutex_unlock(&door);
  if (error) {
    *error = malloc(strlen(text) + 1);
    strcpy(*error, text);
  }
  return -1;
}

void bs_free_error_msg(char* error) {
  pthread_mutex_lock(&door);
  --alive;
  pthread_mutex_unlock(&door);
  free(error);
}

#ifdef EXTRAS
static print_callback printer;

static void print(const char* text) {
  if (printer)
    printer(text, strlen(text));
  else
    fputs(text, stdout);
}
#endif

static double uniform(bs_rng* rng) { // Knuth's MMIX generator, its high bits
  rng->state = rng->state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(rng->state >> 11) / 9007199254740992.0;
}

bs_model* bs_model_construct(const char* data, unsigned seed, char** error) {
  bs_model* m = malloc(sizeof *m);
  (void)seed;
  m->y = 0;
  if (data && data[0]) {
    FILE* file = fopen(data, "r");
    const bool empty = file && fgetc(file) == '\n';
    if (file)
      rewind(file);
    const bool good = file && fscanf(file, " { \"y\" : %lf }", &m->y) == 1;
    if (file)
      fclose(file);
    if (!good) {
      free(m);
      fail(error, empty
                      ? "stanli prepare_data: unknown data variable y"
                      : "construct() failed with exception:\nError in JSON parsing at offset 0\n");
      return NULL;
    }
  }
  return m;
}

void bs_model_destruct(bs_model* m) { free(m); }

const char* bs_model_info(const bs_model* m) {
  (void)m;
#ifdef THREADS
  return "BridgeStan in small\n\tSTAN_THREADS=true\n\tSTAN_MPI=false\n";
#else
  return "BridgeStan in small\n\tSTAN_THREADS=false\n\tSTAN_MPI=true\n";
#endif
}

#ifdef NO_PARAMETERS
const char* bs_param_names(const bs_model* m, bool tp, bool gq) {
  (void)m, (void)tp, (void)gq;
  return "";
}
const char* bs_param_unc_names(const bs_model* m) { return bs_param_names(m, false, false); }
int bs_param_num(const bs_model* m, bool tp, bool gq) { return bs_param_names(m, tp, gq)[0]; }
int bs_param_unc_num(const bs_model* m) { return bs_param_num(m, false, false); }
#else
const char* bs_param_names(const bs_model* m, bool tp, bool gq) {
  (void)m;
  return tp && gq ? "mu.1,mu.2,sigma,tau,z" : "mu.1,mu.2,sigma";
}
const char* bs_param_unc_names(const bs_model* m) {
  (void)m;
  return "mu.1,mu.2,sigma";
}
int bs_param_num(const bs_model* m, bool tp, bool gq) {
  (void)m;
  return tp && gq ? 5 : 3;
}
int bs_param_unc_num(const bs_model* m) {
  (void)m;
#ifdef MISCOUNTS
  return 4;
#endif
  return 3;
}
#endif

bs_rng* bs_rng_construct(unsigned seed, char** error) {
  bs_rng* rng = malloc(sizeof *rng);
  (void)error;
  rng->state = seed;
  return rng;
}
void bs_rng_destruct(bs_rng* rng) { free(rng); }

#ifndef NO_CONSTRAIN
int bs_param_constrain(const bs_model* m, bool tp, bool gq, const double* unc, double* theta,
                       bs_rng* rng, char** error) {
  (void)m;
#ifdef EXTRAS
  static bool said;
  if (!said)
    print("a word from the model\n");
  said = true;
#endif
  if (gq && !rng)
    return fail(error, "include_gq=true but rng=nullptr");
#ifdef FAILS
  if (unc[0] > 1)
    return fail(error, "Exception: z: mu[1] is too large");
#endif
  theta[0] = unc[0];
  theta[1] = unc[1];
  theta[2] = exp(unc[2]);
#ifdef TAME
  if (tp)
    theta[3] = sqrt(theta[2]);
#else
  if (tp)
    theta[3] = 1 / (theta[2] * theta[2]);
#endif
  if (gq)
    theta[4] = uniform(rng);
  return 0;
}
#endif

int bs_log_density_gradient(const bs_model* m, bool propto, bool jacobian, const double* x,
                            double* value, double* grad, char** error) {
#ifndef THREADS
  if (!called)
    first = pthread_self();
  called = true;
  other_thread = other_thread || !pthread_equal(first, pthread_self());
#endif
  if (!propto || !jacobian)
    return fail(error, "asked for another density");
#ifdef NOWHERE
  return fail(error, "Exception: nowhere\n");
#endif
#ifdef FAILS
  if (x[0] > 1)
    return fail(error, "Exception: mu[1]\nis too large\n");
#endif
  *value = x[2] - exp(x[2]);
  for (int a = 0; a < 2; ++a) {
    grad[a] = m->y - x[a];
    *value -= grad[a] * grad[a] / 2;
  }
  grad[2] = 1 - exp(x[2]);
#ifdef NOT_A_NUMBER
  if (x[0] > 1)
    grad[1] = NAN;
#endif
  return 0;
}

#ifdef EXTRAS
int bs_param_initialize(const bs_model* m, const char* json, bs_rng* rng, double radius, int tries,
                        bool jacobian, double* x, char** error) {
  (void)m;
  print("Rejecting initial value\n");
  if (json || !jacobian || radius != 2 || tries < 1)
    return fail(error, "asked for another start");
  for (int a = 0; a < 3; ++a)
    x[a] = 0.1 * (2 * uniform(rng) - 1); // nearer than asked: so it is seen who drew
  return 0;
}
int bs_param_unconstrain(const bs_model* m, const double* theta, double* unc, char** error) {
  (void)m;
  if (theta[2] < 0)
    return fail(error, "Exception: sigma is negative,\nbut must be positive\n");
  unc[0] = theta[0];
  unc[1] = theta[1];
  unc[2] = log(theta[2]);
  return 0;
}
int bs_set_print_callback(print_callback to, char** error) {
  (void)error;
  printer = to;
  return 0;
}
#endif
