// The verdict on a cloud, in a word and a sentence.
#pragma once

#include <starling/judge/trace.hpp>
#include <starling/observe/balance.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace starling::judge {

/// A word and a sentence that says why.
struct Verdict {
  std::string word;     ///< converged, cannot tell, still moving, collapsed, noisy or diverged
  std::string sentence; ///< names the parameter that decided, and what to do
};

/// From the balance of the scores of `count` particles, and where the trace so far is going; the
/// last look of the trace, if there is any, is that of this cloud. On a torus (`periodic`) the
/// spread is not judged.
Verdict judge(const std::vector<Balance>& parameters, std::size_t count,
              const std::vector<std::string>& names, bool periodic,
              const std::vector<TraceRow>& trace);

/// Worse verdicts have lower ranks: diverged 0, ..., converged the highest.
std::size_t rank(const std::string& verdict);

} // namespace starling::judge
