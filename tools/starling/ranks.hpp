// The ranks that mpirun started, if it did.
#pragma once

#include "mpi/agreement.hpp"
#include "mpi/wire.hpp"

#include <memory>
#include <string>
#include <vector>

namespace starling::tool {

/// All ranks of this run, opened by the first call; a wire of one where this process was not
/// started by mpirun, or the like: MPI is then not even begun. Throws NotBuilt on ranks of a build
/// without it.
const std::shared_ptr<mpi::Wire>& ranks();

/// Whether mpirun started this process, be it as the only rank.
bool started_as_a_rank();

/// For commands that ranks do not share: whether it is this process that runs it, which the first
/// of several says. Throws on all ranks where their commands differ.
bool does_it_alone(const std::string& command);

/// Ends what ranks() began, while the program still has all its parts.
void leave_ranks();

/// A file that each rank reads, or the first of each machine for all of them.
struct ReadFile {
  std::string name;
  bool once_on_machine = false;
};

/// Until here ranks do things each for itself, and what fails on one is agreed on here; from here
/// on where it happens. They compare their builds, their settings and, by their bytes, the files
/// that they read.
void begin_together(const std::string& settings, const std::vector<ReadFile>& files);

/// Runs work() on rank 0 alone; what it throws is thrown on all.
template <typename Work>
void on_first(Work&& work) {
  mpi::run_and_agree(*ranks(), [&] {
    if (ranks()->first())
      work();
  });
}

/// The end of a rank that something was thrown on: says it once among all ranks that know of it,
/// with the code of the rank where it began; where the others do not know, says it and ends them
/// all.
int end_of_rank(int code, const std::string& text);

/// Of ranks other than the first nothing is heard.
inline bool unheard = false;

} // namespace starling::tool
