// What can go wrong, as types: asked wrong, the density failed, a part that was not built.
#pragma once

#include <cstdint>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace starling {

/// The count of steps taken, and the address of everything random that a step draws.
using Step = std::uint64_t;

/// Asked wrong. The text has one form everywhere: "batch_size: must be at least 2; got 1".
[[noreturn]] inline void reject(const std::string& what, const std::string& rule,
                                const std::string& got) {
  throw std::invalid_argument(what + ": must be " + rule + "; got " + got);
}

/// A number as a refusal shows it: -1e-9 and not -0.000000.
inline std::string shown(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

/// The density failed: it threw, or returned something that is not a finite number. The ensemble
/// still holds the positions from before the step.
class TargetError : public std::runtime_error {
public:
  TargetError(Step step, std::size_t particle, std::string cause)
      : std::runtime_error("target: failed at step " + std::to_string(step) + ", particle " +
                           std::to_string(particle) + ": " + cause),
        step_(step), particle_(particle), cause_(std::move(cause)) {}

  Step step() const { return step_; }
  std::size_t particle() const { return particle_; }
  const std::string& cause() const { return cause_; }

private:
  Step step_;
  std::size_t particle_;
  std::string cause_;
};

/// A position is no longer a number: the move itself overflowed although every score was finite.
class Diverged : public std::runtime_error {
public:
  Diverged(Step step, std::size_t particle, std::string parameter)
      : std::runtime_error("particles: diverged at step " + std::to_string(step) + ", particle " +
                           std::to_string(particle) + ", parameter " + parameter +
                           ": the position is not finite; lower the step size"),
        step_(step), particle_(particle), parameter_(std::move(parameter)) {}

  Step step() const { return step_; }
  std::size_t particle() const { return particle_; }
  const std::string& parameter() const { return parameter_; }

private:
  Step step_;
  std::size_t particle_;
  std::string parameter_;
};

/// More than there is memory for. The text says what it was.
class DoesNotFit : public std::bad_alloc {
public:
  explicit DoesNotFit(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

private:
  std::string text_;
};

/// A back end that this build does not have.
class NotBuilt : public std::runtime_error {
public:
  explicit NotBuilt(const std::string& part)
      : std::runtime_error(part + ": not in this build of starling") {}
};

} // namespace starling
