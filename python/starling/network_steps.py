"""What a step of SVGD on predictions asks of a network."""

from __future__ import annotations

import numpy as np

from .networks import Network

# How much of the repulsion counts, chosen by measurement (bench/networks.py). A row of data alone
# would let the particles' predictions spread as wide as its noise; all rows together allow the
# share of it that is the number of parameters in effect over the number of rows.
REPULSION = 0.03
# The weight of the prior, beside a likelihood whose slopes the kernel has averaged: its mean over
# pairs of a normal cloud is 0.45. Chosen in the same way.
PRIOR = 0.75


class Steps:
    """Predictions with their scores, and the way back. Rows are read once in each step."""

    def __init__(self, network: Network, start: np.ndarray, seed: int):
        self._network, model, data = network, network.model, network.data
        self.outputs = data.batch * model.outputs
        self._read = data.steps(model, network.likelihood, seed)
        self._prior = np.float32(PRIOR * network.prior_weight)
        self._rows_for_one = np.float32(data.rows / data.batch)
        self._precision = (1 / model.prior_sds(start[:, : model.dim]) ** 2).astype(np.float32)

    def predict(self, k: int, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        model, likelihood = self._network.model, self._network.likelihood
        self._rows, observed = self._read(k)
        weights, own = x[:, : model.dim], x[:, model.dim :]
        outputs = model.forward_rows(weights, self._rows)
        score = likelihood.score(likelihood.join(outputs, own), observed)
        # The noise is one for all particles: its slope is their mean.
        self._own = self._rows_for_one * score[:, :, model.outputs :].sum(axis=1).mean(axis=0)
        of_outputs = score[:, :, : model.outputs] / np.float32(REPULSION)
        return outputs.reshape(len(x), -1), of_outputs.reshape(len(x), -1)

    def pull(self, _: int, x: np.ndarray, psi: np.ndarray) -> np.ndarray:
        model = self._network.model
        weights, own = x[:, : model.dim], x[:, model.dim :]
        outputs = psi.reshape(len(x), -1, model.outputs)
        back = (
            self._rows_for_one
            * np.float32(REPULSION)
            * model.pull_rows(weights, self._rows, outputs)
        )
        slope = model.prior_slope(weights)
        slope = -weights * self._precision if slope is None else slope
        return np.concatenate([back + self._prior * slope, self._own - own], axis=1)
