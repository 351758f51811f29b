// Teams and blocks of a card's own threads, for the sweeps: read by nvcc alone.
#pragma once

#include <cstdint>

namespace starling::cuda {

constexpr unsigned block_threads = 256;

/// Sixteen bytes into a block's memory, later.
inline __device__ void bring(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   static_cast<std::uint32_t>(__cvta_generic_to_shared(to))),
               "l"(from)
               : "memory");
}

/// Neighbouring threads of a warp: along the coordinates, or the members of a batch.
template <std::uint32_t many>
struct Team {
  static constexpr std::uint32_t lanes = many;
  static constexpr std::uint32_t mask =
      0xffffffffu; ///< all teams of a warp go the same way, those that have ended aside
  std::uint32_t lane;

  static __device__ Team of(std::uint32_t thread) { return {thread % many}; }

  template <typename T, std::uint32_t n>
  struct Each {
    T values[n];
    __device__ T& of(std::uint32_t, std::uint32_t k) { return values[k]; }
  };
  template <typename T, std::uint32_t n>
  struct Aside { // in the block's memory, each thread's to itself
    static_assert(sizeof(T) == 16);
    T* room;
    __device__ Aside() {
      extern __shared__ double shared[];
      room = reinterpret_cast<T*>(shared) + threadIdx.x;
    }
    __device__ void send_for(std::uint32_t, std::uint32_t k, const void* from) {
      bring(room + k * blockDim.x, from);
    }
    __device__ void wait() const { asm volatile("cp.async.wait_all;" ::: "memory"); }
    __device__ T of(std::uint32_t, std::uint32_t k) const { return room[k * blockDim.x]; }
  };
  template <typename F>
  __device__ void each(const F& f) const {
    f(lane);
  }
  template <typename F>
  __device__ auto sum(const F& f) const {
    auto value = f(lane);
#pragma unroll
    for (unsigned away = many / 2; away > 0; away /= 2)
      value += __shfl_xor_sync(mask, value, away, many);
    return value;
  }
  template <typename T, std::uint32_t n, typename F>
  __device__ void sums(Each<T, n>& to, const F& f) const {
    static_assert(many > 1);
    // Each gives half of what it has to the one across and takes the other half from there, until
    // what it has is its own.
    constexpr std::uint32_t half = n * many / 2;
    const auto exchanged = [&](T low, T high, unsigned across) {
      const bool upper = (lane & across) != 0;
      return (upper ? high : low) + __shfl_xor_sync(mask, upper ? low : high, across, many);
    };
    T parts[half];
#pragma unroll
    for (std::uint32_t k = 0; k < half; ++k)
      parts[k] = exchanged(f(lane, k), f(lane, k + half), many / 2);
#pragma unroll
    for (std::uint32_t across = many / 4, left = half / 2; across > 0; across /= 2, left /= 2)
#pragma unroll
      for (std::uint32_t k = 0; k < half; ++k)
        if (k < left)
          parts[k] = exchanged(parts[k], parts[k + left], across);
#pragma unroll
    for (std::uint32_t k = 0; k < n; ++k)
      to.values[k] = parts[k];
  }
  template <typename Values>
  __device__ auto see(Values& values, std::uint32_t other, std::uint32_t k) const {
    return __shfl_sync(mask, values.of(lane, k), other, many);
  }
  template <std::uint32_t n, typename F>
  __device__ void tell(std::uint32_t (&all)[n], const F& f) const {
#pragma unroll
    for (std::uint32_t begin = 0; begin < n; begin += many) {
      const std::uint32_t own = f(begin + lane < n ? begin + lane : n - 1);
#pragma unroll
      for (std::uint32_t i = begin; i < n && i < begin + many; ++i)
        all[i] = many == 1 ? own : __shfl_sync(mask, own, i - begin, many);
    }
  }
};

/// All threads of a block.
struct WholeBlock {
  static constexpr std::uint32_t threads = block_threads;
  struct Alone : Team<1> {
    __device__ Alone() : Team<1>{0} {}
  };
  template <typename T, std::uint32_t n>
  using Each = Team<32>::Each<T, n>;
  template <typename F>
  __device__ void each(const F& f) const {
    f(threadIdx.x);
    __syncthreads();
  }
  template <typename F>
  __device__ void own(const F& f) const {
    f(threadIdx.x);
  }

  static __device__ void bring(void* to, const void* from) { cuda::bring(to, from); }
  template <typename T>
  static __device__ void bring_one(T* to, const T* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                     static_cast<std::uint32_t>(__cvta_generic_to_shared(to))),
                 "l"(from), "n"(sizeof(T))
                 : "memory");
  }
  __device__ void sent_for() const { asm volatile("cp.async.commit_group;" ::: "memory"); }
  template <int later>
  __device__ void brought() const {
    asm volatile("cp.async.wait_group %0;" ::"n"(later) : "memory");
    __syncthreads();
  }

  // A warp's share of matrix products; which number lies where is told in sweep_products.hpp.
  template <typename C, typename A, typename B>
  __device__ void multiply_short(C& c, std::uint32_t c0, A& a, std::uint32_t a0, B& b,
                                 std::uint32_t b0) const {
    float* to = c.values + c0;
    const std::uint32_t *one = a.values + a0, *other = b.values + b0;
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(to[0]), "+f"(to[1]), "+f"(to[2]), "+f"(to[3])
        : "r"(one[0]), "r"(one[1]), "r"(one[2]), "r"(one[3]), "r"(other[0]), "r"(other[1]));
  }
  template <typename C, typename A, typename B>
  __device__ void multiply(C& c, std::uint32_t c0, A& a, std::uint32_t a0, B& b,
                           std::uint32_t b0) const {
    float* to = c.values + c0;
    const float *one = a.values + a0, *other = b.values + b0;
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(to[0]), "+f"(to[1]), "+f"(to[2]), "+f"(to[3])
        : "r"(__float_as_uint(one[0])), "r"(__float_as_uint(one[1])), "r"(__float_as_uint(one[2])),
          "r"(__float_as_uint(one[3])), "r"(__float_as_uint(other[0])),
          "r"(__float_as_uint(other[1])));
  }
};

} // namespace starling::cuda
