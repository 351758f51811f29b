// The verdict by a certificate: what decided, in which direction and by how much.
#include <starling/judge/certified.hpp>

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

std::vector<std::string> heavy(const Certificate& certificate,
                               const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const std::size_t column : certificate.heavy)
    if (!names.empty())
      found.push_back(names[std::min(column, names.size() - 1)]);
  return found;
}

} // namespace

Judgement judge_by_moves(const Certificate& certificate, const std::vector<std::string>& names,
                         std::size_t modes, bool raw) {
  const Displacement& by = certificate.worst;
  const std::string name =
      names.empty() ? std::string() : names[std::min(by.parameter, names.size() - 1)];
  switch (certificate.finding) {
  case Finding::confirmed:
    return {Verdict::converged,
            evidence::MovesConfirm{certificate.moves, certificate.particles,
                                   largest(certificate, false), largest(certificate, true),
                                   heavy(certificate, names)}};
  case Finding::moved:
    return {Verdict::still_moving, evidence::MovesCarryAway{name, by, raw}};
  case Finding::undecided:
    break;
  }
  if (modes > 1)
    return {Verdict::cannot_tell, evidence::ModesNotWeighed{modes}};
  if (by.memory >= Bounds().most_memory)
    return {Verdict::cannot_tell, evidence::HardlyMoves{name}};
  return {Verdict::cannot_tell,
          evidence::RoomForError{name, std::abs(by.error) + 2 * by.se, by.trait == Trait::square}};
}

} // namespace starling::judge
