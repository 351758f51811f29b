"""What a step of a network costs beside the gradient of the same network, within one run."""

from __future__ import annotations

import time
from unittest.mock import patch

import jax
import jax.numpy as jnp
import numpy as np
import starling
from starling import network_flight

LOOKS = 20  # of a run; between two of them steps are timed, and then as many gradients


def cost(width: int, particles: int, batch: int, by_engine: bool) -> None:
    """Two hidden layers of `width` units, 10 inputs, all particles at `batch` rows. A step has as
    many rows, which it chooses; the gradient always has the same ones. by_engine: steps as short
    runs have them, with NumPy and the engine beside JAX."""
    steps = 100 if width < 200 else 30  # between two looks
    random = np.random.default_rng(1)
    x, y = random.normal(size=(2000, 10)), random.normal(size=2000)
    shapes = ((10, width), (width, width), (width, 1))

    def init(key):
        keys = zip(jax.random.split(key, 3), shapes)
        return [jax.random.normal(k, shape) / np.sqrt(shape[0]) for k, shape in keys]

    def apply(weights, x):
        a, b, c = weights
        return jax.nn.relu(jax.nn.relu(x @ a) @ b) @ c

    network = starling.from_jax_network(init, apply, (x, y), data_batch=batch)
    rows = jnp.asarray(network.inputs(x[:batch]))
    seen = jnp.asarray(network.likelihood.observed(y[:batch]))

    def loss(w):
        return jnp.sum((seen - apply(network.model.tree(w), rows)) ** 2)

    gradient = jax.jit(jax.vmap(jax.grad(loss)))
    w = jnp.asarray(network.start(particles, 1)[:, : network.model.dim])
    gradient(w).block_until_ready()
    of_steps, of_gradients, since = [], [], time.perf_counter()

    def alternate(_):
        nonlocal since
        of_steps.append((time.perf_counter() - since) / steps)
        since = time.perf_counter()
        for _ in range(steps):
            gradient(w).block_until_ready()
        of_gradients.append((time.perf_counter() - since) / steps)
        since = time.perf_counter()

    with patch.object(network_flight, "loop_pays", lambda *_: not by_engine):
        starling.sample(
            network,
            particles=particles,
            steps=LOOKS * steps,
            seed=1,
            progress=False,
            callback=alternate,
        )
    step, alone = np.median(of_steps[1:]), np.median(of_gradients[1:])
    ratios = np.array(of_steps[1:]) / np.array(of_gradients[1:])
    low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
    print(
        f"{network.model.dim} weights, {particles} particles, {batch} rows: a step "
        f"{1e3 * step:.1f} ms, the gradient alone {1e3 * alone:.1f} ms, ratio {middle:.2f} "
        f"(quartiles {low:.2f}, {high:.2f})"
    )
