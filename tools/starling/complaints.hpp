// What every subcommand says and ends with when something is wrong.
#pragma once

#include <string>

namespace starling::tool {

/// Exit codes that scripts rely on.
enum Exit : int {
  ok = 0,
  failed = 1,
  not_converged = 2,
  usage = 64,
  bad_data = 65,
  input_missing = 66,
  cannot_write = 73,
  bad_config = 78,
  over_time = 124,
  interrupted = 130,
};

/// The words this program was called with; null after the last.
inline char** command_line = nullptr;

/// To stderr. What cannot be written there (a full disk, a reader that is gone) is lost; the run is
/// not.
void tell(const std::string& text) noexcept;

/// One line there that begins with the program's name; control characters are written out, the end
/// of a very long one left out.
void tell_line(const std::string& text);

/// One line on stderr, in place of any progress line; returns the code.
int complain(Exit code, const std::string& text);

} // namespace starling::tool
