"""A flight of a network in PyTorch: some steps at a time, whose rows are chosen ahead."""

from __future__ import annotations

from itertools import repeat
from typing import Any

import numpy as np
import torch

from .network_groups import LeftOut
from .network_loop import interrupts_waiting, refuse
from .network_steps import Steps
from .torch_network_steps import Particles

STEPS_AHEAD = 16  # whose rows are brought at once, and after which a divergence is seen


class Loop:
    """The steps of `work`, which knows where particles start and what their prior is."""

    def __init__(self, work: Steps, step_size: float, total: int, seed: int, temperature: float):
        network = work.network
        self._put, self._groups, self._total = network.model.put, work.groups, total
        self._block = network.data.blocks(network.model, network.likelihood, seed, STEPS_AHEAD)
        self._particles = Particles(work, step_size, total, seed, temperature)
        self.done = 0

    def take(self, last: int) -> None:
        """Steps up to, not including, `last`."""
        last = min(last, self._total)
        while self.done < last:
            self._steps(min(self.done + STEPS_AHEAD, last))
        refuse(np.isfinite(self.particles).all(axis=1), self.done, "its position is not finite")

    @property
    def particles(self) -> np.ndarray:
        """Weights and what the likelihood has learned, (N, numbers)."""
        return self._particles.numbers().cpu().numpy()

    def _steps(self, last: int) -> None:
        first, put, outputs = self.done, self._put, []
        inputs, observed, parts, places = self._block(first, last)
        places = places[: last - first]
        left_out = self._groups.left_out(parts[places])
        inputs, observed, at = put(inputs), put(observed[places]), put(places.astype(np.int64))
        left_out = repeat(None) if left_out is None else map(LeftOut, *map(put, left_out))
        for rows, y, out in zip(at, observed, left_out):
            outputs.append(self._step(inputs.index_select(0, rows), y, out))
        finite = torch.isfinite(torch.stack(outputs)).flatten(2).all(2).cpu().numpy()
        for n, particles in enumerate(finite):
            refuse(particles, first + n + 1, "its predictions are not finite")

    def _step(self, *seen: Any) -> Any:
        """What was predicted."""
        outputs = self._particles.drift(self.done, *seen)
        with interrupts_waiting():  # all move, or none
            self._particles.move(self.done)
            self.done += 1
        return outputs
