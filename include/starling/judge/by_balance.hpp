// The verdict by the balance of scores, and by where the trace is going.
#pragma once

#include <starling/judge/trace.hpp>
#include <starling/judge/verdict.hpp>
#include <starling/observe/balance.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace starling::judge {

/// From the balance of the scores of `count` particles, and where the trace so far is going; the
/// last look of the trace, if there is any, is that of this cloud. On a torus (`periodic`) the
/// spread is not judged.
Judgement judge_by_balance(const std::vector<Balance>& parameters, std::size_t count,
                           const std::vector<std::string>& names, bool periodic,
                           const std::vector<TraceRow>& trace);

} // namespace starling::judge
