// Running another program and waiting for it.
#pragma once

#include <string>
#include <vector>

namespace starling::foreign {

struct Ended {
  int code = -1;      ///< its exit code; -1 when it could not be started or a signal ended it
  std::string output; ///< what it wrote to stdout and stderr
};

/// Runs a program without a shell, found on the path if it is a bare name, with nothing to read.
Ended run_program(std::vector<std::string> words);

/// An output without blank lines at its ends; of a very long one the last lines.
std::string last_lines(const std::string& output);

} // namespace starling::foreign
