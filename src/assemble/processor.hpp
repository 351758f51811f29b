// What the library for matrix products takes this processor for, set right where it does not know
// it.
#pragma once

#include <string>
#include <vector>

namespace starling::assemble {

/// What a processor with these levels can be, best first, where `core`, which OpenBLAS takes it
/// for, has no wide vectors; nothing where it has.
std::vector<std::string> better_cores(const std::string& core,
                                      const std::vector<std::string>& levels);

/// OpenBLAS may take a processor younger than itself for one without wide vectors. Then it is told
/// a kind that this one can be, unless OPENBLAS_CORETYPE is set. To be called while nobody
/// multiplies: it begins anew. Answers the name that it was given, or an empty text.
std::string multiply_for_this_processor();

/// Lets it begin anew as for `core`, one of its own names. False where it cannot.
bool multiply_for(const std::string& core);

} // namespace starling::assemble
