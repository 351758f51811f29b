// What the library for matrix products takes this processor for, set right where it does not know it.
#pragma once

#include <string>

namespace starling::assemble {

/// OpenBLAS multiplies for a processor without wide vectors wherever it meets one that is younger than itself. If it took this one for
/// such, it is told a kind that this one can be; OPENBLAS_CORETYPE has the last word. To be called before there are
/// threads. Says what it was told, nothing if nothing.
std::string multiply_for_this_processor();

/// Lets it begin anew as for `core`, one of its own names. False where it cannot.
bool multiply_for(const std::string& core);

} // namespace starling::assemble
