// The pictures of starling reproduce, drawn by Python in a process of its own.
#include "commands.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace starling::tool {
namespace {

namespace fs = std::filesystem;

/// Runs a program, found on the path if it is a bare name, and waits; -1 when it did not end by
/// itself. Its stdout goes to our stderr, for stdout is the summary's; when silent, nowhere.
int run_program(std::vector<std::string> words, bool silent) {
  std::vector<char*> argv;
  for (std::string& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  if (silent)
    posix_spawn_file_actions_addopen(&streams, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&streams, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = -1;
  const int error = posix_spawnp(&child, argv[0], &streams, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&streams);
  if (error != 0)
    return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The folder of this program; empty when the system does not tell.
fs::path own_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

/// The page's program: in the sources this was built from, or where an install puts it.
fs::path page_folder() {
  const fs::path sources = STARLING_PAGE;
  std::error_code error;
  return fs::exists(sources, error) ? sources : own_folder().parent_path() / "share/starling/reproduce/page";
}

std::vector<std::string> candidates(const std::string& asked) {
  if (!asked.empty())
    return {asked};
  return {(own_folder().parent_path() / "venv/bin/python").string(), "python3"};
}

/// Whether this Python can draw. The working folder is not among the places where it looks: a
/// numpy.py that happens to lie there is not ours to run.
bool can_draw(const std::string& python) {
  return run_program({python, "-c",
                      "import sys; sys.path[:] = [p for p in sys.path if p]; import matplotlib, numpy"},
                     true) == 0;
}

} // namespace

bool draw_page(const std::string& python, const std::string& folder) {
  for (const std::string& one : candidates(python)) {
    if (!can_draw(one))
      continue;
    if (run_program({one, page_folder().string(), folder}, false) == 0)
      return true;
    complain(failed, fmt::format("warning: no page was drawn: {} {} {} failed; all figures are in {}/*.json", one,
                                 page_folder().string(), folder, folder));
    return false;
  }
  complain(failed, fmt::format("warning: no page was drawn: {} cannot import matplotlib and numpy (Debian: python3-matplotlib; "
                               "or --python PATH); all figures are in {}/*.json",
                               python.empty() ? "python3" : python, folder));
  return false;
}

} // namespace starling::tool
