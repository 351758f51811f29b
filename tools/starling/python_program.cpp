// Starting other programs and waiting for them.
#include "python_program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace starling::tool {

namespace {

constexpr const char* module_path =
    "PYTHONPATH"; // where a Python looks before it runs a word of ours

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words)
    all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

/// A list of folders without those that are the working folder, or lie in it: empty and relative
/// ones.
std::string absolute_ones(const std::string& list) {
  std::string kept;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin && list[begin] == '/')
      kept += (kept.empty() ? "" : ":") + list.substr(begin, end - begin);
    begin = end + 1;
  }
  return kept;
}

volatile std::sig_atomic_t running = 0, interrupted_by = 0; // the child's number; the signal

extern "C" void end_the_child(int signal) {
  interrupted_by = signal;
  if (running > 0)
    ::kill(static_cast<pid_t>(running), SIGTERM);
}

/// While it lives, what would end us ends the child; then we hear of it. What is ignored stays so.
class HandedOn {
public:
  HandedOn() {
    interrupted_by = 0;
    struct sigaction ours {};
    ours.sa_handler = end_the_child;
    for (std::size_t n = 0; n < signals.size(); ++n)
      if (::sigaction(signals[n], nullptr, &before_[n]) == 0 && before_[n].sa_handler != SIG_IGN)
        ::sigaction(signals[n], &ours, nullptr);
  }
  ~HandedOn() {
    running = 0;
    for (std::size_t n = 0; n < signals.size(); ++n)
      ::sigaction(signals[n], &before_[n], nullptr);
  }
  HandedOn(const HandedOn&) = delete;
  HandedOn& operator=(const HandedOn&) = delete;

private:
  static constexpr std::array signals = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[signals.size()]{};
};

} // namespace

int run_program(std::vector<std::string> words, Hears hears,
                const std::vector<std::pair<std::string, std::string>>& settings) {
  std::vector<std::string> kept;
  for (const auto& [name, value] : settings)
    kept.push_back(name + "=" + (name == module_path ? absolute_ones(value) : value));
  const std::size_t ours = kept.size();
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string text = *one;
    bool replaced = false;
    for (std::size_t n = 0; n < ours; ++n)
      replaced = replaced || text.starts_with(settings[n].first + "=");
    if (const std::string path = std::string(module_path) + "=";
        !replaced && text.starts_with(path))
      kept.push_back(path + absolute_ones(text.substr(path.size())));
    else if (!replaced)
      kept.push_back(text);
  }
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  if (hears == Hears::nothing)
    posix_spawn_file_actions_addopen(&streams, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  if (hears != Hears::everything)
    posix_spawn_file_actions_adddup2(&streams, STDERR_FILENO, STDOUT_FILENO);
  const HandedOn handed_on;
  pid_t child = -1;
  const int error = posix_spawnp(&child, words.at(0).c_str(), &streams, nullptr,
                                 pointers_to(words).data(), pointers_to(kept).data());
  posix_spawn_file_actions_destroy(&streams);
  if (error != 0)
    return -1;
  running = child;
  if (interrupted_by != 0) // between the two lines
    ::kill(child, SIGTERM);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  if (interrupted_by != 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT))
    throw Interrupted();
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::filesystem::path own_folder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

std::vector<std::string> pythons(const std::string& asked) {
  if (!asked.empty())
    return {asked};
  std::vector<std::string> all;
  if (const char* ours = std::getenv("STARLING_PYTHON");
      ours != nullptr && *ours != '\0') // set where pip installed us
    all.emplace_back(ours);
  if (const std::filesystem::path own = own_folder(); !own.empty())
    all.push_back((own.parent_path() / "venv/bin/python").string());
  all.emplace_back("python3");
  return all;
}

bool can_import(const std::string& python, const std::string& modules,
                const std::vector<std::pair<std::string, std::string>>& settings) {
  return run_program({python, "-c",
                      "import sys; sys.path[:] = [p for p in sys.path if p]; import " + modules},
                     Hears::nothing, settings) == 0;
}

} // namespace starling::tool
