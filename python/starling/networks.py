"""Targets that are known by what they predict: networks, of which few particles are enough."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from .functions import Target, whole
from .likelihoods import likelihood_of
from .network_data import Columns, source_of
from .pool import Pool

ROWS_A_CALL = 1024  # of predictions


def refuse_pool(name: str, function: Any) -> None:
    if isinstance(function, Pool):
        raise TypeError(
            f"{name}: must be a function of the framework, which computes all particles at once on "
            "all cores; got a pool of processes. A solver that takes seconds is no network: use "
            "sample(pool(log_density), predict=..., data=...)"
        )


class Network(Target):
    """Weights, what they predict, and the rows that they learn from. Made by from_jax_network and
    from_torch_module."""

    name = "network"

    def __init__(
        self,
        model: Any,
        data: Any,
        *,
        likelihood: str = "student",
        scale: bool = True,
        data_batch: int | None = None,
        prior_weight: float = 1.0,
    ):
        if not (np.isfinite(prior_weight) and prior_weight >= 0):
            raise ValueError(f"prior_weight: must be at least 0; got {prior_weight}")
        self.model, self.prior_weight, self.data = model, float(prior_weight), None
        if data is None:  # what a loaded result predicts with
            return
        batch = None if data_batch is None else whole("data_batch", data_batch, 1)
        self.data = source_of(data, scale, batch)
        model.count_outputs(self.data.first)
        self.likelihood = likelihood_of(likelihood, self.data.y, model.outputs, scale)
        self.inputs = self.data.columns
        self.data.brought_to(model, self.likelihood)

    #: Rows as the network gets them, and what its outputs say of an observation.
    inputs: Columns
    likelihood: Any

    @classmethod
    def restored(cls, model: Any, likelihood: Any, inputs: Columns) -> Network:
        """One that predicts, with the scales of an earlier run."""
        network = cls(model, None)
        network.likelihood, network.inputs = likelihood, inputs
        return network

    @cached_property
    def program(self) -> Any:
        """Steps in JAX: compiled once for all runs."""
        from .jax_network_steps import Program

        rows_for_one = self.data.rows / self.data.batch
        return Program(self.model, self.likelihood, rows_for_one, self.prior_weight)

    def start(self, particles: int, seed: int) -> np.ndarray:
        """Independent initialisations of the model, (N, d)."""
        weights = np.asarray(self.model.start(particles, seed), np.float32)
        return np.concatenate([weights, self.likelihood.start(particles)], axis=1)

    def predicted(self, x: np.ndarray, inputs: Any) -> np.ndarray:
        """f of the particles x at inputs that `inputs` made, (N, rows, features)."""
        weights, own = x[:, : self.model.dim], np.asarray(x[:, self.model.dim :])
        parts = [
            self.model.forward(weights, inputs[first : first + ROWS_A_CALL])
            for first in range(0, len(inputs), ROWS_A_CALL)
        ]
        return self.likelihood.join(np.concatenate(parts, axis=1), own)

    def __repr__(self) -> str:
        rows = f"{self.data.rows} rows" if self.data else "no rows to learn from"
        return f"<starling.Network: {self.model.dim} weights, {rows}>"


def from_jax_network(
    init: Callable,
    apply: Callable,
    data: Any = None,
    *,
    likelihood: str = "student",
    log_prior: Callable | None = None,
    prior_weight: float = 1.0,
    scale: bool = True,
    data_batch: int | None = None,
    fixed: Any = None,
) -> Network:
    """A network in JAX as a target that is judged by its predictions: starling.sample(network).

    init(key): the weights, any pytree: of flax `lambda key: model.init(key, x[:1])`, of equinox
        the module itself, of haiku `lambda key: f.init(key, x[:1])`. Each particle has its own.
    apply(weights, x): outputs for rows x, (rows,) or (rows, outputs).
    data: the rows to learn from: (x, y), or batches (x, y) that can be read again and again, such
        as a DataLoader or a list of them. None: a network for load(folder, network=...).
    likelihood: "student": noise with tails, whose unit and degrees of freedom are learned;
        "normal", whose sd is learned; "classes": y is a class, outputs are logits. With
        four particles or more, and without noise in sample, noise is learned from rows that a
        group of the particles does not learn from.
    log_prior(weights): of one particle; None: normal, with the sd of the initial values or
        sqrt(2 / width), whichever is larger, times a number for each array that is learned.
        prior_weight: a power of it.
    scale: whether columns of a table x, and y where it is no class, are brought to mean 0 and sd 1
        on the way in. Predictions come back in the units of y.
    data_batch: rows that a step reads; None: 100, or as many as the first batch has.
    fixed: weights that are not learned: a pytree like them, of True and False, or names such as
        ["params/Dense_0"]. All particles have those of init(jax.random.PRNGKey(0))."""
    from .jax_networks import JaxModel

    for name, function in (("init", init), ("apply", apply), ("log_prior", log_prior)):
        refuse_pool(name, function)
    return Network(
        JaxModel(init, apply, log_prior, fixed),
        data,
        likelihood=likelihood,
        scale=scale,
        data_batch=data_batch,
        prior_weight=prior_weight,
    )


def from_torch_module(
    make: Callable,
    data: Any = None,
    *,
    likelihood: str = "student",
    log_prior: Callable | None = None,
    prior_weight: float = 1.0,
    scale: bool = True,
    data_batch: int | None = None,
) -> Network:
    """The same for a PyTorch module. make(): a new module with initial weights, which is called
    with rows x. log_prior(weights): of a dictionary of its parameters, by name. Parameters with
    requires_grad=False are not learned. They and buffers, such as those of batch normalisation,
    stay as they are in the first module, in all particles."""
    from .torch_networks import TorchModel

    for name, function in (("make", make), ("log_prior", log_prior)):
        refuse_pool(name, function)
    return Network(
        TorchModel(make, log_prior),
        data,
        likelihood=likelihood,
        scale=scale,
        data_batch=data_batch,
        prior_weight=prior_weight,
    )
