// Runs a check at every SIMD level that this machine has, and restores the one in use.
#pragma once

#include <starling/cpu/level.hpp>

#include <gtest/gtest.h>

#include <string>

namespace simd_tests {

template <typename Check>
void at_every_level(Check&& check) {
  const std::string in_use = starling::cpu::level();
  for (const std::string& name : starling::cpu::levels()) {
    SCOPED_TRACE("level " + name);
    starling::cpu::force_level(name);
    check();
  }
  starling::cpu::force_level(in_use);
}

} // namespace simd_tests
