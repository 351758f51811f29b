// The CUDA back end where it is built: launches of the sweeps, memory of the card, and which cards
// there are.
#include "cuda/in_threads.hpp"
#include "cuda/layouts.hpp"
#include "cuda/machine.hpp"

#include <starling/back_ends.hpp>
#include <starling/error.hpp>

#include <cuda_runtime.h>

#include <cstring>
#include <map>
#include <stdexcept>

namespace starling::cuda {

namespace {

[[noreturn]] void fail(cudaError_t error) {
  if (error == cudaErrorMemoryAllocation)
    throw DoesNotFit("device: the particles do not fit into the GPU's memory");
  throw std::runtime_error(std::string("device: the GPU failed: ") + cudaGetErrorString(error));
}
void must(cudaError_t error) {
  if (error != cudaSuccess) {
    cudaGetLastError(); // taken note of
    fail(error);
  }
}

template <typename F>
__global__ void __launch_bounds__(block_threads)
    by_threads(const __grid_constant__ F f, std::size_t count) {
  for (std::size_t n = std::size_t{blockIdx.x} * block_threads + threadIdx.x; n < count;
       n += std::size_t{gridDim.x} * block_threads)
    f(n);
}
/// Of a sweep by teams: threads of a block; blocks that a processor is to hold at once, which
/// limits the registers of a thread; bytes of the block's memory that each thread puts things aside
/// in.
template <typename F>
struct Blocks {
  static constexpr unsigned threads = block_threads, at_once = 2, aside = 0;
};
template <typename Real, std::uint32_t members, bool normal>
struct Blocks<FusedQuads<Real, members, normal>> {
  static constexpr unsigned threads = 128, at_once = normal ? 5 : 4,
                            aside = members * 4 * sizeof(Real);
};

template <std::uint32_t lanes, typename F>
__global__ void __launch_bounds__(Blocks<F>::threads, Blocks<F>::at_once)
    by_teams(const __grid_constant__ F f, std::uint32_t count) {
  const std::uint32_t n = blockIdx.x * (Blocks<F>::threads / lanes) + threadIdx.x / lanes;
  if (n >= count) // a warp's other teams do not wait for one that has ended
    return;
  f(Team<lanes>::of(threadIdx.x), n);
}
template <typename Real, typename F>
__global__ void __launch_bounds__(block_threads) by_blocks(const __grid_constant__ F f) {
  extern __shared__ double shared[]; // of the widest type: templates share one name
  f(WholeBlock{}, reinterpret_cast<Real*>(shared), blockIdx.x);
}

struct Launcher {
  cudaStream_t stream = nullptr;

  static unsigned blocks_for(std::size_t count, std::size_t each) {
    return static_cast<unsigned>(std::min<std::size_t>((count + each - 1) / each, 1u << 30));
  }
  template <typename F>
  void threads(std::size_t count, const F& f) {
    by_threads<<<blocks_for(count, block_threads), block_threads, 0, stream>>>(f, count);
    must(cudaPeekAtLastError());
  }
  template <std::uint32_t lanes = 32, typename F>
  void teams(std::size_t count, const F& f) {
    constexpr unsigned threads = Blocks<F>::threads;
    by_teams<lanes>
        <<<blocks_for(count, threads / lanes), threads, threads * Blocks<F>::aside, stream>>>(
            f, static_cast<std::uint32_t>(count));
    must(cudaPeekAtLastError());
  }
  template <typename Real, typename F>
  void blocks(std::size_t count, std::size_t room, const F& f) {
    const auto bytes = static_cast<int>(room * sizeof(Real));
    if (bytes > 48 * 1024) // more than that is given only to those who ask
      must(cudaFuncSetAttribute(by_blocks<Real, F>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                bytes));
    by_blocks<Real><<<static_cast<unsigned>(count), block_threads, bytes, stream>>>(f);
    must(cudaPeekAtLastError());
  }
};

class Card final : public Machine {
public:
  explicit Card(int number) : number_(number) {
    must(cudaSetDevice(number));
    cudaDeviceProp about;
    must(cudaGetDeviceProperties(&about, number));
    name_ = about.name;
    must(cudaStreamCreateWithFlags(&launcher_.stream, cudaStreamNonBlocking));
    must(cudaMallocHost(&staged_, staged));
    must(cudaEventCreate(&begin_));
    must(cudaEventCreate(&end_));
    must(cudaEventCreateWithFlags(&here_, cudaEventDisableTiming));
  }
  ~Card() override {
    cudaFreeHost(staged_);
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
    cudaEventDestroy(here_);
    cudaStreamDestroy(launcher_.stream);
  }

  Sweeps<float>& sweeps(float) override { return here(), single_; }
  Sweeps<double>& sweeps(double) override { return here(), double_; }
  std::string name() const override { return name_; }

