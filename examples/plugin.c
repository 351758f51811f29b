// A target of your own in C: measurements y ~ N(m, sd^2), flat prior; a particle is (m, log sd).
//
//   cc -O2 -fPIC -shared -I include -o plugin.so examples/plugin.c -lm
//   starling check plugin plugin.so
//   starling sample plugin plugin.so --data y.txt --batch 16 --step-size 0.02 --steps 2000
//
// The file holds numbers parted by blanks or line ends; without one, ten that are built in are
// taken.
#include <starling/plugin.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct measurements {
  size_t count;
  double* y;
};

void starling_close(void* user) {
  struct measurements* m = user;
  free(m->y);
  free(m);
}

int starling_open(const char* data_path, void** user) {
  static const double usual[] = {4.1, 5.3, 4.7, 6.0, 5.5, 4.4, 5.1, 5.8, 4.9, 5.2};
  struct measurements* m = malloc(sizeof *m);
  FILE* file = data_path ? fopen(data_path, "r") : NULL;
  size_t room = 16;
  double value;
  m->count = 0;
  m->y = malloc(room * sizeof(double));
  for (size_t i = 0; !data_path && i < 10; ++i)
    m->y[m->count++] = usual[i];
  while (file && fscanf(file, "%lf", &value) == 1) {
    if (m->count == room)
      m->y = realloc(m->y, (room *= 2) * sizeof(double));
    m->y[m->count++] = value;
  }
  if (file)
    fclose(file);
  if (m->count < 3) {
    starling_close(m);
    return 1;
  }
  *user = m;
  return 0;
}

size_t starling_dim(void* user) {
  (void)user;
  return 2;
}

const char* starling_name(size_t i, void* user) {
  (void)user;
  return i == 0 ? "m" : "log_sd";
}

/* Only starling_open can fail. */
const char* starling_error(void* user) {
  (void)user;
  return "must hold at least 3 numbers";
}

/* It only reads, so any thread may call it. */
int starling_threads_ok(void* user) {
  (void)user;
  return 1;
}

/* log pi = -n log sd - sum (y - m)^2 / (2 sd^2) */
int starling_log_density(size_t dim, const double* x, double* grad, double* logp, void* user) {
  const struct measurements* m = user;
  const double precision = exp(-2 * x[1]), n = (double)m->count;
  double sum = 0, squares = 0;
  (void)dim;
  for (size_t i = 0; i < m->count; ++i) {
    const double off = m->y[i] - x[0];
    sum += off;
    squares += off * off;
  }
  grad[0] = precision * sum;
  grad[1] = precision * squares - n;
  *logp = -n * x[1] - precision * squares / 2;
  return 0;
}
