// What ends a run from outside.
#include "stop.hpp"

#include "commands.hpp"
#include "plan/spec.hpp"
#include "ranks.hpp"

#include <starling/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <limits>
#include <string_view>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>
#include <vector>

namespace starling::tool {

namespace {

using Clock = std::chrono::steady_clock;

// Ctrl-C, kill, and a terminal that is closed.
constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
constexpr double patience = 10; // seconds that a step may take after the time limit, at least

std::atomic<bool> asked{false}; // any thread may be the one that hears a signal
volatile std::sig_atomic_t out_of_time = 0, steps_are_taken = 0, saved = 0;
volatile std::sig_atomic_t one_was_taken = 0,
                           last_patience = 0; // for the first step, after a signal
std::vector<std::string> empty_folders;       // outermost first
std::string interrupted_early, over_early, interrupted_first, given_up_unsaved,
    given_up_saved;                       // none changes while a handler may read it
std::atomic<std::int64_t> grace_in_ms{0}; // what a step may take: twice the longest so far
Clock::time_point last_step;

void say(const std::string& line) { // write alone is safe in a handler
  if (unheard)
    return;
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t written = ::write(STDERR_FILENO, line.data() + at, line.size() - at);
    if (written <= 0)
      return;
    at += static_cast<std::size_t>(written);
  }
}

[[noreturn]] void leave(const std::string& line, int code) {
  if (!steps_are_taken)
    for (auto folder = empty_folders.rbegin(); folder != empty_folders.rend(); ++folder)
      ::rmdir(folder->c_str());
  say(line);
  ::_exit(code);
}

void ring_after(std::int64_t ms) {
  const itimerval timer{{0, 0}, {ms / 1000, ms % 1000 * 1000}};
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

// The first asks, and waits for the step: for the very first one, before which there is nothing to
// save, not for ever. A second, of any kind, ends the process at once: also one
// that came together with the first, and so comes here too.
extern "C" void ask_to_stop(int which) {
  if (!steps_are_taken)
    leave(interrupted_early, interrupted);
  if (asked.exchange(true)) {
    std::signal(which, SIG_DFL);
    std::raise(which); // when this returns
    return;
  }
  for (const int signal : signals)
    std::signal(signal, SIG_DFL);
  if (!one_was_taken) {
    last_patience = 1;
    ring_after(static_cast<std::int64_t>(1000 * patience));
  }
}

extern "C" void at_the_limit(int) {
  if (last_patience) {
    if (!one_was_taken)
      leave(interrupted_first, interrupted);
    return;
  }
  if (out_of_time)
    leave(!steps_are_taken ? over_early : saved ? given_up_saved : given_up_unsaved, over_time);
  out_of_time = 1;
  ring_after(grace_in_ms);
}

} // namespace

void listen(std::uint64_t seconds, std::span<const std::filesystem::path> made) {
  asked = false;
  out_of_time = 0;
  steps_are_taken = 0;
  saved = 0;
  one_was_taken = 0;
  last_patience = 0;
  empty_folders.assign(made.begin(), made.end());
  interrupted_early = "starling: interrupted before the first step; nothing was written\n";
  interrupted_first = fmt::format("starling: interrupted; the first step did not end within {} s, "
                                  "and there is nothing to save before it\n",
                                  patience);
  over_early = fmt::format(
      "starling: the time limit of {} s was reached before the first step; nothing was written\n",
      seconds);
  grace_in_ms = 1; // a run that has not begun has nothing to save
  for (const int signal : signals)
    if (std::signal(signal, ask_to_stop) == SIG_IGN && signal == SIGHUP)
      std::signal(signal, SIG_IGN); // nohup: whoever started it wants it to go on
  std::signal(SIGALRM, at_the_limit);
  if (seconds == 0)
    return;
  constexpr std::uint64_t longest =
      1000000000; // more seconds than anyone waits, and safe to multiply
  ring_after(static_cast<std::int64_t>(std::min(seconds, longest) * 1000));
}

void wait_for_steps(const std::string& unsaved, const std::string& kept) {
  sigset_t alarm, before;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  ::pthread_sigmask(SIG_BLOCK, &alarm, &before);
  if (!steps_are_taken) { // of several runs the first
    constexpr std::string_view begin =
        "starling: the time limit was reached and the current step does not end";
    given_up_unsaved = fmt::format("{}; {}\n", begin, unsaved);
    given_up_saved = fmt::format("{}; {}\n", begin, kept);
  }
  grace_in_ms = static_cast<std::int64_t>(1000 * patience);
  last_step = Clock::now();
  if (out_of_time) { // just now, with the grace of a run that had not begun: it may ring before
                     // there was a step
    ring_after(grace_in_ms);
    const timespec at_once{};
    ::sigtimedwait(&alarm, nullptr, &at_once);
  }
  steps_are_taken = 1;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void note_saved() { saved = 1; }

bool should_stop() {
  one_was_taken = 1;
  const Clock::time_point now = Clock::now();
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(now - last_step).count();
  last_step = now;
  grace_in_ms = std::max<std::int64_t>(grace_in_ms, 2 * took);
  return is_to_stop();
}

bool is_to_stop() { return asked || out_of_time != 0; }

bool time_is_up() { return out_of_time != 0; }

void stop_the_clock() {
  const itimerval never{};
  ::setitimer(ITIMER_REAL, &never, nullptr);
}

void limit_memory(std::uint64_t bytes) {
  rlimit now{};
  if (::getrlimit(RLIMIT_DATA, &now) != 0)
    return;
  now.rlim_cur = bytes == 0 ? now.rlim_max : std::min<rlim_t>(bytes, now.rlim_max);
  ::setrlimit(RLIMIT_DATA, &now);
}

std::uint64_t parse_bytes(const std::string& what, const std::string& text) {
  static const std::string units = "kMGT";
  const std::size_t unit = text.empty() ? std::string::npos : units.find(text.back());
  const double number =
      plan::parse_number(what, unit == std::string::npos ? text : text.substr(0, text.size() - 1));
  const double bytes =
      std::ldexp(number, unit == std::string::npos ? 0 : 10 * static_cast<int>(unit + 1));
  if (!(bytes >= 1) || bytes > 0x1p62)
    reject(what, "a number of bytes, such as 500M or 8G", text);
  return static_cast<std::uint64_t>(bytes);
}

} // namespace starling::tool
