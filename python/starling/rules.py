"""Step rules, each with its settings: rules.decay(0.5, tau=100, power=0.6)."""
from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Rule:
    """A step rule by its name on the command line, with its settings."""

    name: str
    settings: dict = field(default_factory=dict)


def _rule(name: str, step_size: float | None, **more: float) -> Rule:
    settings = {"step_size": step_size, **more}
    return Rule(name, {key: value for key, value in settings.items() if value is not None})


def adagrad(step_size: float | None = None) -> Rule:
    """The fading AdaGrad of SVGD's own code."""
    return _rule("adagrad", step_size)


def adagrad_sum(step_size: float | None = None) -> Rule:
    """AdaGrad with the ever-growing sum of squares."""
    return _rule("adagrad-sum", step_size)


def constant(step_size: float | None = None) -> Rule:
    """x += eta drift."""
    return _rule("constant", step_size)


def decay(step_size: float | None = None, *, tau: float | None = None, power: float | None = None) -> Rule:
    """eta (1 + k / tau)^-power."""
    return _rule("decay", step_size, decay_tau=tau, decay_power=power)


def rmsprop(step_size: float | None = None) -> Rule:
    return _rule("rmsprop", step_size)


def adam(step_size: float | None = None) -> Rule:
    return _rule("adam", step_size)


def rk4(step_size: float | None = None) -> Rule:
    """Runge-Kutta of order four inside each step."""
    return _rule("rk4", step_size)


def splitting(step_size: float | None = None) -> Rule:
    """Exact repulsion of pairs, for the kernel riesz."""
    return _rule("splitting", step_size)
