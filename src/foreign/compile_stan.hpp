// From a Stan program to a library that StanModel opens, by whichever compiler is there.
#pragma once

#include <filesystem>
#include <string>

namespace starling::foreign {

/// Whether this is a Stan program: its name ends in .stan, or it is text with a block "model {" or
/// "parameters {".
bool is_stan_program(const std::filesystem::path& file);

/// What StanModel takes.
struct CompiledStan {
  std::string library;
  std::string data; ///< as it was given; with stanli a copy that carries the program
};

/// Compiles a Stan program, or finds what an earlier call left in the cache folder: the same
/// program (with all that it includes) is compiled once. `data` is a JSON file or empty.
///
/// With BRIDGESTAN set in the environment, BridgeStan's own Makefile there does it
/// (STAN_THREADS=true); otherwise the package stanli of `python`. Throws BadLibrary: with the
/// compiler's words, or with a sentence about what to install where neither is there.
CompiledStan compile_stan(const std::filesystem::path& program, const std::string& data,
                          const std::string& python = "python3");

/// XDG_CACHE_HOME/starling/stan, or ~/.cache/starling/stan.
std::filesystem::path stan_cache();

} // namespace starling::foreign
