"""What a network's outputs say of an observation: log likelihoods, their slopes, bands."""

from __future__ import annotations

from typing import Any

import numpy as np

FIRST_LOG_SD = -1.0  # of the noise, in sds of y


def _erf(x: np.ndarray) -> np.ndarray:
    """Abramowitz and Stegun 7.1.26: 1.5e-7 off at most, far below what N networks can show."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    series = 1.061405429
    for a in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = series * t + a
    return np.sign(x) * (1 - series * t * np.exp(-x * x))


class Normal:
    """y = output + noise. The sd of the noise is learned, one for each output, the same for all
    particles: its logarithm stands behind the weights. f has the outputs, then the log sds."""

    bands = True

    def __init__(self, y: np.ndarray, scale: bool):
        self.shape = y.shape[1:]
        y = y.reshape(len(y), -1).astype(np.float64)
        self.own = y.shape[1]  # numbers behind the weights
        self.centre = y.mean(axis=0) if scale else np.zeros(self.own)
        sd = y.std(axis=0) if scale else np.ones(self.own)
        self.unit = np.where(sd > 0, sd, 1.0)

    def saved(self) -> dict[str, Any]:
        numbers = dict(centre=self.centre.tolist(), unit=self.unit.tolist())
        return dict(name="normal", shape=list(self.shape), **numbers)

    def observed(self, y: np.ndarray) -> np.ndarray:
        """Observations in the network's units, (rows, outputs)."""
        return ((y.reshape(len(y), -1) - self.centre) / self.unit).astype(np.float32)

    def start(self, particles: int) -> np.ndarray:
        return np.full((particles, self.own), FIRST_LOG_SD, np.float32)

    def join(self, outputs: np.ndarray, own: np.ndarray) -> np.ndarray:
        """f: outputs (N, rows, outputs), and what stands behind the weights, in every row."""
        return np.concatenate([outputs, np.broadcast_to(own[:, None], outputs.shape)], axis=2)

    def score(self, f: np.ndarray, y: np.ndarray) -> np.ndarray:
        """d log p(y | f) / df, the same shape as f."""
        log_sd = np.clip(f[:, :, self.own :], -20, 20)
        z = (y - f[:, :, : self.own]) * np.exp(-log_sd)
        return np.concatenate([z * np.exp(-log_sd), z * z - 1], axis=2)

    def _in_units(self, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        f = f.astype(np.float64)
        sd = np.exp(np.clip(f[:, :, self.own :], -20, 20))
        return f[:, :, : self.own] * self.unit + self.centre, sd * self.unit

    def log_likelihood(self, f: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Of each row under the mixture of all particles, in the units of y."""
        mean, sd = self._in_units(f)
        z = (y.reshape(len(y), -1) - mean) / sd
        each = (-z * z / 2 - np.log(sd) - np.log(2 * np.pi) / 2).sum(axis=2)
        return np.logaddexp.reduce(each, axis=0) - np.log(len(f))

    def below(self, f: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The probability that an observation lies below y, (rows, outputs)."""
        mean, sd = self._in_units(f)
        return (1 + _erf((y - mean) / (sd * np.sqrt(2)))).mean(axis=0) / 2

    def quantile(self, f: np.ndarray, q: float) -> np.ndarray:
        mean, sd = self._in_units(f)
        low, high = (mean - 9 * sd).min(axis=0), (mean + 9 * sd).max(axis=0)
        for _ in range(50):
            middle = (low + high) / 2
            under = self.below(f, middle) < q
            low, high = np.where(under, middle, low), np.where(under, high, middle)
        return (low + high) / 2

    def expected(self, f: np.ndarray) -> np.ndarray:
        """What each particle expects, (N, rows, outputs)."""
        return self._in_units(f)[0]

    def sd(self, f: np.ndarray) -> np.ndarray:
        """Of an observation: particles differ, and each has noise."""
        mean, noise = self._in_units(f)
        return np.sqrt(mean.var(axis=0) + (noise**2).mean(axis=0))

    def error(self, f: np.ndarray, y: np.ndarray) -> float:
        """Root mean square error of the mean prediction."""
        return float(np.sqrt(np.mean((self.expected(f).mean(axis=0) - y.reshape(len(y), -1)) ** 2)))


class Classes:
    """y is a class, 0 to K - 1; the network gives K logits."""

    bands, own, shape = False, 0, None

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

    def score(self, f: np.ndarray, y: np.ndarray) -> np.ndarray:
        return (y - self.expected(f)).astype(np.float32)

    def expected(self, f: np.ndarray) -> np.ndarray:
        """Probabilities of the classes."""
        raised = np.exp(f - f.max(axis=2, keepdims=True), dtype=np.float64)
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


def likelihood_of(name: Any, y: np.ndarray, outputs: int, scale: bool) -> Normal | Classes:
    if name == "normal":
        made = Normal(y, scale)
        if made.own != outputs:
            raise ValueError(
                f"data: y has {made.own} number{'s' if made.own > 1 else ''} a row; the network "
                f"has {outputs} output{'s' if outputs > 1 else ''}"
            )
        return made
    if name == "classes":
        return Classes(y, outputs)
    raise ValueError(f"likelihood: must be one of normal, classes; got {name!r}")


def saved_likelihood(saved: dict[str, Any]) -> Normal | Classes:
    if saved["name"] == "classes":
        return Classes(np.zeros(1, int), saved["classes"])
    made = Normal(np.zeros((1, *saved["shape"])), scale=False)
    made.centre, made.unit = np.array(saved["centre"]), np.array(saved["unit"])
    return made
