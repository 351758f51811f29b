// A plugin over rows for the tests, in C++: the function that THROW_IN names throws. Else 100 rows
// of N(x, 1) at 0, a flat prior.
#include <starling/plugin.h>

#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace {

void enter(const std::string& function) {
  const char* where = std::getenv("THROW_IN");
  if (where && where == function)
    throw std::runtime_error("no rows\ntoday");
}

} // namespace

extern "C" {

int starling_open(const char*, void**) {
  enter("open");
  return 0;
}
size_t starling_dim(void*) {
  enter("dim");
  return 1;
}
size_t starling_rows(void*) {
  enter("rows");
  return 100;
}
const char* starling_name(size_t, void*) {
  enter("name");
  return "a";
}
const char* starling_error(void*) {
  enter("error");
  return nullptr;
}
int starling_log_likelihood_rows(size_t n, size_t, const double* x, size_t count, const uint32_t*,
                                 const double* weights, double* grad, double* logp, void*) {
  enter("likelihood");
  if (std::getenv("FAIL"))
    return 3;
  for (size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (size_t k = 0; k < count; ++k)
      sum += weights[k];
    logp[i] = -sum * x[i] * x[i] / 2;
    grad[i] = -sum * x[i];
  }
  return 0;
}
int starling_log_prior(size_t n, size_t, const double*, double* grad, double* logp, void*) {
  enter("prior");
  for (size_t i = 0; i < n; ++i)
    logp[i] = grad[i] = 0;
  return 0;
}
int starling_row_scores(size_t, const double* x, size_t count, const uint32_t*, double* scores,
                        void*) {
  enter("row_scores");
  for (size_t k = 0; k < count; ++k)
    scores[k] = -x[0];
  return 0;
}
}
