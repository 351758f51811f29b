"""What a step of SVGD on predictions asks of a network. Networks in JAX take the same steps in one
program of XLA, jax_network_steps.py, those in PyTorch in torch_network_steps.py; tests compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import network_rule
from .network_groups import Groups
from .network_prior import OwnPrior, UsualPrior

if TYPE_CHECKING:
    from .networks import Network

REPULSION = np.float32(network_rule.REPULSION)
NEVER = 2**62  # a step that no run reaches


class Steps:
    """Predictions with their scores, and the way back. A row of the engine is the weights in units
    of the prior's sd, what the likelihood learns, and what the prior learns. Rows of data are read
    once in each step.

    From step `noise_from` on particles have noise, and each moves by its own log posterior: no
    repulsion keeps them apart, and the prior is around 0. Without one they have no noise; then they
    are in groups, each of which learns without some rows."""

    def __init__(
        self, network: Network, start: np.ndarray, seed: int, noise_from: int | None = None
    ):
        self.network, model, data = network, network.model, network.data
        self.noise_from = NEVER if noise_from is None else noise_from
        self.groups = Groups.of(len(start), noise_from is None and network.likelihood.bands)
        self.outputs = data.batch * model.outputs
        self._read = data.steps(model, network.likelihood, seed)
        self._rows_for_one = np.float32(data.rows / data.batch)
        weights, own = np.split(start, [model.dim], axis=1)
        kind = OwnPrior if model.has_prior else UsualPrior
        self.prior = kind(model, weights, seed, network.prior_weight)
        self._ends = [model.dim, model.dim + own.shape[1]]
        self.start = np.concatenate([self.prior.start, own, self.prior.learned], axis=1)

    def particles(self, x: np.ndarray) -> np.ndarray:
        """Weights and what the likelihood has learned, of rows of the engine."""
        return np.concatenate(self.parts(x)[:2], axis=1)

    def predict(self, k: int, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        model, likelihood = self.network.model, self.network.likelihood
        rows, observed, parts = self._read(k)
        weights, own, _ = self.parts(x)
        outputs, self._back = model.forward_rows(weights, rows)
        self._left_out = self.groups.left_out(parts)
        self._of_outputs, of_own = likelihood.score(outputs, own, observed, self._left_out)
        self._own = self._rows_for_one * of_own
        of_outputs = self._of_outputs / REPULSION
        return outputs.reshape(len(x), -1), of_outputs.reshape(len(x), -1)

    def pull(self, k: int, x: np.ndarray, psi: np.ndarray) -> np.ndarray:
        v, own, learned = np.split(x, self._ends, axis=1)
        alone = k >= self.noise_from
        psi = self._of_outputs if alone else psi.reshape(self._of_outputs.shape) * REPULSION
        psi = psi * self._rows_for_one
        if self._left_out is not None:
            psi = psi * self._left_out.learns
        slope, of_learned = self.prior.slopes(v, learned, around_own_draw=not alone)
        slope += self._back(psi) * self.prior.unit
        return np.concatenate([slope, self._own - own, of_learned], axis=1)

    def parts(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of rows of the engine: weights, what the likelihood and what the prior learn."""
        v, own, learned = np.split(x, self._ends, axis=1)
        return v * self.prior.unit, own, learned
