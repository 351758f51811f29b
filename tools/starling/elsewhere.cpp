// bench and reproduce live in a program of their own, starling-lab, which takes as long to build as
// all the rest: whoever only wants to sample need not wait for it. It takes the same command line,
// and takes over here.
#include "complaints.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace starling::tool {

struct BenchRequest; // of commands.hpp, which would be read for their names alone
struct ReproduceRequest;
int bench(const BenchRequest&);
int reproduce(const ReproduceRequest&);

namespace {

int hand_over(const char* command) {
  std::error_code ignored;
  const auto lab =
      std::filesystem::read_symlink("/proc/self/exe", ignored).replace_filename("starling-lab");
  if (!std::filesystem::exists(lab, ignored))
    return complain(failed, fmt::format("{}: starling-lab is not built; scripts/run {} builds it, "
                                        "or cmake --build with the target starling_lab",
                                        command, command));
  execv(lab.c_str(), command_line);
  return complain(failed, fmt::format("{}: {}", lab.string(), std::strerror(errno)));
}

} // namespace

int bench(const BenchRequest&) { return hand_over("bench"); }
int reproduce(const ReproduceRequest&) { return hand_over("reproduce"); }

} // namespace starling::tool
