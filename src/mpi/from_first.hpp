// Numbers that one rank makes and all see: once in memory that they have in common, or where they
// have none a copy each.
#pragma once

#include "mpi/agreement.hpp"
#include "mpi/wire.hpp"

#include <cstddef>
#include <memory>
#include <new>
#include <span>

namespace starling::mpi {

/// So many bytes as fill(to) writes them on rank 0, at an address that is a multiple of
/// Wire::alignment: the same bits are computed from them wherever they lie. All ranks come here;
/// what fails on one, all throw. Memory in common is the wire's: it stays as long as that does.
template <typename Fill>
std::shared_ptr<const std::byte> from_first(Wire& wire, std::size_t bytes, Fill&& fill) {
  std::shared_ptr<std::byte> memory = wire.size() > 1 ? wire.shared_memory(bytes) : nullptr;
  const bool common = memory != nullptr;
  run_and_agree(wire, [&] {
    if (!common) {
      constexpr std::align_val_t as_common{Wire::alignment};
      memory.reset(static_cast<std::byte*>(::operator new(bytes, as_common)),
                   [](std::byte* own) { ::operator delete(own, as_common); });
    }
    if (wire.first())
      fill(memory.get());
  });
  common ? wire.meet() : wire.broadcast(std::span(memory.get(), bytes));
  return memory;
}

} // namespace starling::mpi
