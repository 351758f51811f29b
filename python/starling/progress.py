"""How far a run is: a bar on a terminal and in a notebook, lines in a pipe or a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from .flight import Flight

SECONDS = 10  # between two lines


class Silent:
    """A bar that shows nothing."""

    n = total = 0

    def update(self, more: int) -> None: ...
    def set_description(self, stage: str) -> None: ...
    def __enter__(self) -> Silent:
        return self

    def __exit__(self, *_: Any) -> None: ...


class Lines(Silent):
    """A line every ten seconds: "starling: step 60 of 167, stage fly, 20 s"."""

    def __init__(self, total: int, done: int, clock: Callable[[], float] = time.monotonic):
        self.total, self.n, self._stage, self._clock = total, done, "", clock
        self._begin = self._said = clock()

    def set_description(self, stage: str) -> None:
        self._stage = f", stage {stage}"

    def update(self, more: int) -> None:
        self.n += more
        now = self._clock()
        if now - self._said < SECONDS:
            return
        self._said = now
        print(
            f"starling: step {self.n} of {self.total}{self._stage}, {now - self._begin:.0f} s",
            file=sys.stderr,
            flush=True,
        )


def bar_of(flight: Flight, progress: bool | str) -> Any:
    if progress not in (True, False, "auto"):
        raise ValueError(f"progress: must be True, False or 'auto'; got {progress!r}")
    if progress is False:
        return Silent()
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return Lines(flight.total, flight.done)
    notebook = any(
        kind.__module__ == "tqdm.notebook" for kind in tqdm.__mro__
    )  # no terminal, and yet a place for it
    if progress == "auto" and not notebook and not sys.stderr.isatty():
        return Lines(flight.total, flight.done)
    return tqdm(total=flight.total, initial=flight.done, unit="step", leave=False, delay=2)
