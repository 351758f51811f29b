// The command line: every error there is, as one line and an exit code.
#include "assemble/processor.hpp"
#include "commands.hpp"
#include "python_program.hpp"
#include "ranks.hpp"

#include "io/errors.hpp"
#include "plan/config.hpp"

#include <starling/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace starling::tool {

void tell(const std::string& text) noexcept {
  if (!unheard)
    std::fputs(text.c_str(), stderr);
}

void tell_line(const std::string& text) {
  constexpr std::size_t longest = 2000; // names and cells of a file may be of any length
  std::string line;
  for (const char c : text.substr(0, longest))
    if (const auto byte = static_cast<unsigned char>(c);
        byte < 0x20 || byte == 0x7f) // a terminal would obey it
      line += fmt::format("\\x{:02x}", byte);
    else
      line += c;
  if (text.size() > longest) {
    while (!line.empty() && (line.back() & 0x80) != 0) // it may be half a letter
      line.pop_back();
    line += fmt::format("... ({} characters)", text.size());
  }
  tell("starling: " + line + "\n");
}

int complain(Exit code, const std::string& text) {
  clear_progress();
  tell_line(text);
  return code;
}

namespace {

int end_with(Exit code, const std::string& text) {
  clear_progress();
  return end_of_rank(code, text);
}

/// The one kind of message that may be of several lines: the first as usual, then those of a
/// compiler, as they are but for control characters.
int end_with_lines(Exit code, const std::string& text) {
  const std::size_t first = std::min(text.find('\n'), text.size());
  const int ended = end_with(code, text.substr(0, first));
  std::string lines;
  for (const char c : text.substr(std::min(first + 1, text.size())))
    if (const auto byte = static_cast<unsigned char>(c);
        c != '\n' && c != '\t' && (byte < 0x20 || byte == 0x7f))
      lines += fmt::format("\\x{:02x}", byte);
    else
      lines += c;
  if (!lines.empty())
    tell(lines + "\n");
  return ended;
}

int guarded(int argc, char** argv) noexcept {
  try {
    const char* const* const command =
        std::find_if(argv + 1, argv + argc, [](const char* word) { return *word != '-'; });
    if (command != argv + argc && std::string_view(*command) == "sample")
      ranks(); // before anything that may be said
    else if (!does_it_alone(command == argv + argc ? "none" : *command))
      return ok;
    return parse_and_run(argc, argv);
  } catch (const plan::BadConfig& error) {
    return end_with(bad_config, error.what());
  } catch (const io::BadProgram& error) {
    return end_with_lines(bad_data, error.what());
  } catch (const io::BadData& error) {
    return end_with(bad_data, error.what());
  } catch (const io::InputMissing& error) {
    return end_with(input_missing, error.what());
  } catch (const io::CannotWrite& error) {
    return end_with(cannot_write, error.what());
  } catch (const std::invalid_argument& error) {
    return end_with(usage, error.what());
  } catch (const Interrupted& error) {
    return end_with(interrupted, error.what());
  } catch (const DoesNotFit& error) {
    return end_with(failed, error.what());
  } catch (const std::bad_alloc&) {
    return end_with(failed, "memory: not enough for so many particles or rows");
  } catch (const std::filesystem::filesystem_error&
               error) { // a name that is too long, a folder that may not be entered
    return end_with(input_missing,
                    fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::system_error&
               error) { // threads that could not be started: libraries may wait for theirs too
    end_with(failed, error.what());
    std::fflush(nullptr);
    std::_Exit(failed);
  } catch (const std::exception& error) {
    return end_with(failed, error.what());
  }
}

/// An exception where none may pass: libraries take memory in such places, and may hide which
/// exception it was. No word here that would have to be made.
[[noreturn]] void give_up() noexcept {
  std::fputs("starling: memory: out of memory\n", stderr);
  std::_Exit(failed);
}

} // namespace

} // namespace starling::tool

int main(int argc, char** argv) {
  using namespace starling::tool;
  command_line = argv;
  // A stream that is closed leaves its number to the next file, and messages would go into a
  // result. Opened for reading, it takes none: writing still fails.
  for (int stream = 0; stream < 3; ++stream)
    if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", O_RDONLY) < 0)
      return failed;
  // A reader that is gone is an error of the write, not the end of the run. A handler, since what
  // is ignored would stay so in programs that are started from here.
  std::signal(SIGPIPE, [](int) {});
  std::set_terminate(give_up);
  starling::assemble::multiply_for_this_processor();
  const int code = guarded(argc, argv);
  if (started_as_a_rank()) // mpirun asks the others to stop as soon as the first has ended; they
                           // are about to
    std::signal(SIGTERM, SIG_IGN);
  leave_ranks();
  const bool lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (lost && code == ok) // what was printed must have arrived
    return complain(cannot_write, "stdout: cannot write");
  return code;
}
