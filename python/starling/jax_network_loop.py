"""A flight of a network in JAX: loops of steps, with positions that stay on the device."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .jax_network_steps import Rows, Run, State
from .network_loop import interrupts_waiting, refuse
from .network_rule import FADE, FADE_SQUARE, fall
from .network_steps import Steps

MOST_STEPS = 64  # of a loop, whose rows are chosen ahead
SECONDS = 0.2  # that a loop should take: Ctrl-C is answered between two


class Loop:
    """The steps of `work`, which knows where particles start and what their prior is."""

    def __init__(self, work: Steps, step_size: float, total: int, seed: int, temperature: float):
        import jax

        network = work.network
        self._jax, self._total, self._step_size = jax, total, step_size
        self._program, self._noise_from = network.program, work.noise_from
        self._groups = work.groups
        self._block = network.data.blocks(network.model, network.likelihood, seed, MOST_STEPS)
        self._observed: tuple[Any, Any, Any] = (None, None, None)
        self._at_once, self._timed, self.done = 1, False, 0
        model, put = network.model, jax.numpy.asarray
        weights, own, learned = work.parts(work.start)
        anchors = [] if model.has_prior else model.arrays(work.prior.anchors)
        others = np.concatenate([own, learned], axis=1)
        x = [put(part) for part in model.arrays(weights)], put(others)
        zeros = jax.tree_util.tree_map(jax.numpy.zeros_like, x)
        self._state = State(x, zeros, jax.tree_util.tree_map(jax.numpy.copy, zeros))
        key = np.array([seed & 0xFFFFFFFF, seed >> 32], np.uint32)
        self._run = Run(
            list(work.prior.units), [put(one) for one in anchors], key, np.float32(temperature)
        )

    def take(self, last: int) -> None:
        """Steps up to, not including, `last`."""
        last = min(last, self._total)
        given = self._rows(last)
        while self.done < last:
            given = self._loop(given, last)
        particles = self._jax.numpy.isfinite(self.particles).all(axis=1)
        refuse(np.asarray(particles), self.done, "its position is not finite")

    @property
    def particles(self) -> Any:
        """Weights and what the likelihood has learned, (N, numbers), on the device."""
        arrays, others = self._state.x
        flat = [array.reshape(len(array), -1) for array in arrays]
        return self._jax.numpy.concatenate([*flat, self._program.parts(others)[0]], axis=1)

    def _loop(self, given: Rows | None, last: int) -> Rows | None:
        """Takes the steps of `given`, and chooses rows for the next while they are under way."""
        began, count = time.perf_counter(), int(given.count)
        program = self._program
        steps = program.alone if self.done >= self._noise_from else program.together
        with interrupts_waiting():  # within, positions may be with XLA alone
            taken, self._state, finite = steps(self._groups, self._state, self._run, given)
            self.done += count
            try:
                following = self._rows(last)
            finally:
                self.done += int(taken) - count
        seconds = time.perf_counter() - began
        if self._timed:  # the first also compiles
            self._at_once = int(np.clip(SECONDS / seconds * count, 1, 2 * count))
        self._timed = True
        refuse(np.asarray(finite), self.done, "its predictions are not finite")
        return following

    def _rows(self, last: int) -> Rows | None:
        """For the next loop, which ends where noise begins, or a look."""
        first = self.done
        if first < self._noise_from:
            last = min(last, self._noise_from)
        count = min(self._at_once, last - first, MOST_STEPS)
        if count <= 0:
            return None
        inputs, observed, parts, places = self._block(first, first + count)
        if self._observed[0] is not observed:  # of a table they are always the same
            put = self._jax.numpy.asarray
            self._observed = observed, put(observed), put(parts)
        sizes = np.zeros((MOST_STEPS, 2), np.float32)
        for n in range(count):
            sizes[n] = self._sizes(first + n)
        return Rows(inputs, *self._observed[1:], places, sizes, np.int32(first), np.int32(count))

    def _sizes(self, k: int) -> tuple[float, float]:
        """The step size, over what Adam's mean lacks, and one over what its squares lack."""
        moves = min(k + 1, self._noise_from)
        mean = 1 - FADE**moves if k < self._noise_from else 1.0
        return self._step_size * fall(k, self._total) / mean, 1 / (1 - FADE_SQUARE**moves)
