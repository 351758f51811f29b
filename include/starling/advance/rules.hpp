// Step rules: how far one coordinate moves, given its drift g and what it remembers.
//
// A rule is parameters only. What it remembers lives in the ensemble's memory columns, `memories`
// numbers per coordinate, zero before the particle's first move. `at(time, moves)` fixes what is
// the same for a whole particle; the result is called as step(g, m) for each coordinate, or for a
// vector of coordinates, which reads like a number.
#pragma once

#include <starling/device.hpp>
#include <starling/error.hpp>

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

namespace starling {

template <typename R, typename Real>
concept StepRule = requires(const R& rule, double time, std::uint32_t moves, Real g,
                            std::array<Real, R::memories>& memory) {
  { rule.at(time, moves)(g, memory) } -> std::convertible_to<Real>;
};

/// What `at` gives.
template <typename Rule>
using StepOf = decltype(std::declval<const Rule&>().at(0.0, 0u));

inline double checked_step_size(double eta) {
  if (!(eta > 0) || !std::isfinite(eta))
    reject("step_size", "a positive finite number", shown(eta));
  return eta;
}

/// A share that a fading mean keeps at each step: at least 0, below 1.
inline double checked_fade(const char* what, double fade) {
  if (!(fade >= 0 && fade < 1))
    reject(what, "at least 0 and below 1", shown(fade));
  return fade;
}

/// The square root. Vectors have one of their own, which leaves the unit for both to the quotient.
template <std::floating_point Real>
STARLING_DEVICE Real root(Real a) {
  return std::sqrt(a);
}

/// A move by eta g.
template <typename Real>
struct Proportional {
  Real eta;
  template <typename T, typename Memory>
  STARLING_DEVICE T operator()(T g, Memory&) const {
    return eta * g;
  }
};

/// A move by eta g / (floor + sqrt(m)), after m = keep m + fresh g^2.
template <typename Real>
struct Scaled {
  Real eta, keep, fresh, floor;
  template <typename T, typename Memory>
  STARLING_DEVICE T operator()(T g, Memory& m) const {
    m[0] = keep * m[0] + fresh * (g * g);
    return eta * g / (floor + root(m[0]));
  }
};

/// A move by eta m_0 / (sqrt(c m_1) + floor), after m_0 and m_1 took in g and g^2.
template <typename Real>
struct Corrected {
  Real eta, correction, fade, fade_square, fresh, fresh_square, floor;
  template <typename T, typename Memory>
  STARLING_DEVICE T operator()(T g, Memory& m) const {
    m[0] = fade * m[0] + fresh * g;
    m[1] = fade_square * m[1] + fresh_square * (g * g);
    return eta * m[0] / (root(m[1] * correction) + floor);
  }
};

/// eta g.
template <typename Real>
class ConstantStep {
public:
  static constexpr std::size_t memories = 0;
  explicit ConstantStep(double eta) : eta_(static_cast<Real>(checked_step_size(eta))) {}

  STARLING_DEVICE Proportional<Real> at(double, std::uint32_t) const { return {eta_}; }

private:
  Real eta_;
};

/// eta_0 (1 + t/tau)^-power g, t counted in sweeps. The noise of small batches dies out when
/// power > 1/2, and every place stays in reach when power <= 1.
template <typename Real>
class DecayingStep {
public:
  static constexpr std::size_t memories = 0;
  DecayingStep(double eta, double tau, double power)
      : eta_(checked_step_size(eta)), tau_(tau), power_(power) {
    if (!(tau > 0) || !std::isfinite(tau))
      reject("decay tau", "a positive finite number", shown(tau));
    if (!(power >= 0) || !std::isfinite(power))
      reject("decay power", "at least 0", shown(power));
  }

  STARLING_DEVICE Proportional<Real> at(double time, std::uint32_t) const {
    return {static_cast<Real>(eta_ * std::pow(1 + time / tau_, -power_))};
  }

private:
  double eta_, tau_, power_;
};

/// The AdaGrad of SVGD's own code, and the paper's: m = g^2 at the first move, then
/// m = 0.9 m + 0.1 g^2; moves eta g / (1e-6 + sqrt(m)).
template <typename Real>
class FadingAdaGrad {
public:
  static constexpr std::size_t memories = 1;
  explicit FadingAdaGrad(double eta, double fade = 0.9, double floor = 1e-6)
      : eta_(static_cast<Real>(checked_step_size(eta))),
        fade_(static_cast<Real>(checked_fade("fade", fade))), floor_(static_cast<Real>(floor)) {}

  STARLING_DEVICE Scaled<Real> at(double, std::uint32_t moves) const {
    const Real keep = moves == 0 ? Real(0) : fade_;
    return {eta_, keep, 1 - keep, floor_};
  }

private:
  Real eta_, fade_, floor_;
};

/// AdaGrad as first published: m grows by g^2 for ever. Far starts never arrive with it.
template <typename Real>
class SummingAdaGrad {
public:
  static constexpr std::size_t memories = 1;
  explicit SummingAdaGrad(double eta, double floor = 1e-6)
      : eta_(static_cast<Real>(checked_step_size(eta))), floor_(static_cast<Real>(floor)) {}

  STARLING_DEVICE Scaled<Real> at(double, std::uint32_t) const { return {eta_, 1, 1, floor_}; }

private:
  Real eta_, floor_;
};

/// RMSProp: m = fade m + (1 - fade) g^2 from zero; moves eta g / (sqrt(m) + floor).
template <typename Real>
class RmsProp {
public:
  static constexpr std::size_t memories = 1;
  explicit RmsProp(double eta, double fade = 0.9, double floor = 1e-8)
      : eta_(static_cast<Real>(checked_step_size(eta))),
        fade_(static_cast<Real>(checked_fade("fade", fade))), floor_(static_cast<Real>(floor)) {}

  STARLING_DEVICE Scaled<Real> at(double, std::uint32_t) const {
    return {eta_, fade_, 1 - fade_, floor_};
  }

private:
  Real eta_, fade_, floor_;
};

/// Adam: fading means of g and g^2, both corrected for starting at zero.
template <typename Real>
class Adam {
public:
  static constexpr std::size_t memories = 2;
  explicit Adam(double eta, double fade = 0.9, double fade_square = 0.999, double floor = 1e-8)
      : eta_(checked_step_size(eta)), fade_(checked_fade("fade", fade)),
        fade_square_(checked_fade("fade_square", fade_square)), floor_(floor) {}

  STARLING_DEVICE Corrected<Real> at(double, std::uint32_t moves) const {
    const double t = moves + 1.0;
    const double b = 1 - std::pow(fade_, t), c = 1 - std::pow(fade_square_, t);
    return {static_cast<Real>(eta_ / b),  static_cast<Real>(1 / c),
            static_cast<Real>(fade_),     static_cast<Real>(fade_square_),
            static_cast<Real>(1 - fade_), static_cast<Real>(1 - fade_square_),
            static_cast<Real>(floor_)};
  }

private:
  double eta_, fade_, fade_square_, floor_;
};

// STARLING_STEPS(X) calls X for every kind of move above that is compiled for vectors, and how many
// numbers it remembers. The build of the SIMD levels reads it.
#define STARLING_STEPS(X) X(Proportional, 0) X(Scaled, 1) X(Corrected, 2)

} // namespace starling
