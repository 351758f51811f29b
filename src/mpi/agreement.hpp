// What fails on one rank fails on all, with the same words.
#pragma once

#include "mpi/wire.hpp"

#include <exception>

namespace starling::mpi {

/// All ranks come here, each with what it caught, or nothing. Where any caught something, that of
/// the lowest such rank is thrown everywhere: TargetError, Diverged, invalid_argument and lack of
/// memory as what they are, anything else as a runtime_error. The wire remembers which it was.
void agree(Wire& wire, std::exception_ptr mine);

/// Whether every rank threw this failure. One that was agreed on and caught on the way is another.
bool failure_agreed(const Wire& wire, const std::exception_ptr& failure);
/// Notes that every rank throws this failure, or one of the same kind and text.
void note_agreed(Wire& wire, const std::exception_ptr& failure, std::size_t origin = 0);

/// Runs work(), then agrees on how it went. What was agreed on before is over: whoever comes here
/// has dealt with it.
template <typename Work>
void run_and_agree(Wire& wire, Work&& work) {
  wire.agreed_failure.clear();
  std::exception_ptr mine;
  try {
    work();
  } catch (...) {
    mine = std::current_exception();
  }
  agree(wire, mine);
}

} // namespace starling::mpi
