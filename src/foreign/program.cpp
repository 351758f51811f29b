// Running another program and waiting for it.
#include "foreign/program.hpp"

#include <cerrno>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace starling::foreign {

Ended run_program(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return {};
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_addopen(&streams, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&streams, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&streams, ends[1], STDERR_FILENO);
  pid_t child = -1;
  const int error = posix_spawnp(&child, argv[0], &streams, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&streams);
  ::close(ends[1]);
  Ended ended;
  char room[4096];
  for (ssize_t count = 1; error == 0 && count != 0;) {
    count = ::read(ends[0], room, sizeof room);
    if (count > 0)
      ended.output.append(room, static_cast<std::size_t>(count));
    else if (count < 0 && errno != EINTR)
      break;
  }
  ::close(ends[0]);
  if (error != 0)
    return ended;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return ended;
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

std::string last_lines(const std::string& output) {
  constexpr std::size_t most = 8000;
  constexpr const char* blanks = " \t\r\n";
  const std::size_t end = output.find_last_not_of(blanks);
  if (end == output.npos)
    return "it gave no reason";
  std::size_t begin = output.find_first_not_of(blanks);
  begin = output.rfind('\n', begin) == output.npos ? 0 : output.rfind('\n', begin) + 1;
  if (end + 1 - begin <= most)
    return output.substr(begin, end + 1 - begin);
  const std::size_t line = output.find('\n', end + 1 - most);
  begin = line < end ? line + 1 : end + 1 - most;
  return "...\n" + output.substr(begin, end + 1 - begin);
}

} // namespace starling::foreign
