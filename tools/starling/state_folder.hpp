// The folder beside the results in which an unfinished run keeps its state, a checkpoint per run.
#pragma once

#include <starling/run/checkpoint.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace starling::tool {

/// Locked from claim() on, as long as this object lives: by the system, so that a process that is
/// killed leaves no lock behind.
class StateFolder {
public:
  /// For results in `out` (empty: none): OUT-state, or the first of OUT-state-2, ... that neither
  /// holds a state nor is claimed by another process. Which one is settled by claim().
  static StateFolder beside(std::string out);
  /// The state of an earlier run: the folder itself, or the results it stands beside. Throws
  /// io::InputMissing when there is no checkpoint, invalid_argument when several runs have left
  /// theirs beside those results: the older is not what was meant.
  static StateFolder of(const std::string& folder);

  /// From now on no other process writes here or goes on from here. Throws io::CannotWrite: when
  /// the folder cannot be made, or when it is the state of an earlier run that another process has
  /// taken.
  void claim();

  const std::filesystem::path& path() const { return path_; }
  /// Whether it stands beside this folder of results.
  bool is_beside(const std::string& out) const;

  /// The checkpoint of run number `run`, if it got that far.
  std::optional<run::Checkpoint> find(std::uint64_t run) const;
  /// Whether this process has claimed the folder and the checkpoint of that run is in it.
  bool has_saved(std::uint64_t run) const;
  std::string name(std::uint64_t run) const;                       ///< of that file
  void keep(std::uint64_t run, const run::Checkpoint& checkpoint); ///< claims it first

  /// The results are there: removes the checkpoints, and the folder unless it holds something else.
  void remove() const noexcept;

private:
  class Lock;

  StateFolder(std::filesystem::path path, bool fresh) : path_(std::move(path)), fresh_(fresh) {}

  std::filesystem::path path_;
  bool fresh_; // the name is still to be found
  std::shared_ptr<Lock> lock_;
};

} // namespace starling::tool
