"""Settings of a run as the engine takes them, from what a user gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _starling, kernels, rules
from .words import no_setting

OF_SAMPLE = (
    "callback",
    "check",
    "checkpoint",
    "checkpoint_every",
    "comm",
    "dim",
    "force",
    "names",
    "progress",
    "run",
)  # beside the engine's
ENOUGH = 1000  # draws of a prior, to know how wide it is


def given_start(
    start: Any, settings: dict[str, Any], space: Any
) -> tuple[np.ndarray, dict[str, Any]]:
    """Positions to begin from, and the settings that go with them: the stages, unless a setting of
    method "paper" is there."""
    if hasattr(start, "unconstrained"):  # a result, or draws from a prior
        start = np.reshape(start.unconstrained, (-1, np.shape(start.unconstrained)[-1]))
        wanted = settings.get("particles")
        if isinstance(wanted, (int, np.integer)) and wanted < len(start):
            start = start[:wanted]  # their order means nothing
    elif isinstance(start, Mapping):
        if space is None:
            raise TypeError("start: must be an (N, d) array for this target; got a dictionary")
        start = space.unconstrain(start)
    try:
        given = np.asarray(start)
    except ValueError as error:
        raise ValueError("start: must be an (N, d) array; got rows of different lengths") from error
    if not (np.issubdtype(given.dtype, np.floating) or np.issubdtype(given.dtype, np.integer)):
        raise TypeError(f"start: must be real numbers; got an array of {given.dtype}")
    if given.ndim != 2:
        raise ValueError(f"start: must be an (N, d) array; got one of shape {given.shape}")
    if settings.get("particles") not in (None, given.shape[0]):
        raise ValueError(
            f"start: must have as many rows as particles, {settings['particles']}; got "
            f"{given.shape[0]}"
        )
    settings = {**settings, "particles": given.shape[0], "start": "given"}
    asked = plain_settings(settings)
    if asked.get("method") is None and not (set(_starling.raw_settings()) - {"start"}) & set(asked):
        settings["method"] = "auto"
    if settings.get("method") == "auto" and not (asked.get("prefit") or asked.get("temper")):
        settings["prefit"] = "none"
    return np.ascontiguousarray(given, dtype=np.float64), settings


def prior_to_temper_from(settings: dict[str, Any], space: Any) -> np.ndarray | None:
    """Draws of the model's prior, a row for each particle, where tempering is asked for: it begins
    as wide as they are. None where the model has no prior, or none that can be drawn."""
    if not settings.get("temper") or settings.get("method") == "paper":
        return None
    if space is None or not space.has_prior or space.improper:
        return None
    asked = plain_settings(settings)
    count, seed = particles_in(asked), asked.get("seed", _starling.defaults()["seed"])
    try:
        drawn = space.prior(min(count, ENOUGH), int(seed) % 2**31)
    except NotImplementedError:
        return None
    drawn = drawn[np.isfinite(drawn).all(axis=1)]
    return np.resize(drawn, (count, drawn.shape[1])) if len(drawn) > 1 else None


def plain_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings as the engine takes them: texts, whole numbers, booleans."""
    off = {
        name for name, usual in _starling.defaults().items() if usual is False
    }  # False asks for nothing
    settings = {
        name: value
        for name, value in settings.items()
        if not (value is None or (value is False and name in off))
    }
    rule = settings.get("advance")
    if isinstance(rule, rules.Rule):
        for name in sorted(set(rule.settings) & set(settings)):
            raise ValueError(f"{name}: was given twice, in the rule and beside it; remove one")
        settings = {**settings, **rule.settings, "advance": rule.name}
    known = _starling.helps()
    for name in sorted(set(settings) - set(known)):
        raise TypeError(no_setting(name, {*known, *OF_SAMPLE}))
    return {name: _plain_value(name, value) for name, value in settings.items()}


def particles_in(settings: dict[str, Any]) -> int:
    """How many there will be; the engine refuses what is not a number."""
    try:
        return max(1, int(settings.get("particles", _starling.defaults()["particles"])))
    except (TypeError, ValueError):
        return 1


def _plain_value(name: str, value: Any) -> Any:
    if name == "seed" and isinstance(value, np.random.Generator):
        return int(value.integers(2**63))
    if isinstance(value, kernels.Kernel):
        return str(value)
    if isinstance(value, np.generic):
        value = value.item()
    return repr(value) if isinstance(value, float) else value
