// What fails on one rank fails on all, with the same words.
#pragma once

#include "mpi/wire.hpp"

#include <exception>

namespace starling::mpi {

/// All ranks come here, each with what it caught, or nothing. Where any caught something, that of
/// the lowest such rank is thrown everywhere: TargetError, Diverged, invalid_argument and lack of
/// memory as what they are, anything else as a runtime_error. The wire remembers that all know of
/// it.
void agree(Wire& wire, std::exception_ptr mine);

/// Runs work(), then agrees on how it went. What was agreed on before is over: whoever comes here
/// has dealt with it.
template <typename Work>
void together(Wire& wire, Work&& work) {
  wire.all_know = false;
  std::exception_ptr mine;
  try {
    work();
  } catch (...) {
    mine = std::current_exception();
  }
  agree(wire, mine);
}

} // namespace starling::mpi
