// Where the state of an unfinished run is kept.
#include "state_folder.hpp"

#include "io/errors.hpp"
#include "plan/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
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

/// Checkpoints in it, also unfinished ones.
std::vector<fs::path> checkpoints_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end;
       at.increment(ignored))
    if (at->path().filename().string().find(ending) != std::string::npos)
      found.push_back(at->path());
  return found;
}

/// OUT-state, OUT-state-2, ... that hold the state of a first run, in order.
std::vector<std::string> states_beside(const std::string& out) {
  std::vector<std::pair<unsigned long, std::string>> found;
  const fs::path stem = out + "-state";
  const std::string name = stem.filename().string();
  std::error_code ignored;
  const fs::path above = stem.has_parent_path() ? stem.parent_path() : fs::path(".");
  for (fs::directory_iterator at(above, ignored), end; !ignored && at != end;
       at.increment(ignored)) {
    const std::string one = at->path().filename().string();
    const std::string number = one.starts_with(name + "-") ? one.substr(name.size() + 1) : "";
    if (one != name && (number.empty() || number.size() > 9 ||
                        number.find_first_not_of("0123456789") != number.npos))
      continue;
    std::error_code none;
    if (fs::exists(at->path() / fmt::format("run-1{}", ending), none))
      found.emplace_back(number.empty() ? 1 : std::stoul(number),
                         stem.string() + (number.empty() ? "" : "-" + number));
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& one : found)
    names.push_back(std::move(one.second));
  return names;
}

} // namespace

/// A folder that is held by this process: no file in it, but a lock of the system on the folder
/// itself.
class StateFolder::Lock {
public:
  /// Nothing where another process holds it, or removed it meanwhile.
  static std::shared_ptr<Lock> of(const fs::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
      throw io::CannotWrite(folder, errno);
    const auto lock = std::shared_ptr<Lock>(new Lock(folder, descriptor));
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      return nullptr; // any other error: a file system without locks
    lock->held_ = true;
    return lock->still_named() ? lock : nullptr;
  }
  ~Lock() {
    if (held_ && still_named())
      ::rmdir(folder_.c_str()); // stays if there is a state in it
    ::close(descriptor_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

private:
  Lock(fs::path folder, int descriptor) : folder_(std::move(folder)), descriptor_(descriptor) {}

  /// The folder may have been removed, and another made in its place.
  bool still_named() const {
    struct stat held = {}, named = {};
    return ::fstat(descriptor_, &held) == 0 && ::stat(folder_.c_str(), &named) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
  }

  fs::path folder_;
  int descriptor_;
  bool held_ = false;
};

StateFolder StateFolder::beside(std::string out) {
  return {(out.empty() ? "starling" : without_slash(std::move(out))) + "-state", true};
}

StateFolder StateFolder::of(const std::string& folder) {
  const StateFolder given(folder, false);
  std::error_code ignored;
  if (fs::exists(given.name(0), ignored))
    return given;
  const std::vector<std::string> states = states_beside(without_slash(folder));
  if (states.empty())
    throw io::InputMissing(given.name(0), ENOENT);
  if (states.size() > 1)
    plan::refuse(
        "--resume",
        fmt::format("{} each have the state of a run with results in {}; give the one to continue",
                    plan::list_words(states), folder));
  return {states.front(), false};
}

bool StateFolder::has_saved(std::uint64_t run) const {
  std::error_code ignored;
  return lock_ && fs::exists(name(run), ignored);
}

void StateFolder::claim() {
  if (lock_)
    return;
  if (!fresh_) {
    lock_ = Lock::of(path_);
    if (!lock_)
      throw io::CannotWrite(path_, EBUSY, "is in use by another process, which continues this run");
    return;
  }
  const std::string first = path_.string();
  for (int n = 2; !lock_; ++n) {
    std::error_code error;
    fs::create_directories(path_, error);
    if (error)
      throw io::CannotWrite(path_, error.value());
    lock_ = Lock::of(path_);
    if (lock_ && checkpoints_in(path_).empty() && fs::is_empty(path_, error))
      break;
    lock_.reset(); // of another run, or of someone else
    path_ = fmt::format("{}-{}", first, n);
  }
  fresh_ = false;
}

bool StateFolder::is_beside(const std::string& out) const {
  const std::string stem = fs::absolute(without_slash(out)).lexically_normal().string() + "-state";
  const std::string here = fs::absolute(without_slash(path_.string())).lexically_normal().string();
  return !out.empty() && (here == stem || (here.starts_with(stem + "-") &&
                                           here.find_first_not_of("0123456789", stem.size() + 1) ==
                                               std::string::npos));
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

void StateFolder::keep(std::uint64_t run, const run::Checkpoint& checkpoint) {
  claim();
  run::write_checkpoint(name(run), checkpoint);
}

void StateFolder::remove() const noexcept {
  std::error_code ignored;
  for (const fs::path& file : checkpoints_in(path_))
    fs::remove(file, ignored);
  fs::remove(path_, ignored); // stays if it is not empty
}

} // namespace starling::tool
