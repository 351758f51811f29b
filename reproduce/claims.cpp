// How a claim is decided, and how it reads in JSON.
#include "experiment.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace starling::reproduce {

Claim claim_near(std::string says, std::string where, double value, double error, double expected,
                 double tolerance, double matters) {
  Claim claim{std::move(says), std::move(where),
              fmt::format("{:.4g} +- {:.2g} beside {:.4g}", value, error, expected),
              Verdict::unclear, ""};
  const double distance = std::abs(value - expected);
  // Written so that what is not a number never holds.
  if (!(distance <= tolerance * error)) {
    claim.verdict = Verdict::differs;
    claim.because =
        fmt::format("{:.2g} apart, more than {:g} standard errors", distance, tolerance);
  } else if (!(error <= matters)) {
    claim.because = fmt::format(
        "the standard error exceeds {:.2g}, the least difference that would matter", matters);
  } else {
    claim.verdict = Verdict::holds;
    claim.because = fmt::format("{:.2g} apart, within {:g} standard errors", distance, tolerance);
  }
  return claim;
}

Claim claim_less(std::string says, std::string where, double a, double error_of_a, double b,
                 double error_of_b) {
  Claim claim{
      std::move(says), std::move(where),
      fmt::format("{:.4g} +- {:.2g} against {:.4g} +- {:.2g}", a, error_of_a, b, error_of_b),
      Verdict::unclear, ""};
  const double error = std::hypot(error_of_a, error_of_b);
  if (b - a > 2 * error) {
    claim.verdict = Verdict::holds;
    claim.because = "less by more than twice the standard error of the difference";
  } else if (a - b > 2 * error) {
    claim.verdict = Verdict::differs;
    claim.because = "greater by more than twice the standard error of the difference";
  } else {
    claim.because = "the difference is within twice its standard error";
  }
  return claim;
}

std::string to_text(Verdict verdict) {
  switch (verdict) {
  case Verdict::holds:
    return "holds";
  case Verdict::differs:
    return "differs";
  case Verdict::unclear:
    break;
  }
  return "unclear";
}

std::string verdict_on_all(const Json& claims) {
  bool unclear = claims.empty();
  for (const Json& claim : claims) {
    if (claim.at("verdict") == to_text(Verdict::differs))
      return to_text(Verdict::differs);
    unclear |= claim.at("verdict") != to_text(Verdict::holds);
  }
  return to_text(unclear ? Verdict::unclear : Verdict::holds);
}

Json to_json(const Claim& claim) {
  return {{"says", claim.says},
          {"where", claim.where},
          {"measured", claim.measured},
          {"verdict", to_text(claim.verdict)},
          {"because", claim.because}};
}

} // namespace starling::reproduce
