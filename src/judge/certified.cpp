// A certificate in words: what decided, in which direction, by how much, and what would help.
#include <starling/judge/certified.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace starling::judge {

namespace {

/// The largest that the error of any mean, or of any variance, can well be.
double largest(const Certificate& certificate, bool of_squares) {
  double most = 0;
  for (const Displacement& one : certificate.all)
    if ((one.trait == Trait::square) == of_squares)
      most = std::max(most, std::abs(one.error) + 2 * one.se);
  return most;
}

std::string moved(const Displacement& by, const std::string& name) {
  if (by.trait == Trait::square)
    return fmt::format("exact moves make {} {} than it is here: its variance is {:.0f} % too {}",
                       name, by.error > 0 ? "wider" : "narrower",
                       100 * std::abs(by.error) / std::max(0.05, 1 + by.error),
                       by.error > 0 ? "small" : "large");
  return fmt::format("exact moves carry {} {} by {:.2f} of its sd", name,
                     by.error > 0 ? "up" : "down", std::abs(by.error));
}

std::string undecided(const Certificate& certificate, const std::string& name) {
  const Displacement& by = certificate.worst;
  if (by.memory >= Bounds().most_memory)
    return fmt::format(
        "{} hardly moves under exact moves, so they cannot show whether it is right: a narrow or "
        "strongly bent shape, perhaps; raise --certify, or write the model in other parameters",
        name);
  return fmt::format("exact moves do not carry {} away, but leave room for an error of {:.2f} {}: "
                     "take more --particles",
                     name, std::abs(by.error) + 2 * by.se,
                     by.trait == Trait::square ? "of its variance" : "sd");
}

std::string heavy(const Certificate& certificate, const std::vector<std::string>& names) {
  if (certificate.heavy.empty() || names.empty())
    return {};
  const std::string& first = names[std::min(certificate.heavy.front(), names.size() - 1)];
  const std::size_t more = certificate.heavy.size() - 1;
  return fmt::format("; of {}{} read the quantiles: the tail is too heavy for a mean and an sd",
                     first, more > 0 ? fmt::format(" and {} more", more) : "");
}

} // namespace

Verdict certified(const Certificate& certificate, const std::vector<std::string>& names,
                  std::size_t modes, bool raw) {
  const std::string name = names.empty()
                               ? std::string()
                               : names[std::min(certificate.worst.parameter, names.size() - 1)];
  switch (certificate.finding) {
  case Finding::confirmed:
    return {"converged",
            fmt::format("{} exact moves of {} leave the cloud where it is: no mean is off by more "
                        "than {:.2f} sd, no variance by more than {:.0f} %",
                        certificate.moves,
                        certificate.particles > 0
                            ? fmt::format("{} of the particles", certificate.particles)
                            : std::string("every particle"),
                        largest(certificate, false), 100 * largest(certificate, true)) +
                heavy(certificate, names)};
  case Finding::moved:
    return {"still moving",
            moved(certificate.worst, name) +
                (raw ? ": do not trust its figures; take more --steps, or leave the options of the "
                       "method out, so that --method auto corrects the cloud"
                     : ": do not trust its figures; take more --particles, or look at its shape")};
  case Finding::undecided:
    break;
  }
  if (modes > 1)
    return {
        "cannot tell",
        fmt::format("the scout found {} separate modes: nothing here tells how much each of them "
                    "weighs; compare several --runs, or use a method made for separate modes",
                    modes)};
  return {"cannot tell", undecided(certificate, name)};
}

const char* word(Finding finding) {
  constexpr const char* words[] = {"moved", "confirmed", "undecided"};
  return words[static_cast<std::size_t>(finding)];
}

} // namespace starling::judge
