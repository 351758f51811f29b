"""What a run of networks came to: predictions with bands, weights, the verdict."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from .held_out import Look
from .networks import Network

QUANTILES = (0.05, 0.5, 0.95)


@dataclass
class Prediction:
    """Of new rows, in the units of y. mean and sd have the shape of y, or (rows, classes) of
    probabilities; quantiles have one such array for each quantile asked for."""

    mean: np.ndarray
    sd: np.ndarray
    quantiles: np.ndarray
    each: np.ndarray  # what every particle expects, particles first


class NetworkResult:
    """Particles that are networks. `verdict` and `reason` are about the predictions of held-out
    rows, `trace` has what they were at each look, `held_out` the last of them."""

    def __init__(
        self,
        network: Network,
        positions: np.ndarray,
        looks: list[Look],
        verdict: tuple[str, str],
        settings: dict[str, Any],
        interrupted: bool = False,
    ):
        self._network, self.looks = network, looks
        self.unconstrained, self.settings, self.interrupted = positions, settings, interrupted
        self.verdict, self.reason = verdict

    @property
    def weights(self) -> Any:
        """Of JAX one pytree, whose arrays have a particle in each row; of PyTorch a module for each
        particle. They take rows as network.inputs(x) makes them, and answer in the units of the
        network: predict(x) does both."""
        return self._network.model.trees(self.unconstrained[:, : self._network.model.dim])

    @property
    def network(self) -> Network:
        return self._network

    @property
    def trace(self) -> list[dict[str, Any]]:
        return [look.row() for look in self.looks]

    @property
    def held_out(self) -> Look | None:
        return self.looks[-1] if self.looks else None

    def predict(
        self, x: Any, *, quantiles: Any = QUANTILES, observation: bool = True
    ) -> Prediction:
        """Mean, sd and quantiles for new rows.

        observation: of a new observation, with its noise; False: of its expected value, in which
            particles differ. Of classes it is always the latter, of their probabilities."""
        asked = np.atleast_1d(np.asarray(quantiles, np.float64))
        if not np.all((asked > 0) & (asked < 1)):
            raise ValueError(f"quantiles: must lie between 0 and 1; got {quantiles}")
        likelihood = self._network.likelihood
        f = self._network.predicted(self.unconstrained, self._network.inputs(x))
        each = likelihood.expected(f)
        noisy = observation and likelihood.bands
        bands = (
            np.stack([likelihood.quantile(f, q) for q in asked])
            if noisy
            else np.quantile(each, asked, axis=0)
        )
        sd = likelihood.sd(f) if noisy else each.std(axis=0)
        found = (each.mean(axis=0), sd, bands, each)
        if likelihood.shape is not None:  # y may have been a vector
            found = (part.reshape(*part.shape[:-1], *likelihood.shape) for part in found)
        return Prediction(*found)

    def save(self, folder: str | os.PathLike, *, force: bool = False) -> None:
        """Writes a folder for starling.load: weights, verdict, looks, settings and scales.
        Functions are not in it: load(folder, network=...) is given them again."""
        from .network_files import save

        save(self, folder, force)

    def __repr__(self) -> str:
        n, d = self.unconstrained.shape
        return (
            f"<starling.NetworkResult: {n} particles of {d} weights after "
            f"{self.settings['steps']} steps; {self.verdict}: {self.reason}>"
        )
