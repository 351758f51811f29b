// The host in the place of a card: every sweep, index after index, so that each can be tested where
// no card is.
#pragma once

#include "cuda/layouts.hpp"
#include "cuda/machine.hpp"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

namespace starling::cuda {

/// All lanes of a team, or all threads of a block, in turn.
template <std::uint32_t many>
struct InTurn {
  static constexpr std::uint32_t lanes = many, threads = many;
  using Alone = InTurn<1>;

  template <typename T, std::uint32_t n>
  class Each {
  public:
    T& of(std::uint32_t lane, std::uint32_t k) { return values_[lane * n + k]; }

  private:
    std::vector<T> values_ = std::vector<T>(many * n);
  };
  template <typename T, std::uint32_t n>
  class Aside {
  public:
    void send_for(std::uint32_t lane, std::uint32_t k, const void* from) {
      std::memcpy(&held_.of(lane, k), from, sizeof(T));
    }
    void wait() const {}
    T of(std::uint32_t lane, std::uint32_t k) { return held_.of(lane, k); }

  private:
    Each<T, n> held_;
  };
  template <typename F>
  void each(const F& f) const {
    for (std::uint32_t lane = 0; lane < many; ++lane)
      f(lane);
  }
  template <typename F>
  void own(const F& f) const {
    each(f);
  }
  template <typename F>
  auto sum(const F& f) const {
    decltype(f(0)) total = 0;
    for (std::uint32_t lane = 0; lane < many; ++lane)
      total += f(lane);
    return total;
  }
  template <typename T, std::uint32_t n, typename F>
  void sums(Each<T, n>& to, const F& f) const {
    for (std::uint32_t i = 0; i < n * many; ++i)
      to.of(i / n, i % n) = sum([&](std::uint32_t lane) { return f(lane, i); });
  }
  template <typename Values>
  auto see(Values& values, std::uint32_t other, std::uint32_t k) const {
    return values.of(other, k);
  }
  template <std::uint32_t n, typename F>
  void tell(std::uint32_t (&all)[n], const F& f) const {
    for (std::uint32_t i = 0; i < n; ++i)
      all[i] = f(i);
  }

  static void bring(void* to, const void* from) { std::memcpy(to, from, 16); }
  template <typename T>
  static void bring_one(T* to, const T* from) {
    *to = *from;
  }
  void sent_for() const {}
  template <int>
  void brought() const {}

