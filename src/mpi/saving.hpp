// The state of rows that are spread: to a checkpoint, to its file, and back, on however many ranks.
#pragma once

#include "mpi/agreement.hpp"
#include "mpi/spread.hpp"
#include "run/state.hpp"

#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace starling::mpi {

/// visit(name, bytes here, bytes of a row) for each column that outlives a step.
template <typename AnyEnsemble, typename Visit>
void for_each_column(AnyEnsemble& here, Visit&& visit) {
  run::for_each_saved(here, [&](const std::string& name, auto values) {
    if constexpr (std::is_const_v<AnyEnsemble>)
      visit(name, std::as_bytes(values), values.size_bytes() / here.count());
    else
      visit(name, std::as_writable_bytes(values), values.size_bytes() / here.count());
  });
}

/// `head` with the columns of all ranks; on ranks that do not receive them, without.
template <typename Real>
run::Checkpoint gathered(Wire& wire, const Blocks& blocks, const Ensemble<Real>& here,
                         run::Checkpoint head, To whom) {
  const bool receives = whom == To::everyone || wire.first();
  for_each_column(
      here, [&](const std::string& name, std::span<const std::byte> mine, std::size_t a_row) {
        std::string all(receives ? blocks.rows() * a_row : 0, '\0');
        bring<std::byte>(wire, blocks, mine, std::as_writable_bytes(std::span(all)), a_row, whom);
        if (receives)
          head.add_text(name, std::move(all));
      });
  return head;
}

/// The same to a file, which rank 0 writes as the columns arrive: nobody has them all. What fails
/// there is thrown on all.
template <typename Real>
void write_gathered(Wire& wire, const Blocks& blocks, const Ensemble<Real>& here,
                    const run::Checkpoint& head, const std::filesystem::path& file) {
  std::unique_ptr<run::CheckpointFile> open;
  std::exception_ptr wrong; // the others go on sending
  const auto attempt = [&](auto&& work) {
    try {
      if (wire.first() && !wrong)
        work();
    } catch (...) {
      wrong = std::current_exception();
    }
  };
  std::size_t columns = 0;
  for_each_column(here, [&](const auto&...) { ++columns; });
  attempt([&] { open = std::make_unique<run::CheckpointFile>(file, head, columns); });
  for_each_column(
      here, [&](const std::string& name, std::span<const std::byte> mine, std::size_t a_row) {
        attempt([&] { open->begin(name, blocks.rows() * a_row); });
        stream(wire, blocks, mine, a_row,
               [&](std::span<const std::byte> bytes) { attempt([&] { open->append(bytes); }); });
      });
  attempt([&] { open->commit(); });
  run_and_agree(wire, [&] {
    if (wrong)
      std::rethrow_exception(wrong);
  });
}

/// The rows of this rank, from a checkpoint whose head has been read.
template <typename Real>
void take_rows(const run::Checkpoint& checkpoint, const std::string& where, const Blocks& blocks,
               std::size_t first, std::size_t memories, Ensemble<Real>& here) {
  here.remember(memories);
  for_each_column(here, [&](const std::string& name, std::span<std::byte> mine, std::size_t a_row) {
    const std::string* const all = checkpoint.find(name);
    if (!all || all->size() != a_row * blocks.rows())
      run::refuse_other_shape(where, blocks.rows(), here.dim(), sizeof(Real) == sizeof(float),
                              name);
    std::memcpy(mine.data(), all->data() + first * a_row, mine.size());
  });
}

} // namespace starling::mpi
