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

/// The last lines of an output, as one line of a message.
std::string last_words(const std::string& output);

} // namespace starling::foreign
