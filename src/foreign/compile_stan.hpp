// From a Stan program to a library that StanModel opens, by whichever compiler is there.
#pragma once

#include <filesystem>
#include <string>

namespace starling::foreign {

/// Whether this is a Stan program: its name ends in .stan, or it is text with a block "model {" or
/// "parameters {".
bool is_stan_program(const std::filesystem::path& file);

/// Whether the program, with all that it includes, has a ~ outside of comments and texts.
bool has_sampling_statements(const std::filesystem::path& program);

/// What StanModel takes.
struct CompiledStan {
  std::string library;
  std::string data; ///< as it was given; with stanli a copy that carries the program
};

/// Compiles a Stan program, or finds what an earlier call left in the cache folder: the same
/// program (with all that it includes) is compiled once. `data` is a JSON file or empty.
///
/// With BRIDGESTAN set in the environment, BridgeStan's own Makefile there does it
/// (STAN_THREADS=true); otherwise the package stanli of `python`. Throws DidNotCompile with the
/// compiler's words, BadLibrary with a sentence about what to install where neither is there, or
/// where others than this user could have put something into the cache folder.
CompiledStan compile_stan(const std::filesystem::path& program, const std::string& data,
                          const std::string& python = "python3");

/// XDG_CACHE_HOME/starling/stan, or .cache/starling/stan in the user's home. Throws BadLibrary
/// where there is neither: a folder that all may write is none to load code from.
std::filesystem::path stan_cache();

} // namespace starling::foreign
