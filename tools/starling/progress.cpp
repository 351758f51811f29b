// The progress line on stderr.
#include "commands.hpp"

#include "stop.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace starling::tool {

namespace {

bool line_shown = false;

std::string clock_text(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

/// What the last look said.
std::string looks(const run::Flight& flight) {
  if (!flight.stage().empty())
    return flight.stage();
  std::string text = fmt::format("drift {:.3g}", flight.drift_size());
  const judge::TraceRow last = flight.trace().empty() ? judge::TraceRow() : flight.trace().back();
  if (!std::isnan(last.ksd)) // none on a torus, none of one particle
    text += fmt::format(", KSD^2 {:.2g} +- {:.1g}", last.ksd, last.ksd_se);
  return last.verdict ? text + ", " + judge::word(*last.verdict) : text;
}

void show_bar(const ProgressReport& report, const std::string& where, const std::string& says) {
  constexpr std::size_t width = 28;
  const double share = static_cast<double>(report.done) / static_cast<double>(report.total);
  const auto full = static_cast<std::size_t>(share * width);
  const char* no_color = std::getenv("NO_COLOR"); // counts when it is set and not empty
  const bool plain = no_color != nullptr && *no_color != '\0';
  tell(fmt::format("\r{}[{}{}]{} {:3.0f}%  {}step {} of {}  {} left  {}\033[K",
                   plain ? "" : "\033[36m", std::string(full, '='), std::string(width - full, ' '),
                   plain ? "" : "\033[0m", 100 * share, where, report.done, report.total,
                   clock_text(report.seconds_left), says));
  line_shown = true;
}

} // namespace

void clear_progress() {
  if (line_shown)
    tell("\r\033[K");
  line_shown = false;
}

run::Watch watch_for(const Presentation& p, std::uint64_t runs) {
  run::Watch watch;
  watch.interrupted = should_stop;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const bool bar = p.progress == "bar" || (p.progress == "auto" && terminal);
  if (p.quiet || p.progress == "none")
    return watch;
  // Short runs stay silent. A bar is drawn ten times a second, a plain line every ten seconds.
  struct Shown {
    std::uint64_t run = 0;
    double next = 2;
  };
  watch.progress = [bar, runs, shown = Shown()](const ProgressReport& report,
                                                const run::Flight& flight) mutable {
    if (flight.run() == shown.run && report.seconds < shown.next)
      return;
    shown = {flight.run(), report.seconds + (bar ? 0.1 : 10.0)};
    const std::string where = runs > 1 ? fmt::format("run {} of {}  ", flight.run() + 1, runs) : "";
    if (bar)
      show_bar(report, where, looks(flight));
    else
      tell(fmt::format("{}step {} of {}, {} left, {}\n", where, report.done, report.total,
                       clock_text(report.seconds_left), looks(flight)));
  };
  return watch;
}

} // namespace starling::tool
