"""A run under way: stepped, looked at, pickled and resumed by whoever wants to drive it."""
from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _starling, kernels, rules
from .result import Result
from .targets import Target, as_target


class Flight:
    """A cloud and the roles that move it.

    flight = Flight(target, dim=2, particles=500, steps=1000, seed=1); flight.step(100); flight.positions
    The settings are those of `sample`. A flight can be pickled if its target can; what comes back goes on bit for bit."""

    def __init__(self, target: Any, *, dim: int | None = None, start: Any = None, run: int = 0, **settings: Any):
        self.target: Target = as_target(target)
        self._dim = dim
        given = None
        if start is not None and not isinstance(start, str):
            given, settings = _given_start(start, settings)
            self._dim = given.shape[1] if self.target.name == "guest" and dim is None else dim
        elif start is not None:
            settings["start"] = start
        if dim is not None and self.target.name in ("normal", "funnel"):
            settings["dim"] = dim
        self._native = _starling.begin(self.target.name, {**self.target.settings, **_plain(settings)}, run,
                                       self.target.guest(self._dim), given)

    @property
    def done(self) -> int:
        """Steps done."""
        return self._native.done

    @property
    def total(self) -> int:
        """Steps that it will take."""
        return self._native.total

    @property
    def over(self) -> bool:
        return self._native.over

    @property
    def names(self) -> list[str]:
        return self._native.names

    @property
    def positions(self) -> np.ndarray:
        """A copy, (N, d)."""
        return self._native.positions

    @property
    def scores(self) -> np.ndarray:
        """Those that the last step moved by: a copy, (N, d)."""
        return self._native.scores

    @property
    def drifts(self) -> np.ndarray:
        return self._native.drifts

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that was resolved."""
        return self._native.settings

    @property
    def trace(self) -> list[dict[str, Any]]:
        """What was seen at each look so far."""
        return self._native.trace

    def step(self, count: int = 1, *, tell: Any = None) -> Flight:
        """Takes so many steps, or fewer if it is over. tell(done), called ten times a second, stops it by True."""
        if count < 0:
            raise ValueError(f"count: must be at least 0; got {count}")
        self._native.take(int(count), tell)
        return self

    def result(self) -> Result:
        """What it came to so far, with diagnostics; it can go on afterwards."""
        return Result([self._native.outcome(True)])

    def save(self, file: str | os.PathLike) -> None:
        """Writes a checkpoint, whole or not at all: resume(file, target) goes on from there."""
        self._native.keep(os.fspath(file))

    def __getstate__(self) -> dict[str, Any]:
        return {"state": self._native.save(), "target": self.target, "dim": self._dim}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.target, self._dim = kept["target"], kept["dim"]
        self._native = _starling.resume(kept["state"], None, None, self.target.guest(self._dim))

    def __repr__(self) -> str:
        s = self.settings
        return (f"<starling.Flight: {s['particles']} particles in {len(self.names)} dimensions, step {self.done} of "
                f"{self.total}>")


def resume(file: str | os.PathLike, target: Any = None, *, dim: int | None = None, steps: int | None = None,
           threads: int | None = None) -> Flight:
    """The flight of a checkpoint, of Flight.save or of the command line. A target of Python's own is given again."""
    with open(file, "rb") as stream:
        state = stream.read()
    flight = Flight.__new__(Flight)
    flight.target = Target() if target is None else as_target(target)
    flight._dim = dim
    guest = None if target is None else flight.target.guest(dim)
    flight._native = _starling.resume(state, steps, threads, guest)
    return flight


def _given_start(start: Any, settings: dict[str, Any]) -> tuple[np.ndarray, dict[str, Any]]:
    given = np.asarray(start)
    if not (np.issubdtype(given.dtype, np.floating) or np.issubdtype(given.dtype, np.integer)):
        raise TypeError(f"start: must be real numbers; got an array of {given.dtype}")
    if given.ndim != 2:
        raise ValueError(f"start: must be an (N, d) array; got one of shape {given.shape}")
    if settings.get("particles") not in (None, given.shape[0]):
        raise ValueError(f"start: must have as many rows as particles, {settings['particles']}; got {given.shape[0]}")
    return np.ascontiguousarray(given, dtype=np.float64), {**settings, "particles": given.shape[0], "start": "given"}


def _plain(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings as the engine takes them: texts, numbers, booleans."""
    plain: dict[str, Any] = {}
    for name, value in settings.items():
        if value is None:
            continue
        if name == "seed" and isinstance(value, np.random.Generator):
            value = int(value.integers(2**63))
        if name == "advance" and isinstance(value, rules.Rule):
            plain.update({key: repr(v) for key, v in value.settings.items()})
            value = value.name
        if isinstance(value, kernels.Kernel):
            value = str(value)
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, float):
            value = repr(value)
        plain[name] = value
    unknown = sorted(set(plain) - set(_starling.defaults()))
    if unknown:
        raise TypeError(f"{unknown[0]}: is no setting of a run")
    return plain
