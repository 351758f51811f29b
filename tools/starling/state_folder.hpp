// The folder beside the results in which an unfinished run keeps its state, a checkpoint per run.
#pragma once

#include <starling/run/checkpoint.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace starling::tool {

class StateFolder {
public:
  /// For results in `out` (empty: none): OUT-state, or the first of OUT-state-2, ... that holds
  /// nothing yet. It is made when there is something to save.
  static StateFolder beside(std::string out);
  /// The state of an earlier run: the folder itself, or the results it stands beside. Throws
  /// io::InputMissing when there is no checkpoint.
  static StateFolder of(const std::string& folder);

  const std::filesystem::path& path() const { return path_; }

  /// The checkpoint of run number `run`, if it got that far.
  std::optional<run::Checkpoint> find(std::uint64_t run) const;
  std::string name(std::uint64_t run) const; ///< of that file
  void keep(std::uint64_t run, const run::Checkpoint& checkpoint) const;

  /// The results are there: removes the checkpoints, and the folder unless it holds something else.
  void remove() const noexcept;

private:
  explicit StateFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

} // namespace starling::tool
