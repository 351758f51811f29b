// A target of your own whose scores are made on a graphics card, as CUDA writes it: the bent normal
//     log pi = sum over a of -x_a^2 / 2 - (x_(a+1) - b (x_a^2 - 1))^2 / 2,    a = 1, 3, 5, ...
//
//   nvcc -O2 -std=c++17 -Xcompiler -fPIC -shared -I include -o plugin_on_card.so
//     examples/plugin_on_card.cu
//   starling sample plugin plugin_on_card.so --device cuda --out out
//   starling sample plugin plugin_on_card.so --device cuda --precision single --particles 100000
//     --batch 8 --steps 2000 --out out/paper
//
// The same formula serves both sides: the card for every step, the host for what is said about the
// run. So `starling check plugin plugin_on_card.so` looks at the gradient without a card.
#include <starling/plugin.h>

#include <cuda_runtime.h>

namespace {

constexpr std::size_t pairs = 5;
constexpr double bend = 0.5;

/// Of one pair of coordinates.
template <typename Real>
__host__ __device__ Real score_of_pair(const Real* x, Real* score) {
  const Real off = x[1] - Real(bend) * (x[0] * x[0] - 1);
  score[0] = -x[0] + 2 * Real(bend) * x[0] * off;
  score[1] = -off;
  return -(x[0] * x[0] + off * off) / 2;
}

/// A thread a pair: pairs lie one after another, whosever they are.
template <typename Real>
__global__ void score_all(const Real* x, Real* score, std::size_t count) {
  const std::size_t n = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (n < count)
    score_of_pair(x + 2 * n, score + 2 * n);
}

/// A thread a particle, for its log density too.
__global__ void evaluate_all(const double* x, double* score, double* logp, std::size_t count) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  logp[i] = 0;
  for (std::size_t k = 0; k < pairs; ++k)
    logp[i] += score_of_pair(x + 2 * (i * pairs + k), score + 2 * (i * pairs + k));
}

template <typename Real>
int launch(std::size_t n, const Real* x, Real* score, void* stream) {
  const std::size_t count = n * pairs;
  score_all<<<unsigned((count + 255) / 256), 256, 0, static_cast<cudaStream_t>(stream)>>>(x, score,
                                                                                          count);
  return static_cast<int>(cudaPeekAtLastError());
}

} // namespace

extern "C" {

std::size_t starling_dim(void*) { return 2 * pairs; }

int starling_log_density(std::size_t, const double* x, double* grad, double* logp, void*) {
  *logp = 0;
  for (std::size_t k = 0; k < pairs; ++k)
    *logp += score_of_pair(x + 2 * k, grad + 2 * k);
  return 0;
}

// For --method paper, in either precision.
int starling_score_on_device_single(std::size_t n, std::size_t, const float* x, float* score,
                                    void* stream, void*) {
  return launch(n, x, score, stream);
}

int starling_score_on_device_double(std::size_t n, std::size_t, const double* x, double* score,
                                    void* stream, void*) {
  return launch(n, x, score, stream);
}

/// For the default method.
int starling_log_density_on_device(std::size_t n, std::size_t, const double* x, double* score,
                                   double* logp, void* stream, void*) {
  evaluate_all<<<unsigned((n + 255) / 256), 256, 0, static_cast<cudaStream_t>(stream)>>>(x, score,
                                                                                         logp, n);
  return static_cast<int>(cudaPeekAtLastError());
}

/// Of the last call: only a launch can fail.
const char* starling_error(void*) { return cudaGetErrorString(cudaGetLastError()); }

} // extern "C"
