// A plugin over rows for the tests: 30,000 numbers y_r ~ N(x, 1), flat prior. Definitions make it
// one of several kinds: NO_WEIGHTS: takes each row for one; A_MEAN: divides by the number of rows;
// NO_ROWS, NO_LIKELIHOOD: without that function; EMPTY: has no rows; FAILS: fails above 3.
#include <starling/plugin.h>

#include <math.h>

static inline double y_of(uint32_t r) { return 1 + sin(12.9898 * (double)r) * 1.4142135623730951; }

size_t starling_dim(void* user) {
  (void)user;
  return 1;
}

#ifndef NO_ROWS
size_t starling_rows(void* user) {
  (void)user;
#ifdef EMPTY
  return 0;
#else
  return 30000;
#endif
}
#endif

#ifndef NO_LIKELIHOOD
int starling_log_likelihood_rows(size_t n, size_t dim, const double* x, size_t count,
                                 const uint32_t* rows, const double* weights, double* grad,
                                 double* logp, void* user) {
  (void)user;
  (void)dim;
  for (size_t i = 0; i < n; ++i) {
    double sum = 0, slope = 0;
#ifdef FAILS
    if (x[i] > 3)
      return 5;
#endif
    for (size_t k = 0; k < count; ++k) {
      const double off = y_of(rows[k]) - x[i];
      double weight = weights[k];
#ifdef NO_WEIGHTS
      weight = 1;
#endif
#ifdef A_MEAN
      weight /= (double)count;
#endif
      sum -= weight * off * off / 2;
      slope += weight * off;
    }
    logp[i] = sum;
    grad[i] = slope;
  }
  return 0;
}
#endif
