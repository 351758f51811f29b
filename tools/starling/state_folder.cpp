// Where the state of an unfinished run is kept.
#include "state_folder.hpp"

#include "io/errors.hpp"

#include <fmt/format.h>

#include <vector>

namespace starling::tool {

namespace fs = std::filesystem;

namespace {

constexpr const char* ending = ".checkpoint";

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  return path;
}

} // namespace

StateFolder StateFolder::beside(std::string out) {
  const std::string first = (out.empty() ? "starling" : without_slash(std::move(out))) + "-state";
  std::string where = first;
  std::error_code ignored;
  for (int n = 2; fs::exists(where, ignored); ++n)
    where = fmt::format("{}-{}", first, n);
  return StateFolder(where);
}

StateFolder StateFolder::of(const std::string& folder) {
  const StateFolder given(folder), beside(without_slash(folder) + "-state");
  std::error_code ignored;
  for (const StateFolder& state : {given, beside})
    if (fs::exists(state.name(0), ignored))
      return state;
  throw io::InputMissing(given.name(0), ENOENT);
}

std::string StateFolder::name(std::uint64_t run) const {
  return (path_ / fmt::format("run-{}{}", run + 1, ending)).string();
}

std::optional<run::Checkpoint> StateFolder::find(std::uint64_t run) const {
  std::error_code ignored;
  if (!fs::exists(name(run), ignored))
    return std::nullopt;
  return run::read_checkpoint(name(run));
}

void StateFolder::keep(std::uint64_t run, const run::Checkpoint& checkpoint) const {
  run::write_checkpoint(name(run), checkpoint);
}

void StateFolder::remove() const noexcept {
  std::error_code ignored;
  std::vector<fs::path> ours;
  for (fs::directory_iterator at(path_, ignored), end; !ignored && at != end; at.increment(ignored))
    if (at->path().filename().string().find(ending) != std::string::npos) // also unfinished ones
      ours.push_back(at->path());
  for (const fs::path& file : ours)
    fs::remove(file, ignored);
  fs::remove(path_, ignored); // stays if it is not empty
}

} // namespace starling::tool
