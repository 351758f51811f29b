"""A run under way: stepped, looked at, pickled and resumed by whoever wants to drive it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from . import _starling, kernels, rules
from .ranks import BLOCKS, Ranks
from .result import Result
from .targets import Builtin, Target, as_target, whole
from .words import in_own_words, no_setting

OF_SAMPLE = (
    "callback",
    "check",
    "checkpoint",
    "checkpoint_every",
    "comm",
    "dim",
    "progress",
    "run",
)  # beside the engine's


class Flight:
    """A cloud and the roles that move it.

    flight = Flight(target, dim=2, particles=500, steps=1000, seed=1); flight.step(100);
    flight.positions The settings are those of `sample`. A flight can be pickled if its target can:
    what comes back goes on bit for bit. While it takes a step, its target and other threads must
    leave it alone. comm: a communicator of mpi4py whose ranks make and step the flight together,
    each with the same settings: whatever
        one of them asks of the flight, all must ask."""

    def __init__(
        self,
        target: Any,
        *,
        dim: int | None = None,
        start: Any = None,
        run: int = 0,
        comm: Any = None,
        **settings: Any,
    ):
        own = as_target(target)
        given = None
        if isinstance(start, (str, os.PathLike)):
            settings["start"] = os.fspath(start)
        elif start is not None:
            given, settings = _given_start(start, settings)
            dim = given.shape[1] if own.name == "guest" and dim is None else dim
        if dim is not None and own.name in ("normal", "funnel"):
            settings["dim"] = dim
        ranks = comm if comm is None or isinstance(comm, Ranks) else Ranks(comm)
        if ranks is not None and settings.get("blocks") is None:
            settings["blocks"] = BLOCKS
        with in_own_words(), nullcontext() if ranks is None else ranks.deaf():
            chosen = {**_plain(own.settings), **_plain(settings)}
            native = _starling.begin(
                own.name,
                chosen,
                whole("run", run, 0),
                own.guest(dim, _particles(chosen)),
                given,
                ranks,
            )
        self._hold(own, dim, native, ranks)
        if dim is not None and len(self.names) != dim:
            raise ValueError(f"dim: must be {len(self.names)} for this target; got {dim}")

    def _hold(
        self, target: Target, dim: int | None, native: Any, ranks: Ranks | None = None
    ) -> None:
        self._target, self._dim, self._native, self._lock = target, dim, native, threading.Lock()
        self._ranks = ranks

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Steps run without the interpreter's lock: nobody else may look at what they move."""
        if not self._lock.acquire(blocking=False):
            raise ValueError(
                "flight: must not be used while it takes a step; got a call from its target or a thread"
            )
        try:
            with nullcontext() if self._ranks is None else self._ranks.deaf():
                yield
        finally:
            self._lock.release()

    @property
    def target(self) -> Target:
        return self._target

    @property
    def done(self) -> int:
        """Steps done."""
        return self._native.done

    @property
    def total(self) -> int:
        """Steps that it will take; of a run in stages those that can be told now, which may become
        more."""
        return self._native.total

    @property
    def stage(self) -> str:
        """scout, fly, certify, settle or finished; empty for the raw method, which has only one."""
        return self._native.stage

    @property
    def over(self) -> bool:
        return self._native.over

    @property
    def names(self) -> list[str]:
        return self._native.names

    @property
    def positions(self) -> np.ndarray:
        """A copy, (N, d)."""
        with self._alone():
            return self._native.positions

    @property
    def scores(self) -> np.ndarray:
        """Those that the last step moved by: a copy, (N, d)."""
        with self._alone():
            return self._native.scores

    @property
    def drifts(self) -> np.ndarray:
        with self._alone():
            return self._native.drifts

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that was resolved."""
        return self._native.settings

    @property
    def trace(self) -> list[dict[str, Any]]:
        """What was seen at each look so far."""
        with self._alone():
            return self._native.trace

    def step(self, count: int = 1, *, tell: Any = None) -> Flight:
        """Takes so many steps, or fewer if it is over. tell(done), called ten times a second, stops
        it by True."""
        with self._alone():
            with in_own_words():
                self._native.take(whole("count", count, 0), tell, self._ranks)
        return self

    def result(self) -> Result:
        """What it came to so far, with diagnostics; it can go on afterwards. In stages there is no
        cloud before the first step."""
        if self.stage and self.done == 0:
            raise ValueError("flight: has no cloud yet; its first step, the scout, makes one")
        return Result([self._outcome()])

    def _outcome(self) -> Any:
        with self._alone():
            return self._native.outcome(True)

    def save(self, file: str | os.PathLike) -> None:
        """Writes a checkpoint, whole or not at all: resume(file, target) goes on from there."""
        with self._alone():
            if self._ranks is None:
                self._native.keep(os.fspath(file))
                return
            state, error = self._native.save(), None  # of all ranks, whole on the first
            try:
                if self._ranks.first:
                    _starling.keep_state(os.fspath(file), state)
            except Exception as failed:  # whatever it is, the others must not wait
                error = failed
            self._ranks.agree(error)

    def __getstate__(self) -> dict[str, Any]:
        if self._ranks is not None:
            raise TypeError(
                "flight: cannot be pickled while it is of several ranks; save(file) keeps its state"
            )
        with self._alone():
            return {"state": self._native.save(), "target": self._target, "dim": self._dim}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        particles = _starling.particles_in(kept["state"], "state")
        self._hold(
            kept["target"],
            kept["dim"],
            _starling.resume(
                kept["state"],
                "state",
                None,
                None,
                kept["target"].guest(kept["dim"], particles),
                "",
                True,
                None,
            ),
        )  # a pickle is code anyway

    def __repr__(self) -> str:
        where = (
            f"step {self.done}, stage {self.stage}"
            if self.stage
            else f"step {self.done} of {self.total}"
        )
        return f"<starling.Flight: {self.settings['particles']} particles in {len(self.names)} dimensions, {where}>"


def resume(
    file: str | os.PathLike,
    target: Any = None,
    *,
    dim: int | None = None,
    steps: int | None = None,
    threads: int | None = None,
    trust: bool = False,
    comm: Any = None,
) -> Flight:
    """The flight of a checkpoint, of Flight.save or of the command line. A target of Python's own
    is given again, and so is a Stan model or a plugin: what a file names is loaded only with
    trust=True. comm: the ranks that go on together, of whatever number; the first of them reads the
    file."""
    ranks = None if comm is None else Ranks(comm)
    with nullcontext() if ranks is None else ranks.deaf():
        state = _read(file, ranks)
    own = None if target is None else as_target(target)
    steps, threads = (
        None if n is None else whole(name, n, 0)
        for name, n in (("steps", steps), ("threads", threads))
    )
    with in_own_words(), nullcontext() if ranks is None else ranks.deaf():
        particles = _starling.particles_in(state, os.fsdecode(file))
        native = _starling.resume(
            state,
            os.fsdecode(file),
            steps,
            threads,
            own and own.guest(dim, particles),
            str(own.settings.get("model", "")) if own else "",
            bool(trust),
            ranks,
        )
    name = native.settings["target"]
    if own is not None and own.name != name:
        raise ValueError(f"target: must be {name}, as in {os.fspath(file)}; got {own.name}")
    flight = Flight.__new__(Flight)
    flight._hold(own or Builtin(name), dim, native, ranks)
    return flight


def _read(file: str | os.PathLike, ranks: Ranks | None) -> bytes:
    state, error = b"", None
    try:
        if ranks is None or ranks.first:
            with open(file, "rb") as stream:
                state = stream.read()
    except Exception as failed:
        if ranks is None:
            raise
        error = failed
    if ranks is None:
        return state
    ranks.agree(error)
    return ranks.of_first(state)


def _given_start(start: Any, settings: dict[str, Any]) -> tuple[np.ndarray, dict[str, Any]]:
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
            f"start: must have as many rows as particles, {settings['particles']}; got {given.shape[0]}"
        )
    return np.ascontiguousarray(given, dtype=np.float64), {
        **settings,
        "particles": given.shape[0],
        "start": "given",
    }


def _plain(settings: dict[str, Any]) -> dict[str, Any]:
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
            raise ValueError(f"{name}: was given twice, in the rule and beside it; leave one out")
        settings = {**settings, **rule.settings, "advance": rule.name}
    known = _starling.helps()
    for name in sorted(set(settings) - set(known)):
        raise TypeError(no_setting(name, {*known, *OF_SAMPLE}))
    return {name: _plain_value(name, value) for name, value in settings.items()}


def _particles(settings: dict[str, Any]) -> int:
    """How many there will be; what is no number is refused by the engine."""
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
