"""Step rules, each with its settings: rules.decay(0.5, tau=100, power=0.6).

A function for each rule of the engine's table, with the step size and its settings as arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from . import _starling
from .tables import TABLES, constructor, missing, python_name


@dataclass(frozen=True)
class Rule:
    """A step rule by its name on the command line, with its settings."""

    name: str
    settings: dict = field(default_factory=dict)


_STEP_SIZE = inspect.Parameter(
    "step_size", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation="float | None"
)


def _rule(entry: dict[str, Any]) -> Callable[..., Rule]:
    names = {python_name(setting["name"]): setting["name"] for setting in entry["settings"]}

    def make(given: dict[str, Any]) -> Rule:
        settings = {}
        for name, value in given.items():
            if name in names:
                _starling.check_setting("rules", entry["name"], names[name], value)
            settings[python_name(f"{entry['name']}-{name}") if name in names else name] = value
        return Rule(entry["name"], settings)

    return constructor(__name__, "step rule", entry, make, [_STEP_SIZE], "Rule", keyword_only=True)


_made = {python_name(entry["name"]): _rule(entry) for entry in TABLES["rules"]}
globals().update(_made)
__all__ = ["Rule", *_made]


def __dir__() -> list[str]:
    return __all__


def __getattr__(
    name: str,
) -> Callable[..., Rule]:  # for type checkers, and for a name that is wrong
    raise missing(__name__, name, __all__)
