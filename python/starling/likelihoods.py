"""What a network's outputs say of an observation: log likelihoods, their slopes, bands."""

from __future__ import annotations

from typing import Any

import numpy as np

from .network_groups import LeftOut
from .noise import NOISES, REACH, math_of

FIRST_LOG_UNIT = -1.0  # of the noise, in sds of y
FAR = 1e30  # below any log density: those who learn from a row are not in its mixture


class Regression:
    """y = output + noise. The unit of the noise is learned, and for "student" its degrees of
    freedom: for each output, the same for all particles. They stand behind the weights. f has the
    outputs, then the logarithms of the units, then what else the noise learns."""

    bands = True

    def __init__(self, noise: str, y: np.ndarray, scale: bool):
        self.noise, self.shape = NOISES[noise], y.shape[1:]
        y = y.reshape(len(y), -1).astype(np.float64)
        self.outputs = y.shape[1]
        self.centre = y.mean(axis=0) if scale else np.zeros(self.outputs)
        sd = y.std(axis=0) if scale else np.ones(self.outputs)
        self.unit = np.where(sd > 0, sd, 1.0)

    def saved(self) -> dict[str, Any]:
        numbers = dict(centre=self.centre.tolist(), unit=self.unit.tolist())
        return dict(name=self.noise.name, shape=list(self.shape), **numbers)

    def observed(self, y: np.ndarray) -> np.ndarray:
        """Observations in the network's units, (rows, outputs)."""
        return ((y.reshape(len(y), -1) - self.centre) / self.unit).astype(np.float32)

    def start(self, particles: int) -> np.ndarray:
        own = np.zeros((particles, self.outputs * (1 + self.noise.shapes)), np.float32)
        own[:, : self.outputs] = FIRST_LOG_UNIT
        return own

    def join(self, outputs: np.ndarray, own: np.ndarray) -> np.ndarray:
        """f: outputs (N, rows, outputs), and what stands behind the weights, in every row."""
        everywhere = np.broadcast_to(own[:, None], (*outputs.shape[:2], own.shape[1]))
        return np.concatenate([outputs, everywhere], axis=2)

    def score(
        self, outputs: np.ndarray, own: np.ndarray, y: np.ndarray, left_out: LeftOut | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """d log p(y | f) along outputs, (N, rows, outputs), and along own. That is the same for all
        particles: a sum over rows of means over particles. With left_out, of Groups, a row counts
        by the mixture of the particles that do not learn from it, each output by itself."""
        math = math_of(outputs)
        log_unit, a = own[:, None, : self.outputs], own[:, None, self.outputs :]
        smaller = math.exp(-math.clip(log_unit, -20, 20))
        z = (y - outputs) * smaller
        of_outputs = self.noise.along_z(z, a) * -smaller
        if left_out is not None:
            z = math.clip((y - _as_all_differ(outputs, left_out)) * smaller, -REACH, REACH)
        height, along_z, along_a = self.noise.height_and_slopes(z, a)
        share = 1 / len(own) if left_out is None else _shares(height, left_out)
        of_own = [(share * (-along_z * z - 1)).sum(axis=(0, 1))]
        if self.noise.shapes:
            of_own.append((share * along_a).sum(axis=(0, 1)))
        return of_outputs, math.concatenate(of_own)

    def _parts(self, f: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        mean, log_unit, a = np.split(f, [self.outputs, 2 * self.outputs], axis=2)
        return mean, np.clip(log_unit, -20, 20), a

    def _in_units(self, f: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        mean, log_unit, a = self._parts(f.astype(np.float64))
        return mean * self.unit + self.centre, np.exp(log_unit) * self.unit, a

    def log_likelihood(self, f: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Of each row under the mixture of all particles, in the units of y."""
        mean, unit, a = self._in_units(f)
        z = (y.reshape(len(y), -1) - mean) / unit
        each = (self.noise.log_density(z, a) - np.log(unit)).sum(axis=2)
        return np.logaddexp.reduce(each, axis=0) - np.log(len(f))

    def below(self, f: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The probability that an observation lies below y, (rows, outputs)."""
        mean, unit, a = self._in_units(f)
        return self.noise.below((y - mean) / unit, a).mean(axis=0)

    def quantile(self, f: np.ndarray, q: float) -> np.ndarray:
        mean, unit, _ = self._in_units(f)
        low, high = (mean - REACH * unit).min(axis=0), (mean + REACH * unit).max(axis=0)
        for _ in range(60):
            middle = (low + high) / 2
            under = self.below(f, middle) < q
            low, high = np.where(under, middle, low), np.where(under, high, middle)
        return (low + high) / 2

    def expected(self, f: np.ndarray) -> np.ndarray:
        """What each particle expects, (N, rows, outputs)."""
        return self._in_units(f)[0]

    def sd(self, f: np.ndarray) -> np.ndarray:
        """Of an observation: particles differ, and each has noise."""
        mean, unit, a = self._in_units(f)
        return np.sqrt(mean.var(axis=0) + ((unit * self.noise.sd(a)) ** 2).mean(axis=0))

    def error(self, f: np.ndarray, y: np.ndarray) -> float:
        """Root mean square error of the mean prediction."""
        return float(np.sqrt(np.mean((self.expected(f).mean(axis=0) - y.reshape(len(y), -1)) ** 2)))


def _as_all_differ(outputs: np.ndarray, left_out: LeftOut) -> np.ndarray:
    mean = (left_out.share * outputs).sum(axis=0)
    return mean + left_out.wider * (outputs - mean)


def _shares(height: np.ndarray, left_out: LeftOut) -> np.ndarray:
    """Of each particle in the density of its row's mixture. 0 where no particle is in it."""
    math = math_of(height)
    height = height - FAR * left_out.learns
    share = left_out.share * math.exp(height - math.amax(height, 0))
    return share / math.clip(share.sum(axis=0), 1 / FAR, None)


class Classes:
    """y is a class, 0 to K - 1; the network gives K logits."""

    bands, shape = False, None

    def __init__(self, y: np.ndarray, classes: int):
        self.classes = classes
        if y.ndim != 1 or not np.issubdtype(y.dtype, np.integer) or y.min() < 0:
            raise TypeError(
                'data: y must be whole numbers from 0 on, one for each row, for "classes"; got '
                f"{y.dtype} of shape {y.shape}"
            )
        if y.max() >= classes:
            raise ValueError(f"data: the network has {classes} outputs; got class {y.max()}")

    def saved(self) -> dict[str, Any]:
        return dict(name="classes", classes=self.classes)

    def observed(self, y: np.ndarray) -> np.ndarray:
        return np.eye(self.classes, dtype=np.float32)[y]

    def start(self, particles: int) -> np.ndarray:
        return np.zeros((particles, 0), np.float32)

    def join(self, outputs: np.ndarray, own: np.ndarray) -> np.ndarray:
        return outputs

    def score(
        self, outputs: np.ndarray, own: np.ndarray, y: np.ndarray, left_out: LeftOut | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        math = math_of(outputs)
        return math.asarray(y - self.expected(outputs), dtype=math.float32), own[0]

    def expected(self, f: np.ndarray) -> np.ndarray:
        """Probabilities of the classes."""
        math = math_of(f)
        below = f - math.amax(f, axis=2, keepdims=True)
        raised = math.exp(below.astype(np.float64) if math is np else below)
        return raised / raised.sum(axis=2, keepdims=True)

    def log_likelihood(self, f: np.ndarray, y: np.ndarray) -> np.ndarray:
        chosen = self.expected(f)[:, np.arange(len(y)), y].mean(axis=0)
        return np.log(np.maximum(chosen, 1e-300))

    def error(self, f: np.ndarray, y: np.ndarray) -> float:
        """Share of rows whose likeliest class is another."""
        return float(np.mean(self.expected(f).mean(axis=0).argmax(axis=1) != y))

    def sd(self, f: np.ndarray) -> np.ndarray:
        return self.expected(f).std(axis=0)

    def confidence(self, f: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Of each row: the probability of its likeliest class, less 1 where that is right."""
        mean = self.expected(f).mean(axis=0)
        return mean.max(axis=1) - (mean.argmax(axis=1) == y)


def likelihood_of(name: Any, y: np.ndarray, outputs: int, scale: bool) -> Regression | Classes:
    if name == "classes":
        return Classes(y, outputs)
    if name not in list(NOISES):
        known = ", ".join((*NOISES, "classes"))
        raise ValueError(f"likelihood: must be one of {known}; got {name!r}")
    made = Regression(name, y, scale)
    if made.outputs != outputs:
        raise ValueError(
            f"data: y has {made.outputs} number{'s' if made.outputs > 1 else ''} a row; the "
            f"network has {outputs} output{'s' if outputs > 1 else ''}"
        )
    return made


def saved_likelihood(saved: dict[str, Any]) -> Regression | Classes:
    if saved["name"] == "classes":
        return Classes(np.zeros(1, int), saved["classes"])
    made = Regression(saved["name"], np.zeros((1, *saved["shape"])), scale=False)
    made.centre, made.unit = np.array(saved["centre"]), np.array(saved["unit"])
    return made
