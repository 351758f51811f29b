// What ends a run from outside: a signal, the clock, the limit of memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace starling::tool {

/// From here on Ctrl-C, kill and a closed terminal end the process with a sentence, and the empty
/// folders go with it: so far there is nothing else to lose. With seconds > 0 the clock of a time
/// limit starts.
void listen(std::uint64_t seconds, std::span<const std::filesystem::path> made);

/// There is a run now: the first signal, and the time limit, ask it to stop after its step. A
/// second signal ends the process at once, and so does the first where the first step does not end
/// within ten seconds: there is nothing to save yet. A step that does not end for long after the
/// limit is given up, and the process ends: what is saved is then told in the words `unsaved`, or
/// `kept` after note_saved(). Of several runs the first says the words.
void wait_for_steps(const std::string& unsaved, const std::string& kept);
void note_saved();

/// Asked after every step, whose time it takes.
bool should_stop();
/// The same at any moment.
bool is_to_stop();
bool time_is_up();

/// The run is over: nothing is given up any more.
void stop_the_clock();

/// Memory of our own that the system gives at most; more is an error like any other lack of it. 0:
/// no limit.
void limit_memory(std::uint64_t bytes);

/// "500M", "8G", or bytes; k, M, G and T are powers of 1024. Throws invalid_argument.
std::uint64_t parse_bytes(const std::string& what, const std::string& text);

} // namespace starling::tool
