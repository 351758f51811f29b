"""Targets that are known by what they predict: networks, of which few particles are enough."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .functions import Target, whole
from .held_out import pair
from .likelihoods import likelihood_of

ROWS_A_STEP = 100
ROWS_A_CALL = 1024  # of predictions
KERNEL_WIDTH = 0.5  # h of the kernel of each predicted number, in variances of the cloud
# How much of the repulsion counts, chosen by measurement (bench/networks.py). A row of data alone
# would let the particles' predictions spread as wide as its noise; all rows together allow the
# share of it that is the number of parameters in effect over the number of rows.
REPULSION = 0.03
# The weight of the prior, beside a likelihood whose slopes the kernel has averaged: its mean over
# pairs of a normal cloud is 0.45. Chosen in the same way.
PRIOR = 0.75


class Network(Target):
    """Weights, what they predict, and the rows that they learn from. Made by from_jax_network and
    from_torch_module."""

    name = "network"

    def __init__(
        self,
        model: Any,
        data: Any,
        *,
        likelihood: str = "normal",
        scale: bool = True,
        data_batch: int | None = None,
        prior_weight: float = 1.0,
    ):
        x, y = pair("data", data)
        self._scale_inputs = scale and x.ndim == 2 and np.issubdtype(x.dtype, np.floating)
        if self._scale_inputs:
            sd = x.std(axis=0)
            self.input_centre, self.input_unit = x.mean(axis=0), np.where(sd > 0, sd, 1.0)
        self.rows, self._inputs, self.model = len(x), self.inputs(x), model
        model.bring(self._inputs)
        self.outputs = model.outputs
        self.likelihood = likelihood_of(likelihood, y, self.outputs, scale)
        self._observed = self.likelihood.observed(y)
        batch = ROWS_A_STEP if data_batch is None else whole("data_batch", data_batch, 1)
        self.data_batch = min(batch, self.rows)
        if not (np.isfinite(prior_weight) and prior_weight >= 0):
            raise ValueError(f"prior_weight: must be at least 0; got {prior_weight}")
        self.prior_weight = float(prior_weight)

    def inputs(self, x: Any) -> np.ndarray:
        """Rows as the network gets them."""
        x = np.asarray(x)
        if np.issubdtype(x.dtype, np.floating) and not self._scale_inputs:
            x = x.astype(np.float32)
        if self._scale_inputs:
            if x.ndim != 2 or x.shape[1] != len(self.input_unit):
                raise ValueError(
                    f"x: must have {len(self.input_unit)} columns; got shape {x.shape}"
                )
            x = ((x - self.input_centre) / self.input_unit).astype(np.float32)
        return x

    def start(self, particles: int, seed: int) -> np.ndarray:
        """Independent initialisations of the model, (N, d)."""
        weights = np.asarray(self.model.start(particles, seed), np.float32)
        return np.concatenate([weights, self.likelihood.start(particles)], axis=1)

    def predicted(self, x: np.ndarray, inputs: Any) -> np.ndarray:
        """f of the particles x at inputs that `inputs` made, (N, rows, features)."""
        weights, own = x[:, : self.model.dim], x[:, self.model.dim :]
        parts = [
            self.model.forward(weights, inputs[first : first + ROWS_A_CALL])
            for first in range(0, len(inputs), ROWS_A_CALL)
        ]
        return self.likelihood.join(np.concatenate(parts, axis=1), own)

    def __repr__(self) -> str:
        return f"<starling.Network: {self.model.dim} weights, {self.rows} rows>"


class Steps:
    """What a step asks of a network: predictions with their scores, and the way back. The rows of
    step k are a function of the seed and k."""

    def __init__(self, network: Network, start: np.ndarray, seed: int):
        self._network, self._seed, model = network, seed, network.model
        self.outputs = network.data_batch * network.outputs
        self._prior = np.float32(PRIOR * network.prior_weight)
        self._rows_for_one = np.float32(network.rows / network.data_batch)
        self._precision = (1 / model.prior_sds(start[:, : model.dim]) ** 2).astype(np.float32)

    def _rows(self, k: int) -> np.ndarray:
        n, batch = self._network.rows, self._network.data_batch
        if batch == n:
            return np.arange(n)
        return np.random.default_rng([self._seed, k]).integers(n, size=batch)

    def predict(self, k: int, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        network, rows = self._network, self._rows(k)
        weights, own = x[:, : network.model.dim], x[:, network.model.dim :]
        outputs = network.model.forward_rows(weights, rows)
        score = network.likelihood.score(
            network.likelihood.join(outputs, own), network._observed[rows]
        )
        # The noise is one for all particles: its slope is their mean.
        self._own = self._rows_for_one * score[:, :, network.outputs :].sum(axis=1).mean(axis=0)
        of_outputs = score[:, :, : network.outputs] / np.float32(REPULSION)
        return outputs.reshape(len(x), -1), of_outputs.reshape(len(x), -1)

    def pull(self, k: int, x: np.ndarray, psi: np.ndarray) -> np.ndarray:
        model = self._network.model
        weights, own = x[:, : model.dim], x[:, model.dim :]
        outputs = psi.reshape(len(x), self._network.data_batch, -1)
        back = (
            self._rows_for_one
            * np.float32(REPULSION)
            * model.pull_rows(weights, self._rows(k), outputs)
        )
        slope = model.prior_slope(weights)
        slope = -weights * self._precision if slope is None else slope
        return np.concatenate([back + self._prior * slope, self._own - own], axis=1)


def prior_sds(start: np.ndarray, shapes: list[tuple[int, ...]]) -> np.ndarray:
    """The sd of each weight under the prior that nobody gave: that of the initial values of its
    array, and at least sqrt(2 / width) in a matrix, 1 for a bias: some libraries begin with much
    smaller ones, which as a prior would forbid what the data say."""
    found, at = [], 0
    for shape in shapes:
        size = int(np.prod(shape))
        least = np.sqrt(2 * min(shape) / size) if len(shape) > 1 else 1.0
        rms = np.sqrt(np.mean(np.square(start[:, at : at + size], dtype=np.float64)))
        found.append(np.full(size, max(rms, least)))
        at += size
    return np.concatenate(found)


def from_jax_network(
    init: Callable,
    apply: Callable,
    data: Any,
    *,
    likelihood: str = "normal",
    log_prior: Callable | None = None,
    prior_weight: float = 1.0,
    scale: bool = True,
    data_batch: int | None = None,
) -> Network:
    """A network in JAX as a target that is judged by its predictions: starling.sample(network).

    init(key): the weights, any pytree: of flax `lambda key: model.init(key, x[:1])`, of equinox
        the module itself, of haiku `lambda key: f.init(key, x[:1])`. Each particle has its own.
    apply(weights, x): outputs for rows x, (rows,) or (rows, outputs).
    data: (x, y), the rows to learn from.
    likelihood: "normal", whose sd is learned, or "classes": y is a class, outputs are logits.
    log_prior(weights): of one particle; None: normal around 0, with the sd of the initial values
        or sqrt(2 / width), whichever is larger. prior_weight: a power of it.
    scale: whether columns of a table x, and y of "normal", are brought to mean 0 and sd 1 on the
        way in. Predictions come back in the units of y.
    data_batch: rows that a step reads; None: 100."""
    from .jax_networks import JaxModel

    model = JaxModel(init, apply, log_prior)
    return Network(
        model,
        data,
        likelihood=likelihood,
        scale=scale,
        data_batch=data_batch,
        prior_weight=prior_weight,
    )


def from_torch_module(
    make: Callable,
    data: Any,
    *,
    likelihood: str = "normal",
    log_prior: Callable | None = None,
    prior_weight: float = 1.0,
    scale: bool = True,
    data_batch: int | None = None,
) -> Network:
    """The same for a PyTorch module. make(): a new module with initial weights, which is called
    with rows x. log_prior(weights): of a dictionary of its parameters, by name. Buffers, such as
    those of batch normalisation, stay as they are in the first module."""
    from .torch_networks import TorchModel

    return Network(
        TorchModel(make, log_prior),
        data,
        likelihood=likelihood,
        scale=scale,
        data_batch=data_batch,
        prior_weight=prior_weight,
    )
