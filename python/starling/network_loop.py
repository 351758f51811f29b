"""What loops of steps have in common, in JAX and in PyTorch: Ctrl-C waits, and a run that diverges
says where."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


def refuse(finite: np.ndarray, done: int, why: str) -> None:
    """finite: of each particle. why: what is not finite."""
    if not finite.all():
        from ._starling import Diverged

        raise Diverged(
            f"particles: diverged by step {done}, particle {int(np.argmin(finite))}: {why}; "
            "lower the step size"
        )


@contextmanager
def interrupts_waiting() -> Iterator[None]:
    """Ctrl-C comes at the end of the block. A second one comes at once."""
    before, came = signal.getsignal(signal.SIGINT), []
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return

    def hear(number: int, frame: Any) -> None:
        if came:
            before(number, frame)
        came.append(number)

    signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            before(came[0], None)