  template <typename C, typename A, typename B>
  void multiply_short(C& c, std::uint32_t c0, A& a, std::uint32_t a0, B& b,
                      std::uint32_t b0) const {
    const auto number = [](std::uint32_t word, std::uint32_t half) {
      return from_short(half ? word >> 16 : word & 0xffff);
    };
    products<16>(
        c, c0,
        [&](std::uint32_t warp, std::uint32_t row, std::uint32_t k) {
          const std::uint32_t lane = warp + row % 8 * 4 + k % 8 / 2;
          return number(a.of(lane, a0 + row / 8 + k / 8 * 2), k % 2);
        },
        [&](std::uint32_t warp, std::uint32_t k, std::uint32_t column) {
          return number(b.of(warp + column * 4 + k % 8 / 2, b0 + k / 8), k % 2);
        });
  }
  template <typename C, typename A, typename B>
  void multiply(C& c, std::uint32_t c0, A& a, std::uint32_t a0, B& b, std::uint32_t b0) const {
    products<8>(
        c, c0,
        [&](std::uint32_t warp, std::uint32_t row, std::uint32_t k) {
          return a.of(warp + row % 8 * 4 + k % 4, a0 + row / 8 + k / 4 * 2);
        },
        [&](std::uint32_t warp, std::uint32_t k, std::uint32_t column) {
          return b.of(warp + column * 4 + k % 4, b0 + k / 4);
        });
  }

private:
  /// C of every warp, 16 by 8, plus A, 16 by `deep`, times B.
  template <std::uint32_t deep, typename C, typename A, typename B>
  static void products(C& c, std::uint32_t c0, const A& a, const B& b) {
    for (std::uint32_t warp = 0; warp < many; warp += 32)
      for (std::uint32_t row = 0; row < 16; ++row)
        for (std::uint32_t column = 0; column < 8; ++column) {
          float& sum = c.of(warp + row % 8 * 4 + column / 2, c0 + row / 8 * 2 + column % 2);
          for (std::uint32_t k = 0; k < deep; ++k)
            sum += a(warp, row, k) * b(warp, k, column);
        }
  }
};

struct HostLauncher {
  template <typename F>
  void threads(std::size_t count, const F& f) const {
    for (std::size_t n = 0; n < count; ++n)
      f(static_cast<decltype(index_of(&F::operator()))>(n));
  }
  template <std::uint32_t lanes = 32, typename F>
  void teams(std::size_t count, const F& f) const {
    for (std::size_t n = 0; n < count; ++n)
      f(InTurn<lanes>(), static_cast<std::uint32_t>(n));
  }
  template <typename Real, typename F>
  void blocks(std::size_t count, std::size_t room, const F& f) const {
    for (std::size_t n = 0; n < count; ++n) {
      std::vector<Real> shared(room, Real(NAN)); // nobody may read what nobody wrote
      f(InTurn<256>(), shared.data(), static_cast<std::uint32_t>(n));
    }
  }

private:
  template <typename C, typename R, typename Index>
  static Index index_of(R (C::*)(Index) const);
};

/// A machine made of the host alone.
class OnHost : public Machine {
public:
  Sweeps<float>& sweeps(float) override { return single_; }
  Sweeps<double>& sweeps(double) override { return double_; }

  std::string name() const override { return "the CPU in place of a GPU"; }
  void* allocate(std::size_t bytes) override {
    void* memory = std::calloc(1, std::max<std::size_t>(bytes, 1));
    if (!memory)
      throw DoesNotFit("device: not enough memory");
    held += sizes_[memory] = bytes;
    return memory;
  }
  void release(void* memory) noexcept override {
    held -= sizes_[memory];
    sizes_.erase(memory);
    std::free(memory);
  }
  void upload(void* to, const void* from, std::size_t bytes) override { copy(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { copy(to, from, bytes); }
  void copy(void* to, const void* from, std::size_t bytes) override {
    if (bytes > 0)
      std::memcpy(to, from, bytes);
  }
  void clear(void* memory, std::size_t bytes) override { std::memset(memory, 0, bytes); }
  void travel(void* to, const void* from, std::uint32_t rows, std::size_t bytes,
              const Scramble& order) override {
    sweep_travel(launcher_, to, from, rows, bytes, order);
  }
  void travel(void* to, const void* from, std::uint32_t rows, std::size_t bytes,
              const std::uint32_t* order) override {
    sweep_travel(launcher_, to, from, rows, bytes, order);
  }
  void put_side_by_side(void* to, const std::array<void*, 2>& from, std::size_t rows,
                        std::size_t bytes) override {
    sweep_side_by_side(launcher_, to, from, rows, bytes, false);
  }
  void take_apart(const std::array<void*, 2>& to, void* from, std::size_t rows,
                  std::size_t bytes) override {
    sweep_side_by_side(launcher_, from, to, rows, bytes, true);
  }
  bool regression(const RegressionWork<float>& work) override {
    return sweep_regression(launcher_, work, layout::most_block_bytes);
  }
  bool regression(const RegressionWork<double>& work) override {
    return sweep_regression(launcher_, work, layout::most_block_bytes);
  }
  double seconds(const std::function<void()>& call) override {
    const auto begin = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

private:
  HostLauncher launcher_;
  SweepsBy<float, HostLauncher> single_{launcher_};
  SweepsBy<double, HostLauncher> double_{launcher_};
  std::map<void*, std::size_t> sizes_;
};

} // namespace starling::cuda
