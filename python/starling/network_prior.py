"""Priors of weights, as steps of SVGD on predictions see them: in units of their sd."""

from __future__ import annotations

from typing import Any

import numpy as np

ANCHORS = 1  # the stream of random numbers; that of rows is 0


class UsualPrior:
    """Normal, w = sd v with v ~ N(0, s^2), and one s for each array, which is learned.

    Repulsion keeps predictions apart. Nothing keeps weights apart that hardly matter for them. A
    pull to 0 would draw all of these to 0, as no posterior does, and functions that need them would
    be missed. So each particle starts from a draw a_i of the prior, and is pulled to it:
        d/dv = -(v_i - s a_i) / s^2;
    and v keeps the size that s should have. With noise, which keeps weights apart, a_i is 0:
        d/d log s = sum over the array of (mean over particles of v^2 / s^2 - 1), log s ~ N(0, 1)
    """

    def __init__(self, model: Any, start: np.ndarray, seed: int, weight: float):
        self._weight = np.float32(weight)
        sizes = [int(np.prod(shape)) for shape in model.shapes]
        self._firsts = np.cumsum([0, *sizes[:-1]])
        self._array = np.repeat(np.arange(len(sizes)), sizes)
        rms = np.sqrt(np.add.reduceat(np.mean(start.astype(np.float64) ** 2, axis=0), self._firsts))
        rms = (rms / np.sqrt(sizes))[self._array]
        sd = np.maximum(rms, np.array([least_sd(shape) for shape in model.shapes])[self._array])
        self.unit = sd.astype(np.float32)
        self.units = self.unit[self._firsts]  # one for each array
        missing = np.sqrt(1 - (rms / sd) ** 2)
        self.anchors = np.empty_like(start)
        for particle, own in enumerate(self.anchors):
            noise = np.random.default_rng([seed, 0, ANCHORS, particle]).normal(size=len(sd))
            own[:] = start[particle] / sd + missing * noise
        self.start = self.anchors
        self.learned = np.zeros((len(start), len(sizes)), np.float32)

    def slopes(
        self, v: np.ndarray, log_s: np.ndarray, around_own_draw: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        s = np.exp(np.clip(log_s[0], -10, 10))[self._array]
        # In place: there may be very many weights.
        pull = s * self.anchors if around_own_draw else np.zeros_like(v)
        pull -= v
        pull *= self._weight / s**2
        beyond = np.einsum("na,na->a", v, v) / (len(v) * s**2) - 1
        return pull, np.add.reduceat(beyond, self._firsts) - log_s


class OwnPrior:
    """The user's own. Particles start from their initial weights, and the units are the same."""

    def __init__(self, model: Any, start: np.ndarray, seed: int, weight: float):
        self._model, self._weight = model, np.float32(weight)
        usual = UsualPrior(model, start, seed, weight)
        self.unit, self.units = usual.unit, usual.units
        self.start = start / self.unit
        self.learned = np.zeros((len(start), 0), np.float32)

    def slopes(
        self, v: np.ndarray, nothing: np.ndarray, around_own_draw: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        return self._weight * self._model.prior_slope(v * self.unit) * self.unit, nothing


def least_sd(shape: tuple[int, ...]) -> float:
    """Of an array of weights: sqrt(2 / width) in a matrix, 1 for a bias. Some libraries begin with
    much smaller ones, which as a prior would forbid what the data say."""
    return float(np.sqrt(2 * min(shape) / np.prod(shape))) if len(shape) > 1 else 1.0
