// OpenBLAS chooses its kernels when it is loaded, by a list of processors; here it is asked to
// choose again.
#include "assemble/processor.hpp"

#include <starling/cpu/level.hpp>
#include <starling/cpu/products.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

// Its own functions, which builds for one processor alone do not have.
extern "C" {
__attribute__((weak)) void gotoblas_dynamic_init();
__attribute__((weak)) void gotoblas_dynamic_quit();
__attribute__((weak)) int blas_thread_shutdown_();
}

namespace starling::assemble {

namespace {
constexpr const char* word = "OPENBLAS_CORETYPE";
}

bool multiply_for(const std::string& core) {
  if (cpu::products().core == core)
    return true;
  if (!gotoblas_dynamic_init || !gotoblas_dynamic_quit || !blas_thread_shutdown_)
    return false;
  // A thread of the library's that starts only now would choose for itself, beside us; they come
  // back when there is work.
  blas_thread_shutdown_();
  const char* const before = std::getenv(word);
  const std::string kept = before ? before : "";
  ::setenv(word, core.c_str(), 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  before ? ::setenv(word, kept.c_str(), 1) : ::unsetenv(word);
  return cpu::products().core == core;
}

std::vector<std::string> better_cores(const std::string& core,
                                      const std::vector<std::string>& levels) {
  constexpr std::array wide = {
      "Haswell", "Zen", "Excavator", "SkylakeX", "Cooperlake", "SapphireRapids", "Sapphirerapids"};
  const auto runs = [&](std::string_view level) {
    return std::ranges::find(levels, level) != levels.end();
  };
  if (!runs("avx2") || std::ranges::find(wide, core) != wide.end())
    return {};
  return runs("avx512") ? std::vector<std::string>{"SkylakeX", "Haswell"}
                        : std::vector<std::string>{"Haswell"};
}

std::string multiply_for_this_processor() {
  if (std::getenv(word))
    return {};
  const std::string core = cpu::products().core;
  const std::vector<std::string> better = better_cores(core, cpu::levels());
  for (const std::string& one : better)
    if (multiply_for(one))
      return one;
  if (!better.empty())
    multiply_for(core);
  return {};
}

} // namespace starling::assemble