  void* allocate(std::size_t bytes) override {
    here();
    void* memory = nullptr;
    must(cudaMalloc(&memory, std::max<std::size_t>(bytes, 1)));
    held += sizes_[memory] = bytes;
    clear(memory, bytes);
    return memory;
  }
  void release(void* memory) noexcept override {
    cudaStreamSynchronize(launcher_.stream); // sweeps that were begun may still use it
    cudaFree(memory);
    held -= sizes_[memory];
    sizes_.erase(memory);
  }
  // Small things go through memory that the card reaches by itself, so that nobody waits for it.
  void upload(void* to, const void* from, std::size_t bytes) override {
    here();
    if (bytes > staged / 4) {
      must(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, launcher_.stream));
      return wait(); // whoever owns it may give it up at once
    }
    if (used_ + bytes > staged)
      wait();
    std::memcpy(staged_ + used_, from, bytes);
    must(cudaMemcpyAsync(to, staged_ + used_, bytes, cudaMemcpyHostToDevice, launcher_.stream));
    used_ += (bytes + 63) / 64 * 64;
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    here();
    const bool small = used_ + bytes <= staged;
    void* const by = small ? staged_ + used_ : to;
    must(cudaMemcpyAsync(by, from, bytes, cudaMemcpyDeviceToHost, launcher_.stream));
    wait();
    if (small)
      std::memcpy(to, by, bytes);
  }
  void copy(void* to, const void* from, std::size_t bytes) override {
    here();
    must(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, launcher_.stream));
  }
  void clear(void* memory, std::size_t bytes) override {
    here();
    if (bytes > 0)
      must(cudaMemsetAsync(memory, 0, bytes, launcher_.stream));
  }
  void travel(void* to, const void* from, std::uint32_t rows, std::size_t bytes,
              const Scramble& order) override {
    here();
    sweep_travel(launcher_, to, from, rows, bytes, order);
  }
  void travel(void* to, const void* from, std::uint32_t rows, std::size_t bytes,
              const std::uint32_t* order) override {
    here();
    sweep_travel(launcher_, to, from, rows, bytes, order);
  }
  void put_side_by_side(void* to, const std::array<void*, 2>& from, std::size_t rows,
                        std::size_t bytes) override {
    here();
    sweep_side_by_side(launcher_, to, from, rows, bytes, false);
  }
  void take_apart(const std::array<void*, 2>& to, void* from, std::size_t rows,
                  std::size_t bytes) override {
    here();
    sweep_side_by_side(launcher_, from, to, rows, bytes, true);
  }
  bool regression(const RegressionWork<float>& work) override {
    here();
    return sweep_regression(launcher_, work, layout::most_block_bytes);
  }
  bool regression(const RegressionWork<double>& work) override {
    here();
    return sweep_regression(launcher_, work, layout::most_block_bytes);
  }
  void* stream() override {
    here();
    return launcher_.stream;
  }
  int number() const override { return number_; }
  void let_wait(void* stream) override {
    must(cudaEventRecord(here_, launcher_.stream));
    must(cudaStreamWaitEvent(static_cast<cudaStream_t>(stream), here_, 0));
  }
  void wait() override {
    here();
    must(cudaStreamSynchronize(launcher_.stream));
    used_ = 0;
  }
  double seconds(const std::function<void()>& call) override {
    here();
    must(cudaEventRecord(begin_, launcher_.stream));
    call();
    must(cudaEventRecord(end_, launcher_.stream));
    must(cudaEventSynchronize(end_));
    float milliseconds = 0;
    must(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return 1e-3 * double(milliseconds);
  }

private:
  /// Each thread has a card that it speaks to, and others may have chosen another.
  void here() const { must(cudaSetDevice(number_)); }

  static constexpr std::size_t staged = 1 << 18; ///< bytes

  char* staged_ = nullptr;
  std::size_t used_ = 0;
  Launcher launcher_;
  SweepsBy<float, Launcher> single_{launcher_};
  SweepsBy<double, Launcher> double_{launcher_};
  int number_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr, here_ = nullptr;
  std::string name_;
  std::map<void*, std::size_t> sizes_;
};

/// How many cards can be used, or why none can.
int cards(std::string& why_not) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (error != cudaSuccess || count == 0) {
    why_not = std::string("cuda: no device: ") +
              (error == cudaSuccess ? "this machine has none" : cudaGetErrorString(error));
    return 0;
  }
  return count;
}

} // namespace

std::vector<std::string> devices() {
  std::string why_not;
  std::vector<std::string> names;
  for (int n = 0, count = cards(why_not); n < count; ++n) {
    cudaDeviceProp about;
    must(cudaGetDeviceProperties(&about, n));
    names.push_back(std::string(about.name) + ", compute " + std::to_string(about.major) + "." +
                    std::to_string(about.minor) + ", " +
                    std::to_string(about.totalGlobalMem >> 20) + " MiB");
  }
  return names;
}

BackEnd back_end() {
  BackEnd one{"cuda", true, {}, {}};
  try {
    one.devices = devices();
    if (one.devices.empty())
      cards(one.why_not);
  } catch (const std::exception& error) {
    one.why_not = error.what();
  }
  return one;
}

std::unique_ptr<Machine> open(std::size_t number) {
  std::string why_not;
  const int count = cards(why_not);
  if (count == 0)
    throw std::runtime_error("device: " + why_not);
  if (number >= std::size_t(count))
    throw std::invalid_argument("device: must be one of cuda:0 to cuda:" +
                                std::to_string(count - 1) + "; got cuda:" + std::to_string(number));
  return std::make_unique<Card>(static_cast<int>(number));
}

} // namespace starling::cuda
