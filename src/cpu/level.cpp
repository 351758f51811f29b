// Which SIMD levels the machine can run, and the one in use.
#include <starling/cpu/level.hpp>
#include <starling/error.hpp>

#include "cpu/levels.hpp"

#include <atomic>

namespace starling::cpu {

namespace {

struct Level {
  const char* name;
  bool runs;
};

bool machine_has([[maybe_unused]] std::string_view name) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  if (name == "avx2")
    return avx2;
  if (name == "avx512")
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#endif
  return true;
}

const std::vector<Level>& all() {
  static const std::vector<Level> levels = {
#define STARLING_NAME(name) {#name, machine_has(#name)},
      STARLING_LEVELS(STARLING_NAME)
#undef STARLING_NAME
  };
  return levels;
}

std::atomic<int>& chosen() {
  static std::atomic<int> index = [] {
    int widest_that_runs = 0;
    for (std::size_t i = 0; i < all().size(); ++i)
      if (all()[i].runs)
        widest_that_runs = static_cast<int>(i);
    return widest_that_runs;
  }();
  return index;
}

} // namespace

int level_index() { return chosen().load(std::memory_order_relaxed); }

std::string level() { return all()[static_cast<std::size_t>(level_index())].name; }

std::vector<std::string> levels() {
  std::vector<std::string> names;
  for (const Level& level : all())
    if (level.runs)
      names.emplace_back(level.name);
  return names;
}

void force_level(std::string_view name) {
  std::string known;
  for (std::size_t i = 0; i < all().size(); ++i) {
    if (!all()[i].runs)
      continue;
    if (name == all()[i].name)
      return chosen().store(static_cast<int>(i));
    known += (known.empty() ? "" : ", ") + std::string(all()[i].name);
  }
  reject("simd", "one of " + known, "'" + std::string(name) + "'");
}

} // namespace starling::cpu
