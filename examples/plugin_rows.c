// A target of your own over many rows of data, in C: counts y ~ Poisson(exp(a + b t)), a and b ~
// N(0, 10^2).
//
//   cc -O2 -fPIC -shared -I include -o plugin_rows.so examples/plugin_rows.c -lm
//   starling check plugin plugin_rows.so
//   starling sample plugin plugin_rows.so --data counts.txt --out out/counts
//
// The file holds lines of t and y; without one, 50,000 of them are made. Most steps read 1000 rows,
// the certificate all of them.
#include <starling/plugin.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct counts {
  size_t rows, room;
  double *t, *y;
};

static void append(struct counts* c, double t, double y) {
  if (c->rows == c->room) {
    c->room = c->room ? 2 * c->room : 1024;
    c->t = realloc(c->t, c->room * sizeof(double));
    c->y = realloc(c->y, c->room * sizeof(double));
  }
  c->t[c->rows] = t;
  c->y[c->rows++] = y;
}

/* Numbers in [0, 1) from one to the next; good enough to make an example. */
static double next(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 9007199254740992.0;
}

/* Counts with a = -1, b = 0.5 and t between -2 and 2. */
static void simulate(struct counts* c) {
  uint64_t state = 1;
  for (size_t r = 0; r < 50000; ++r) {
    const double t = 4 * next(&state) - 2, empty = exp(-exp(-1 + 0.5 * t));
    double y = 0;
    for (double product = next(&state); product > empty; product *= next(&state))
      y += 1;
    append(c, t, y);
  }
}

void starling_close(void* user) {
  struct counts* c = user;
  free(c->t);
  free(c->y);
  free(c);
}

int starling_open(const char* data_path, void** user) {
  struct counts* c = calloc(1, sizeof *c);
  double t, y;
  if (data_path) {
    FILE* file = fopen(data_path, "r");
    while (file && fscanf(file, "%lf %lf", &t, &y) == 2)
      append(c, t, y);
    if (file)
      fclose(file);
  } else {
    simulate(c);
  }
  if (c->rows == 0) {
    starling_close(c);
    return 1;
  }
  *user = c;
  return 0;
}

/* Only starling_open can fail. */
const char* starling_error(void* user) {
  (void)user;
  return "must hold lines of a time and a count";
}

size_t starling_dim(void* user) {
  (void)user;
  return 2;
}

const char* starling_name(size_t i, void* user) {
  (void)user;
  return i == 0 ? "a" : "b";
}

int starling_threads_ok(void* user) {
  (void)user;
  return 1;
}

size_t starling_rows(void* user) { return ((const struct counts*)user)->rows; }

/* log prior = -(a^2 + b^2) / 200 */
int starling_log_prior(size_t n, size_t dim, const double* x, double* grad, double* logp,
                       void* user) {
  (void)user;
  for (size_t i = 0; i < n; ++i) {
    logp[i] = 0;
    for (size_t k = i * dim; k < (i + 1) * dim; ++k) {
      grad[k] = -x[k] / 100;
      logp[i] -= x[k] * x[k] / 200;
    }
  }
  return 0;
}

/* log likelihood of a row = y (a + b t) - exp(a + b t); a row counts by its weight. */
int starling_log_likelihood_rows(size_t n, size_t dim, const double* x, size_t count,
                                 const uint32_t* rows, const double* weights, double* grad,
                                 double* logp, void* user) {
  const struct counts* c = user;
  for (size_t i = 0; i < n; ++i) {
    const double a = x[i * dim], b = x[i * dim + 1];
    double sum = 0, by_a = 0, by_b = 0;
    for (size_t k = 0; k < count; ++k) {
      const double t = c->t[rows[k]], y = c->y[rows[k]], z = a + b * t, rate = exp(z);
      sum += weights[k] * (y * z - rate);
      by_a += weights[k] * (y - rate);
      by_b += weights[k] * (y - rate) * t;
    }
    logp[i] = sum;
    grad[i * dim] = by_a;
    grad[i * dim + 1] = by_b;
  }
  return 0;
}

/* Which rows matter more: the gradients of single rows. */
int starling_row_scores(size_t dim, const double* x, size_t count, const uint32_t* rows,
                        double* grad, void* user) {
  const struct counts* c = user;
  for (size_t k = 0; k < count; ++k) {
    const double t = c->t[rows[k]], left = c->y[rows[k]] - exp(x[0] + x[1] * t);
    grad[k * dim] = left;
    grad[k * dim + 1] = left * t;
  }
  return 0;
}
