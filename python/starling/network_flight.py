"""Flights of networks: by the framework alone, or with the engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _starling
from .network_rule import KERNEL_WIDTH
from .network_steps import Steps


# To compile a loop takes about 1.2 s longer than its parts. On two cores it saves about .6 ms in
# each step, and another for so many numbers of all particles: 3 ms in all of 61,000 numbers.
STEPS_THAT_PAY = 2000
NUMBERS_OF_A_STEP = 15_000


def flight_of(work: Steps, step_size: float, total: int, threads: int, seed: int, noise: float):
    """What take(last) moves, with `done` and `particles`. noise: the temperature."""
    if not loop_pays(work, total):
        return ByEngine(work, step_size, total, threads, seed, noise)
    return work.network.model.loop(work, step_size, total, seed, noise)


def loop_pays(work: Steps, total: int) -> bool:
    if not work.network.model.compiles:
        return True
    import jax

    saved = total * (1 + work.start.size / NUMBERS_OF_A_STEP)
    return saved >= STEPS_THAT_PAY or jax.default_backend() != "cpu"


class ByEngine:
    """The framework predicts and pulls back; the engine has the kernel and moves the particles."""

    def __init__(
        self, work: Steps, step_size: float, total: int, threads: int, seed: int, noise: float
    ):
        self._work = work
        self._flight = _starling.FunctionFlight(
            work.start,
            work.outputs,
            KERNEL_WIDTH,
            step_size,
            total,
            threads,
            seed=seed,
            temperature=noise,
            noise_from=work.noise_from,
            with_noise=work.network.model.dim,
            group_ends=work.groups.ends,
        )

    def take(self, last: int) -> None:
        self._flight.take(last, self._work.predict, self._work.pull)

    @property
    def done(self) -> int:
        return self._flight.done

    @property
    def particles(self) -> Any:
        return np.asarray(self._work.particles(self._flight.positions))
