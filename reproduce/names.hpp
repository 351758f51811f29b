// The names of the experiments, for those who list them without running them.
#pragma once

#include <array>
#include <string_view>

namespace starling::reproduce {

/// In the order of the report, as experiments() has them.
inline constexpr std::array<std::string_view, 9> experiment_names = {
    "mixture-density", "mixture-error", "mixture-runtime", "logistic-accuracy", "logistic-runtime",
    "lemma",           "theorem",       "algorithm-2",     "growing-batch"};

} // namespace starling::reproduce
