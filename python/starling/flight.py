"""A run under way: you step it, look at it, pickle and resume it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from . import _starling
from .checkpoints import place_of, read_checkpoint, refuse_to_replace
from .ending import let_go_at_end
from .functions import Target, quiet_numpy, whole
from .ranks import BLOCKS, Ranks
from .result import Result
from .settings import given_start, particles_in, plain_settings, prior_to_temper_from
from .targets import Builtin, as_target
from .words import python_names_in_errors


class Flight:
    """A cloud and the roles that move it.

        flight = Flight(target, dim=2, particles=500, steps=1000, seed=1)
        flight.step(100)
        flight.positions

    The settings are those of `sample`. A flight can be pickled if its target can; the copy
    continues bit for bit. During a step its target and other threads must not use it, except for
    `done`, `total`, `stage`, `over`, `names` and `settings`.
    comm: a communicator of mpi4py whose ranks make and step the flight together, each with the same
        settings. All of them must make the same calls."""

    def __init__(
        self,
        target: Any,
        *,
        dim: int | None = None,
        names: Sequence[str] | None = None,
        start: Any = None,
        run: int = 0,
        comm: Any = None,
        **settings: Any,
    ):
        own = as_target(target, names)
        if settings.get("evidence") and own.space is not None:
            own.space.refuse_improper()
        given = None
        if start is None:
            start = prior_to_temper_from(settings, own.space)
        elif isinstance(start, str) and start == "scout":
            start = None
        if isinstance(start, (str, os.PathLike)):
            settings["start"] = os.fspath(start)
        elif start is not None:
            given, settings = given_start(start, settings, own.space)
            dim = given.shape[1] if own.name == "guest" and dim is None else dim
        if dim is not None and own.name in ("normal", "funnel"):
            settings["dim"] = dim
        ranks = comm if comm is None or isinstance(comm, Ranks) else Ranks(comm)
        if ranks is not None and settings.get("blocks") is None:
            settings["blocks"] = BLOCKS
        with python_names_in_errors(), quiet_numpy(), _deferring(ranks):
            chosen = {**plain_settings(own.settings), **plain_settings(settings)}
            native = _starling.begin(
                own.name,
                chosen,
                whole("run", run, 0),
                own.user_target(dim, particles_in(chosen)),
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
        self._ranks, self._stage = ranks, native.stage
        self._files: set[str | bytes] = set()  # checkpoints that are of this run
        let_go_at_end(self)

    def _let_go(self) -> None:
        """At the end of the interpreter."""
        self._native = None

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Steps run without the interpreter's lock: nobody else may look at what they move."""
        if not self._lock.acquire(blocking=False):
            raise ValueError(
                "flight: must not be used during a step; got a call from its target or a thread"
            )
        try:
            with _deferring(self._ranks):
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
        """Steps that it will take; with method "auto" those that are known now, and it may become
        more."""
        return self._native.total

    @property
    def stage(self) -> str:
        """scout, fly, certify, settle or finished; empty for method "paper", which has no
        stages. During a step it is updated ten times a second."""
        return self._stage

    @property
    def over(self) -> bool:
        return self._native.over

    @property
    def names(self) -> list[str]:
        return self._native.names

    @property
    def positions(self) -> np.ndarray:
        """A copy, (N, d)."""
        with self._exclusive():
            return self._native.positions

    @property
    def scores(self) -> np.ndarray:
        """Those that the last step moved by: a copy, (N, d)."""
        with self._exclusive():
            return self._native.scores

    @property
    def drifts(self) -> np.ndarray:
        with self._exclusive():
            return self._native.drifts

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that was resolved."""
        return self._native.settings

    @property
    def trace(self) -> list[dict[str, Any]]:
        """What was seen at each look so far."""
        with self._exclusive():
            return self._native.trace

    def step(self, count: int = 1, *, tell: Any = None) -> Flight:
        """Takes so many steps, or fewer if it is over. tell(done), called ten times a second, stops
        it by True."""

        def at_look(done: int) -> Any:
            self._stage = self._native.stage
            return None if tell is None else tell(done)

        with self._exclusive():
            try:
                with python_names_in_errors(), quiet_numpy():
                    self._native.take(whole("count", count, 0), at_look, self._ranks)
            finally:
                self._stage = self._native.stage
        return self

    def result(self) -> Result:
        """The result so far, with diagnostics; the flight can continue afterwards. With method
        "auto" there is no cloud before the first step."""
        if self.stage and self.done == 0:
            raise ValueError("flight: has no cloud yet; its first step, the scout, makes one")
        return Result([self._outcome()], space=self._target.space)

    def _outcome(self, interrupted: bool = False) -> Any:
        with self._exclusive(), quiet_numpy():
            return self._native.outcome(interrupted)

    def save(self, file: str | os.PathLike, *, force: bool = False) -> None:
        """Writes a checkpoint, whole or not at all: resume(file, target) continues from it. An
        existing checkpoint of this flight is replaced, and with force=True that of another run.
        Another file is never replaced."""
        with self._exclusive():
            if self._ranks is None:
                self._may_write(file, force)
                self._native.keep(os.fspath(file))
            else:
                state, error = self._native.save(), None  # of all ranks, whole on the first
                try:
                    if self._ranks.first:
                        self._may_write(file, force)
                        _starling.keep_state(os.fspath(file), state)
                except Exception as failed:  # whatever it is, the others must not wait
                    error = failed
                self._ranks.agree(error)
            self._files.add(place_of(file))

    def _may_write(self, file: str | os.PathLike, force: bool) -> None:
        refuse_to_replace(file, place_of(file) in self._files, force)

    def __getstate__(self) -> dict[str, Any]:
        if self._ranks is not None:
            raise TypeError(
                "flight: cannot be pickled on several ranks; save(file) keeps its state"
            )
        with self._exclusive():
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
                kept["target"].user_target(kept["dim"], particles),
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
        size = f"{self.settings['particles']} particles in {len(self.names)} dimensions"
        return f"<starling.Flight: {size}, {where}>"


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
    trust=True. comm: the ranks that continue it together, any number; the first of them reads
    the file."""
    ranks = None if comm is None else Ranks(comm)
    with _deferring(ranks):
        state = read_checkpoint(file, ranks)
    own = None if target is None else as_target(target)
    steps, threads = (
        None if n is None else whole(name, n, 0)
        for name, n in (("steps", steps), ("threads", threads))
    )
    with python_names_in_errors(), _deferring(ranks):
        particles = _starling.particles_in(state, os.fsdecode(file))
        native = _starling.resume(
            state,
            os.fsdecode(file),
            steps,
            threads,
            own and own.user_target(dim, particles),
            str(own.settings.get("model", "")) if own else "",
            bool(trust),
            ranks,
        )
    name = native.settings["target"]
    if own is not None and own.name != name:
        raise ValueError(f"target: must be {name}, as in {os.fspath(file)}; got {own.name}")
    flight = Flight.__new__(Flight)
    flight._hold(own or Builtin(name), dim, native, ranks)
    flight._files.add(place_of(file))
    return flight


def _deferring(ranks: Ranks | None) -> Any:
    """Where there are ranks, Ctrl-C waits for the end of what they do together."""
    return nullcontext() if ranks is None else ranks.interrupts_deferred()
